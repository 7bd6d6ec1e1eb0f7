# SPDX-License-Identifier: Apache-2.0
"""The methods of Variable that change its value, or read a part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, gen_state_ops, state_ops


class UpdatesMixin:
    """Updates of `self._variable`, a reference."""

    _variable: ops.Tensor

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Gives it a value; the result is the new value (without `read_value`, an op)."""
        result = state_ops.assign(
            self._variable, value, use_locking=use_locking, name=name
        )
        return result if read_value else result.op

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to it; the result is the new value (without `read_value`, an op)."""
        result = state_ops.assign_add(
            self._variable, delta, use_locking=use_locking, name=name
        )
        return result if read_value else result.op

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from it; the new value (without `read_value`, an op)."""
        result = state_ops.assign_sub(
            self._variable, delta, use_locking=use_locking, name=name
        )
        return result if read_value else result.op

    def _scatter(self, op: Callable, slices: Any, use_locking: bool, name: Any) -> Any:
        if not isinstance(slices, ops.IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {slices}")
        return op(
            self._variable,
            slices.indices,
            slices.values,
            use_locking=use_locking,
            name=name,
        )

    def scatter_sub(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """Subtracts IndexedSlices; the result is the new value."""
        return self._scatter(gen_state_ops.scatter_sub, sparse_delta, use_locking, name)

    def scatter_add(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """Adds IndexedSlices; the result is the new value."""
        return self._scatter(gen_state_ops.scatter_add, sparse_delta, use_locking, name)

    def scatter_mul(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """Multiplies by IndexedSlices; the result is the new value."""
        return self._scatter(gen_state_ops.scatter_mul, sparse_delta, use_locking, name)

    def scatter_div(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """Divides by IndexedSlices; the result is the new value."""
        return self._scatter(gen_state_ops.scatter_div, sparse_delta, use_locking, name)

    def scatter_min(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """The smaller of it and IndexedSlices; the result is the new value."""
        return self._scatter(gen_state_ops.scatter_min, sparse_delta, use_locking, name)

    def scatter_max(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """The larger of it and IndexedSlices; the result is the new value."""
        return self._scatter(gen_state_ops.scatter_max, sparse_delta, use_locking, name)

    def scatter_update(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """Replaces the rows of IndexedSlices; the result is the new value."""
        return self._scatter(
            gen_state_ops.scatter_update, sparse_delta, use_locking, name
        )

    def batch_scatter_update(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ops.Tensor:
        """Replaces rows within each batch; see tf.batch_scatter_update."""
        return self._scatter(
            state_ops.batch_scatter_update, sparse_delta, use_locking, name
        )

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> ops.Tensor:
        """Subtracts from slices at coordinates; the result is the new value."""
        return gen_state_ops.scatter_nd_sub(
            self._variable, indices, updates, use_locking=True, name=name
        )

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> ops.Tensor:
        """Adds to slices at coordinates; the result is the new value."""
        return gen_state_ops.scatter_nd_add(
            self._variable, indices, updates, use_locking=True, name=name
        )

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> ops.Tensor:
        """Replaces slices at coordinates; the result is the new value."""
        return gen_state_ops.scatter_nd_update(
            self._variable, indices, updates, use_locking=True, name=name
        )

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: Any, **masks: int
    ) -> ops.Tensor:
        return gen_array_ops.strided_slice_assign(
            self._variable, begin, end, strides, value, name=name, **masks
        )

    def count_up_to(self, limit: int) -> ops.Tensor:
        """Increments it until it reaches `limit`, then raises OutOfRangeError."""
        return state_ops.count_up_to(self._variable, limit=limit)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> ops.Tensor:
        """The rows at `indices`."""
        return array_ops.gather(self, indices, name=name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> ops.Tensor:
        """The elements at rows of coordinates."""
        return array_ops.gather_nd(self, indices, name=name)
