# SPDX-License-Identifier: Apache-2.0
"""Updates of a variable's rows: the methods that Variable and ResourceVariable share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import state_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


class RowUpdatesMixin:
    """Methods that change rows of a variable, which IndexedSlices name, or slices at coordinates.

    Rows come as `sparse_delta`: indices [i...], values [i..., shape[1:]]; TypeError for anything else.  Slices come as
    coordinates [i..., k] and updates [i..., shape[k:]].  A class of variables defines, by `_scatter` and `_scatter_nd`,
    the op that makes a change, and the result of a method: the variable after the change.
    """

    def _scatter(
        self, change: str, indices: Any, values: Any, use_locking: Any, name: Any
    ) -> Any:
        """Adds the op for "add", "sub", "mul", "div", "min", "max" or "update"."""
        raise NotImplementedError

    def _scatter_nd(self, change: str, indices: Any, updates: Any, name: Any) -> Any:
        """Adds the op for "add", "sub", "update", "min" or "max" at coordinates."""
        raise NotImplementedError

    def _scatter_slices(
        self, change: str, slices: Any, use_locking: bool, name: str | None
    ) -> Any:
        if not isinstance(slices, ops.IndexedSlices):
            raise TypeError(f"sparse_delta is not IndexedSlices: {slices}")
        return self._scatter(change, slices.indices, slices.values, use_locking, name)

    def scatter_sub(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Subtracts IndexedSlices."""
        return self._scatter_slices("sub", sparse_delta, use_locking, name)

    def scatter_add(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Adds IndexedSlices."""
        return self._scatter_slices("add", sparse_delta, use_locking, name)

    def scatter_mul(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Multiplies by IndexedSlices."""
        return self._scatter_slices("mul", sparse_delta, use_locking, name)

    def scatter_div(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Divides by IndexedSlices."""
        return self._scatter_slices("div", sparse_delta, use_locking, name)

    def scatter_min(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Takes the smaller of rows and IndexedSlices."""
        return self._scatter_slices("min", sparse_delta, use_locking, name)

    def scatter_max(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Takes the larger of rows and IndexedSlices."""
        return self._scatter_slices("max", sparse_delta, use_locking, name)

    def scatter_update(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor | Variable:
        """Replaces rows by IndexedSlices."""
        return self._scatter_slices("update", sparse_delta, use_locking, name)

    def batch_scatter_update(
        self,
        sparse_delta: ops.IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Replaces rows within each batch; see tf.batch_scatter_update."""
        indices, values = sparse_delta.indices, sparse_delta.values
        variable: Any = self
        return state_ops.batch_scatter_update(
            variable, indices, values, use_locking, name
        )

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor | Variable:
        """Subtracts from slices at coordinates."""
        return self._scatter_nd("sub", indices, updates, name)

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor | Variable:
        """Adds to slices at coordinates."""
        return self._scatter_nd("add", indices, updates, name)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor | Variable:
        """Replaces slices at coordinates."""
        return self._scatter_nd("update", indices, updates, name)
