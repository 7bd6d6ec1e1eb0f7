# SPDX-License-Identifier: Apache-2.0
"""PartitionedVariable: several variables that together are one large one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike
from tensorwright.python.ops import array_ops
from tensorwright.python.ops._variables.variables_variable import Variable


def _offset(part: Variable) -> tuple[int, ...]:
    info = part._get_save_slice_info()
    assert info is not None
    return tuple(info.var_offset)


class PartitionedVariable:
    """Slices of a variable along one dimension.

    Used as a tensor it is the concatenation of its parts.
    """

    def __init__(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike,
        variable_list: list[Variable],
        partitions: list[int],
    ):
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        if len(partitions) != len(tensor_shape.as_shape(shape)):
            raise ValueError(
                f"PartitionedVariable: {len(partitions)} partitions for shape {shape}"
            )
        self._name = name
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._partitions = list(partitions)
        self._variable_list = sorted(variable_list, key=_offset)
        self._as_tensor: ops.Tensor | None = None

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def _partition_axes(self) -> list[int]:
        """The dimensions that are cut; [0] if none is."""
        return [i for i, n in enumerate(self._partitions) if n > 1] or [0]

    def as_tensor(self) -> ops.Tensor:
        """The parts put together again."""
        if self._as_tensor is None:
            with ops.control_dependencies(None):
                self._as_tensor = self._concat()
        return self._as_tensor

    def _concat(self) -> ops.Tensor:
        parts = [v._AsTensor() for v in self._variable_list]
        with ops.name_scope(self._name + "/ConcatPartitions/"):
            if len(parts) == 1:
                return array_ops.identity(parts[0], name=self._name)
            (axis,) = self._partition_axes()
            joined = array_ops.concat(parts, axis)
        with ops.name_scope(None):
            return array_ops.identity(joined, name=self._name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return self._shape

    def get_shape(self) -> tensor_shape.TensorShape:
        """The shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    @property
    def graph(self) -> ops.Graph:
        return self._variable_list[0].graph


def _convert(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False):
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type {dtype} for variable of "
            f"type {value.dtype.name}"
        )
    if as_ref:
        raise NotImplementedError(
            "the parts of a PartitionedVariable have no reference in common"
        )
    return value.as_tensor()


ops.register_tensor_conversion_function(PartitionedVariable, _convert)
