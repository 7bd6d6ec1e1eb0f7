# SPDX-License-Identifier: Apache-2.0
"""Dense tensors as sparse ones, and bags of words."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops

__all__ = ["dense_to_sparse_tensor", "indicators_to_sparse_ids"]


def dense_to_sparse_tensor(
    dense_tensor: TensorLike, ignore_value: TensorLike | None = None
) -> sparse_tensor.SparseTensor:
    """The elements that differ from `ignore_value`, by default "" or 0, as a SparseTensor of that shape.

    Raises:
        ValueError: a tensor of unknown rank.
    """
    with ops.name_scope("DenseToSparseTensor"):
        dense = ops.convert_to_tensor(dense_tensor)
        if dense.get_shape().ndims is None:
            raise ValueError(f"dense_tensor {dense.name} must have a known rank")
        if ignore_value is None:
            text = dense.dtype.base_dtype == dtypes.string
            default = "" if text else dense.dtype.as_numpy_dtype()
        else:
            default = ignore_value
        ignored = ops.convert_to_tensor(default, dtype=dense.dtype.base_dtype)
        indices = array_ops.where(math_ops.not_equal(dense, ignored))
        return sparse_tensor.SparseTensor(
            indices=indices,
            values=array_ops.gather_nd(dense, indices),
            dense_shape=array_ops.shape(dense, out_type=dtypes.int64),
        )


def indicators_to_sparse_ids(
    indicators: TensorLike,
    ignore_value: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int64,
) -> sparse_tensor.SparseTensor:
    """The places of indicators in the last dimension: [d0, ..., n] -> [d0, ..., most ids of a row].

    Args:
        indicators: elements other than `ignore_value` indicate.
        ignore_value: "" or 0 by default.
        dtype: the dtype of the ids.
    """
    with ops.name_scope(None, "indicators_to_sparse_ids", [indicators]):
        found = dense_to_sparse_tensor(indicators, ignore_value)
        ids = found.indices[:, -1]
        counts = math_ops.reduce_sum(
            math_ops.cast(_indicates(indicators, ignore_value), dtypes.int64), -1
        )
        # The place of an id in its row: its number among all, less those of rows before.
        before = array_ops.reshape(
            math_ops.cumsum(array_ops.reshape(counts, [-1]), exclusive=True),
            array_ops.shape(counts),
        )
        rows = found.indices[:, :-1]
        place = math_ops.range(array_ops.size(ids, out_type=dtypes.int64))
        place -= array_ops.gather_nd(before, rows)
        widest = math_ops.maximum(
            math_ops.reduce_max(counts), ops.convert_to_tensor(0, dtypes.int64)
        )
        return sparse_tensor.SparseTensor(
            indices=array_ops.concat([rows, array_ops.expand_dims(place, 1)], 1),
            values=math_ops.cast(ids, dtype),
            dense_shape=array_ops.concat([found.dense_shape[:-1], [widest]], 0),
        )


def _indicates(indicators: Any, ignore_value: Any) -> ops.Tensor:
    dense = ops.convert_to_tensor(indicators)
    if ignore_value is None:
        text = dense.dtype.base_dtype == dtypes.string
        ignore_value = "" if text else dense.dtype.as_numpy_dtype()
    return math_ops.not_equal(
        dense, ops.convert_to_tensor(ignore_value, dtype=dense.dtype.base_dtype)
    )
