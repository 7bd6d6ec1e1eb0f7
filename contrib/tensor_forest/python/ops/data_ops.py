# SPDX-License-Identifier: Apache-2.0
"""Features and labels as the ops of forests take them: float matrices, and a description of their columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.tensor_forest.python.ops import tensor_forest_ops
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.ops import array_ops, math_ops, sparse_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import TensorTree

DATA_FLOAT = 0
DATA_CATEGORICAL = 1

DTYPE_TO_FTYPE = {
    dtypes.string: DATA_CATEGORICAL,
    dtypes.int32: DATA_CATEGORICAL,
    dtypes.int64: DATA_CATEGORICAL,
    dtypes.float32: DATA_FLOAT,
    dtypes.float64: DATA_FLOAT,
}


class DataColumn:
    """Columns of one kind: the name, DATA_FLOAT or DATA_CATEGORICAL, and how many; -1 is all that follow."""

    def __init__(self, name: str = "", original_type: int = DATA_FLOAT, size: int = -1):
        self.name = name
        self.original_type = original_type
        self.size = size

    def SerializeToString(self) -> str:
        # Brackets, colons and spaces have a meaning in the text.
        name = re.sub(r"[^\w.\-/]", "_", self.name)
        return f"name: {name} original_type: {self.original_type} size: {self.size}"


class DataColumnCollection:
    """Columns side by side."""

    def __init__(self) -> None:
        self.cols: list[DataColumn] = []

    def AddColumn(self) -> DataColumn:
        self.cols.append(DataColumn())
        return self.cols[-1]

    def SerializeToString(self) -> str:
        return " ".join(c.SerializeToString() for c in self.cols)


class TensorForestDataSpec:
    """The columns of the dense matrix and of the sparse one."""

    def __init__(self) -> None:
        self.dense = DataColumnCollection()
        self.sparse = DataColumnCollection()
        self.dense_features_size = 0

    def SerializeToString(self) -> str:
        return (
            f"dense_features_size: {self.dense_features_size} "
            f"dense: [{self.dense.SerializeToString()}] "
            f"sparse: [{self.sparse.SerializeToString()}]"
        )


def CastToFloat(tensor: ops.Tensor) -> ops.Tensor:
    """Numbers of any dtype as float32; strings as numbers that only their equality means something of.

    Raises:
        TypeError: another dtype.
    """
    if tensor.dtype == dtypes.string:
        return tensor_forest_ops.reinterpret_string_to_float(tensor)
    if tensor.dtype.is_integer or tensor.dtype.is_floating or tensor.dtype.is_bool:
        return math_ops.cast(tensor, dtypes.float32)
    raise TypeError(f"features must be numbers or strings, got {tensor.dtype.name}")


def GetColumnName(column_key: str, col_num: int) -> str:
    """The name of a column: its key, or a number where it has none."""
    return column_key if column_key else f"column_{col_num}"


def _kind(dtype: dtypes.DType) -> int:
    return DTYPE_TO_FTYPE.get(dtype, DATA_FLOAT)


def _matrix(tensor: Any, name: str) -> ops.Tensor:
    tensor = ops.convert_to_tensor(tensor)
    rank = tensor.get_shape().ndims
    if rank == 1:
        return array_ops.expand_dims(tensor, 1)
    if rank not in (None, 2):
        raise ValueError(f"{name} must have rank 1 or 2, got {tensor.get_shape()}")
    return tensor


def _dense(data: dict[str, Any]) -> tuple[ops.Tensor, TensorForestDataSpec]:
    spec = TensorForestDataSpec()
    parts = []
    for number, key in enumerate(sorted(data)):
        part = _matrix(data[key], f"feature {key}")
        width = part.get_shape().as_list()[1] if part.get_shape().ndims == 2 else None
        if width is None:
            raise ValueError(f"feature {key} must have a known number of columns")
        column = spec.dense.AddColumn()
        column.name = GetColumnName(key, number)
        column.original_type = _kind(part.dtype)
        column.size = width
        spec.dense_features_size += width
        parts.append(CastToFloat(part))
    return array_ops.concat(parts, 1), spec


def _sparse(
    data: dict[str, Any],
) -> tuple[sparse_tensor.SparseTensor, TensorForestDataSpec]:
    spec = TensorForestDataSpec()
    parts = []
    for number, key in enumerate(sorted(data)):
        part = data[key]
        if not isinstance(part, sparse_tensor.SparseTensor):
            raise NotImplementedError(f"Features must be all sparse or all dense: {key} is dense")  # fmt: skip
        column = spec.sparse.AddColumn()
        column.name = GetColumnName(key, number)
        column.original_type = _kind(part.dtype)
        parts.append(
            sparse_tensor.SparseTensor(
                part.indices, CastToFloat(part.values), part.dense_shape
            )
        )
    if len(parts) > 1:
        kinds = {c.original_type for c in spec.sparse.cols}
        if kinds != {DATA_FLOAT}:
            raise NotImplementedError("Sparse features of several keys must be floats")
        # Their widths may be known only when they are computed.
        del spec.sparse.cols[1:]
        return sparse_ops.sparse_concat(1, parts), spec
    return parts[0], spec


def ParseDataTensorOrDict(
    data: TensorTree,
) -> tuple[
    ops.Tensor | None,
    sparse_tensor.SparseTensor | None,
    TensorForestDataSpec,
]:
    """Features as one matrix.

    Args:
        data: a tensor [n, columns], a SparseTensor of that shape, or a dict of either, whose values are put side by
            side by their sorted keys. Integers and strings in a dict are categories: a tree tests for equality.

    Returns:
        The dense matrix or None, the sparse one or None, and the TensorForestDataSpec.

    Raises:
        NotImplementedError: a dict of dense and sparse features, or of several sparse ones of which one is no float.
        ValueError: a feature of a wrong rank or unknown width, or an empty dict.
        TypeError: neither numbers nor strings.
    """
    if isinstance(data, dict):
        if not data:
            raise ValueError("input_data must have a feature, got an empty dict")
        values = data.values()
        if any(isinstance(v, sparse_tensor.SparseTensor) for v in values):
            sparse, spec = _sparse(data)
            return None, sparse, spec
        dense, spec = _dense(data)
        return dense, None, spec
    spec = TensorForestDataSpec()
    if isinstance(data, sparse_tensor.SparseTensor):
        spec.sparse.AddColumn().name = "features"
        values = CastToFloat(data.values)
        return (
            None,
            sparse_tensor.SparseTensor(data.indices, values, data.dense_shape),
            spec,
        )
    matrix = CastToFloat(_matrix(data, "input_data"))
    column = spec.dense.AddColumn()
    column.name = "features"
    width = matrix.get_shape().as_list()[1] if matrix.get_shape().ndims == 2 else None
    spec.dense_features_size = width or 0
    return matrix, None, spec


def ParseLabelTensorOrDict(labels: TensorTree) -> ops.Tensor:
    """Labels as one float32 tensor, [n] or [n, outputs].

    Args:
        labels: a tensor, a SparseTensor, whose missing entries are -1, or a dict of either, put side by side by their
            sorted keys.
    """

    def dense(value: Any) -> ops.Tensor:
        if isinstance(value, sparse_tensor.SparseTensor):
            value = sparse_ops.sparse_tensor_to_dense(value, default_value=-1)
        return math_ops.cast(value, dtypes.float32)

    if isinstance(labels, dict):
        columns = [_matrix(dense(labels[k]), f"label {k}") for k in sorted(labels)]
        return array_ops.concat(columns, 1)
    return dense(labels)
