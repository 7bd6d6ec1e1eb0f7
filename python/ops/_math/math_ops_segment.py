# SPDX-License-Identifier: Apache-2.0
"""Reductions of the rows that share a segment id."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops
from tensorwright.python.ops.gen_math_ops import (
    unsorted_segment_min as unsorted_segment_min,
)


def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
    sparse_gradient: bool = False,
) -> ops.Tensor:
    """Sums of the rows data[indices[i]] with equal, ascending segment_ids[i].

    data [n, ...], indices [k], segment_ids [k] -> [last id + 1, ...], or [num_segments, ...]; a
    segment without rows is 0.  With `sparse_gradient` the gradient of `data` is IndexedSlices.
    """
    if num_segments is not None:
        return gen_math_ops.sparse_segment_sum_with_num_segments(
            data,
            indices,
            segment_ids,
            num_segments,
            sparse_gradient=sparse_gradient,
            name=name,
        )
    return gen_math_ops.sparse_segment_sum(
        data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name
    )


def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
    sparse_gradient: bool = False,
) -> ops.Tensor:
    """Means of the rows data[indices[i]] with equal segment_ids[i]; see `sparse_segment_sum`."""
    if num_segments is not None:
        return gen_math_ops.sparse_segment_mean_with_num_segments(
            data,
            indices,
            segment_ids,
            num_segments,
            sparse_gradient=sparse_gradient,
            name=name,
        )
    return gen_math_ops.sparse_segment_mean(
        data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name
    )


def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: str | None = None,
    num_segments: TensorLike | None = None,
    sparse_gradient: bool = False,
) -> ops.Tensor:
    """Sums over the square root of their number of rows; see `sparse_segment_sum`."""
    if num_segments is not None:
        return gen_math_ops.sparse_segment_sqrt_n_with_num_segments(
            data,
            indices,
            segment_ids,
            num_segments,
            sparse_gradient=sparse_gradient,
            name=name,
        )
    return gen_math_ops.sparse_segment_sqrt_n(
        data, indices, segment_ids, sparse_gradient=sparse_gradient, name=name
    )


def _sums_and_counts(
    data: Any, segment_ids: Any, num_segments: Any
) -> tuple[ops.Tensor, ops.Tensor]:
    """(Sums of slices, how many of them but at least 1 in a shape to divide by)."""
    data = ops.convert_to_tensor(data, name="data")
    segment_ids = ops.convert_to_tensor(segment_ids, name="segment_ids")
    sums = gen_math_ops.unsorted_segment_sum(data, segment_ids, num_segments)
    ones = array_ops.ones(array_ops.shape(segment_ids), dtype=data.dtype.base_dtype)
    counts = gen_math_ops.unsorted_segment_sum(ones, segment_ids, num_segments)
    counts = gen_math_ops.maximum(
        counts, constant_op.constant(1, dtype=data.dtype.base_dtype)
    )
    inner = array_ops.rank(sums) - 1
    shape = array_ops.concat(
        [array_ops.shape(counts), array_ops.fill(array_ops.reshape(inner, [1]), 1)], 0
    )
    return sums, array_ops.reshape(counts, shape)


def unsorted_segment_mean(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """Means of the slices of real `data` with equal ids, in any order; 0 for no slice."""
    with ops.name_scope(name, "UnsortedSegmentMean", [data, segment_ids]):
        sums, counts = _sums_and_counts(data, segment_ids, num_segments)
        return sums / counts


def unsorted_segment_sqrt_n(
    data: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """Sums of the slices of real `data` with equal ids over the root of their number."""
    with ops.name_scope(name, "UnsortedSegmentSqrtN", [data, segment_ids]):
        sums, counts = _sums_and_counts(data, segment_ids, num_segments)
        return sums / gen_math_ops.sqrt(counts)
