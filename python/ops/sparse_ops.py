# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors made of dense ones, and with dimensions added."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.ops import array_ops, math_ops


def from_dense(tensor: Any, name: str | None = None) -> sparse_tensor.SparseTensor:
    """The elements of a dense tensor that are not zero (b"", False), in row-major order."""
    with ops.name_scope(name, "dense_to_sparse"):
        tensor = ops.convert_to_tensor(tensor)
        zero = array_ops.zeros([], tensor.dtype.base_dtype)
        indices = array_ops.where(math_ops.not_equal(tensor, zero))
        values = array_ops.gather_nd(tensor, indices)
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        return sparse_tensor.SparseTensor(indices, values, shape)


def sparse_eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """Ones where row and column are the same: [num_rows, num_columns], square by default."""
    with ops.name_scope(name, "eye", [num_rows, num_columns]):
        rows = math_ops.cast(num_rows, dtypes.int64)
        columns = rows if num_columns is None else math_ops.cast(num_columns, "int64")
        places = math_ops.range(math_ops.minimum(rows, columns))
        return sparse_tensor.SparseTensor(
            array_ops.stack([places, places], axis=1),
            array_ops.ones(array_ops.shape(places), dtype),
            array_ops.stack([rows, columns]),
        )


def sparse_expand_dims(
    sp_input: Any, axis: Any = None, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """`sp_input` with a dimension of 1 in front of `axis`; negative ones count from the end, None is -1.

    Raises:
        TypeError: where `sp_input` is not sparse.
        ValueError: where `axis` is known to be out of [-rank - 1, rank].
    """
    sp_input = sparse_tensor.convert_to_tensor_or_sparse_tensor(sp_input)
    if not isinstance(sp_input, sparse_tensor.SparseTensor):
        raise TypeError(f"sparse_expand_dims: not a SparseTensor: {sp_input!r}")
    with ops.name_scope(name, "sparse_expand_dims", [sp_input.values]):
        rank = sp_input.dense_shape.get_shape().dims[0].value
        axis = -1 if axis is None else axis
        if rank is not None and isinstance(axis, int):
            if not -rank - 1 <= axis <= rank:
                raise ValueError(
                    f"sparse_expand_dims: axis must be in [{-rank - 1}, {rank}], got {axis}"
                )
            place = axis + rank + 1 if axis < 0 else axis
        else:
            known = array_ops.size(sp_input.dense_shape)
            axis = math_ops.cast(axis, dtypes.int32)
            place = array_ops.where(axis < 0, axis + known + 1, axis)
        indices, shape = sp_input.indices, sp_input.dense_shape
        column = array_ops.zeros([array_ops.shape(indices)[0], 1], dtypes.int64)
        one = array_ops.ones([1], dtypes.int64)
        return sparse_tensor.SparseTensor(
            array_ops.concat([indices[:, :place], column, indices[:, place:]], 1),
            sp_input.values,
            array_ops.concat([shape[:place], one, shape[place:]], 0),
        )
