# SPDX-License-Identifier: Apache-2.0
"""The methods of Variable that change its value, or read a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, state_ops
from tensorwright.python.ops._variables.row_updates import RowUpdatesMixin

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor


class UpdatesMixin(RowUpdatesMixin):
    """Updates of `self._variable`, a reference."""

    _variable: ops.Tensor

    @overload
    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: Literal[True] = True,
    ) -> Tensor: ...

    @overload
    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        *,
        read_value: bool,
    ) -> Tensor | Operation: ...

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Tensor | Operation:
        """Gives it a value; the result is the new value (without `read_value`, an op)."""
        result = state_ops.assign(
            self._variable, value, use_locking=use_locking, name=name
        )
        return result if read_value else result.op

    @overload
    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: Literal[True] = True,
    ) -> Tensor: ...

    @overload
    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        *,
        read_value: bool,
    ) -> Tensor | Operation: ...

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Tensor | Operation:
        """Adds to it; the result is the new value (without `read_value`, an op)."""
        result = state_ops.assign_add(
            self._variable, delta, use_locking=use_locking, name=name
        )
        return result if read_value else result.op

    @overload
    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: Literal[True] = True,
    ) -> Tensor: ...

    @overload
    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        *,
        read_value: bool,
    ) -> Tensor | Operation: ...

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Tensor | Operation:
        """Subtracts from it; the new value (without `read_value`, an op)."""
        result = state_ops.assign_sub(
            self._variable, delta, use_locking=use_locking, name=name
        )
        return result if read_value else result.op

    def _scatter(
        self, change: str, indices: Any, values: Any, use_locking: Any, name: Any
    ) -> ops.Tensor:
        return state_ops.scatter_rows(
            change, self._variable, indices, values, use_locking, name
        )

    def _scatter_nd(
        self, change: str, indices: Any, updates: Any, name: Any
    ) -> ops.Tensor:
        return state_ops.scatter_slices(
            change, self._variable, indices, updates, True, name
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
        variable: Any = self
        return array_ops.gather(variable, indices, name=name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> ops.Tensor:
        """The elements at rows of coordinates."""
        variable: Any = self
        return array_ops.gather_nd(variable, indices, name=name)
