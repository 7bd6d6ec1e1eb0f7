# SPDX-License-Identifier: Apache-2.0
"""The methods of ResourceVariable that change its value, or read a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_array_ops,
    gen_resource_variable_ops as gen,
    gen_state_ops,
)
from tensorwright.python.ops._variables.row_updates import RowUpdatesMixin

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


_SCATTERS = {
    "update": gen.resource_scatter_update,
    "add": gen.resource_scatter_add,
    "sub": gen.resource_scatter_sub,
    "mul": gen.resource_scatter_mul,
    "div": gen.resource_scatter_div,
    "min": gen.resource_scatter_min,
    "max": gen.resource_scatter_max,
}
_SCATTERS_ND = {
    "update": gen_state_ops.resource_scatter_nd_update,
    "add": gen_state_ops.resource_scatter_nd_add,
    "sub": gen_state_ops.resource_scatter_nd_sub,
    "min": gen_state_ops.resource_scatter_nd_min,
    "max": gen_state_ops.resource_scatter_nd_max,
}


class ResourceUpdatesMixin(RowUpdatesMixin):
    """Updates of the variable behind `self.handle`.

    The result of an update is a variable whose reads come after it; without `read_value`
    it is the operation.
    """

    _handle: ops.Tensor
    dtype: dtypes.DType
    shape: tensor_shape.TensorShape

    def _after(self, op: Any) -> Any:
        """The variable as it is after `op`."""
        raise NotImplementedError

    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | ops.Operation:
        """Gives it a value of its dtype and shape."""
        del use_locking
        value = ops.convert_to_tensor(value, dtype=self.dtype)
        self.shape.assert_is_compatible_with(value.get_shape())
        op = gen.assign_variable_op(self._handle, value, name=name)
        return self._after(op) if read_value else op

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | ops.Operation:
        """Adds to it."""
        del use_locking
        delta = ops.convert_to_tensor(delta, dtype=self.dtype)
        op = gen.assign_add_variable_op(self._handle, delta, name=name)
        return self._after(op) if read_value else op

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Variable | ops.Operation:
        """Subtracts from it."""
        del use_locking
        delta = ops.convert_to_tensor(delta, dtype=self.dtype)
        op = gen.assign_sub_variable_op(self._handle, delta, name=name)
        return self._after(op) if read_value else op

    def _scatter(
        self, change: str, indices: Any, values: Any, use_locking: Any, name: Any
    ) -> Any:
        del use_locking
        values = ops.convert_to_tensor(values, dtype=self.dtype)
        op = _SCATTERS[change]
        return self._after(op(self._handle, indices, values, name=name))

    def _scatter_nd(self, change: str, indices: Any, updates: Any, name: Any) -> Any:
        updates = ops.convert_to_tensor(updates, dtype=self.dtype)
        op = _SCATTERS_ND[change]
        return self._after(op(self._handle, indices, updates, name=name))

    def scatter_nd_min(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Takes the smaller of slices at coordinates and updates."""
        return self._scatter_nd("min", indices, updates, name)

    def scatter_nd_max(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Takes the larger of slices at coordinates and updates."""
        return self._scatter_nd("max", indices, updates, name)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: Any, **masks: int
    ) -> Any:
        value = ops.convert_to_tensor(value, dtype=self.dtype)
        return self._after(
            gen_array_ops.resource_strided_slice_assign(
                self._handle, begin, end, strides, value, name=name, **masks
            )
        )

    def count_up_to(self, limit: int) -> ops.Tensor:
        """The value before it becomes 1 more; OutOfRangeError at `limit`."""
        return gen_state_ops.resource_count_up_to(
            self._handle, limit=limit, T=self.dtype
        )

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> ops.Tensor:
        """The rows at `indices`, read without the rest: [i...] -> [i..., shape[1:]]."""
        with ops.name_scope(name, "Gather") as scope:
            rows = gen.resource_gather(
                self._handle, indices, dtype=self.dtype, name=scope
            )
        return array_ops.identity(rows)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> ops.Tensor:
        """The slices at rows of coordinates, read without the rest: [i..., k] -> [i..., shape[k:]]."""
        with ops.name_scope(name, "GatherNd") as scope:
            found = gen.resource_gather_nd(
                self._handle, indices, dtype=self.dtype, name=scope
            )
        return array_ops.identity(found)
