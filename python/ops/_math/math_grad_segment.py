# SPDX-License-Identifier: Apache-2.0
"""Gradients of segment reductions.

g stands for the gradient of the op's output in the formulas.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops


def _with_rank_of(values: Any, data: Any) -> Any:
    """`values`, of the first dimensions of `data`, with ones for its other dimensions."""
    missing = array_ops.rank(data) - array_ops.rank(values)
    ones = array_ops.fill(array_ops.reshape(missing, [1]), 1)
    shape = array_ops.concat([array_ops.shape(values), ones], 0)
    return array_ops.reshape(values, shape)


def _counts(op: Any, dtype: Any) -> Any:
    """Returns the number of rows in each segment of a sorted reduction; 1 for an empty one."""
    ids = op.inputs[1]
    ones = array_ops.ones(array_ops.shape(ids), dtype=dtype)
    return gen_math_ops.maximum(gen_math_ops.segment_sum(ones, ids), _one(dtype))


def _one(dtype: Any) -> Any:
    return ops.convert_to_tensor(1, dtype=dtype)


@ops.RegisterGradient("SegmentSum")
def _segment_sum_grad(op: ops.Operation, grad: Any) -> Any:
    """The segment's g for each of its rows."""
    return array_ops.gather(grad, op.inputs[1]), None


@ops.RegisterGradient("SegmentMean")
def _segment_mean_grad(op: ops.Operation, grad: Any) -> Any:
    """The segment's g / n for each of its n rows."""
    dtype = grad.dtype.real_dtype if grad.dtype.is_complex else grad.dtype
    counts = math_ops.cast(_counts(op, dtype), grad.dtype)
    return array_ops.gather(grad / _with_rank_of(counts, grad), op.inputs[1]), None


@ops.RegisterGradient("SegmentProd")
def _segment_prod_grad(op: ops.Operation, grad: Any) -> Any:
    """g times the product of the segment's other rows.

    That is the product over x where x is not zero; where it is, the product of the nonzero rows if
    no other is zero, else zero.
    """
    x, ids = op.inputs
    others = _product_of_others(
        x,
        lambda rows: array_ops.gather(gen_math_ops.segment_prod(rows, ids), ids),
        lambda rows: array_ops.gather(gen_math_ops.segment_sum(rows, ids), ids),
    )
    return array_ops.gather(grad, ids) * others, None


def _product_of_others(x: Any, product: Any, total: Any) -> Any:
    """(The conjugate of) the product of the segment's other rows.

    product, total: functions that give each row its segment's product and sum.
    """
    is_zero = math_ops.equal(x, array_ops.zeros_like(x))
    zeros = math_ops.cast(is_zero, x.dtype)
    nonzero = array_ops.where(is_zero, array_ops.ones_like(x), x)
    others = product(nonzero) / nonzero
    alone = math_ops.equal(total(zeros), zeros)  # no zero but, perhaps, x itself
    others = array_ops.where(alone, others, array_ops.zeros_like(others))
    return math_ops.conj(others) if others.dtype.is_complex else others


@ops.RegisterGradient("SegmentMin")
@ops.RegisterGradient("SegmentMax")
def _segment_extremum_grad(op: ops.Operation, grad: Any) -> Any:
    """g shared equally among the elements that equal the result."""
    x, ids = op.inputs
    hit = math_ops.equal(x, array_ops.gather(op.outputs[0], ids))
    count = gen_math_ops.segment_sum(math_ops.cast(hit, grad.dtype), ids)
    share = array_ops.gather(grad / count, ids)
    return array_ops.where(hit, share, array_ops.zeros_like(share)), None


def _gather_unsorted(values: Any, ids: Any) -> tuple[Any, Any]:
    """(The segment's value for each row, whether the row belongs to a segment)."""
    if ids.dtype == dtypes.int16:  # Gather takes none.
        ids = math_ops.cast(ids, dtypes.int32)
    rows = array_ops.gather(values, math_ops.maximum(ids, array_ops.zeros_like(ids)))
    valid = math_ops.greater_equal(ids, array_ops.zeros_like(ids))
    return rows, _with_rank_of(valid, rows)


@ops.RegisterGradient("UnsortedSegmentSum")
def _unsorted_segment_sum_grad(op: ops.Operation, grad: Any) -> Any:
    """The segment's g for each of its rows; 0 where the id is negative."""
    rows, valid = _gather_unsorted(grad, op.inputs[1])
    return rows * math_ops.cast(valid, grad.dtype), None, None


@ops.RegisterGradient("UnsortedSegmentProd")
def _unsorted_segment_prod_grad(op: ops.Operation, grad: Any) -> Any:
    """g times the product of the segment's other rows, as SegmentProd's; 0 where the id is negative."""
    x, ids, n = op.inputs

    def of_segment(reduction: Any) -> Any:
        return lambda rows: _gather_unsorted(reduction(rows, ids, n), ids)[0]

    others = _product_of_others(
        x,
        of_segment(gen_math_ops.unsorted_segment_prod),
        of_segment(gen_math_ops.unsorted_segment_sum),
    )
    rows, valid = _gather_unsorted(grad, ids)
    return rows * others * math_ops.cast(valid, grad.dtype), None, None


@ops.RegisterGradient("UnsortedSegmentMax")
@ops.RegisterGradient("UnsortedSegmentMin")
def _unsorted_segment_extremum_grad(op: ops.Operation, grad: Any) -> Any:
    """g shared equally among the elements that equal the result."""
    x, ids, num_segments = op.inputs
    best, valid = _gather_unsorted(op.outputs[0], ids)
    hit = math_ops.equal(x, best)
    hit = math_ops.cast(hit, grad.dtype) * math_ops.cast(valid, grad.dtype)
    count = gen_math_ops.unsorted_segment_sum(hit, ids, num_segments)
    share, _ = _gather_unsorted(
        grad / gen_math_ops.maximum(count, _one(grad.dtype)), ids
    )
    return share * hit, None, None


def _sparse_grad(op: Any, grad: Any, dense: Any, divide: Any) -> Any:
    """The gradient of data: IndexedSlices if attr sparse_gradient says so, else `dense`'s."""
    data, indices, ids = op.inputs[:3]
    others = [None] * (len(op.inputs) - 1)
    if not op.get_attr("sparse_gradient"):
        return [dense(grad, indices, ids, array_ops.shape(data)[0]), *others]
    ones = array_ops.ones(array_ops.shape(ids), dtype=grad.dtype)
    count = gen_math_ops.unsorted_segment_sum(ones, ids, array_ops.shape(grad)[0])
    if divide is not None:
        safe = gen_math_ops.maximum(count, _one(grad.dtype))
        grad = grad / _with_rank_of(divide(safe), grad)
    values = array_ops.gather(grad, ids)
    return [ops.IndexedSlices(values, indices, array_ops.shape(data)), *others]


@ops.RegisterGradient("SparseSegmentSum")
@ops.RegisterGradient("SparseSegmentSumWithNumSegments")
def _sparse_segment_sum_grad(op: ops.Operation, grad: Any) -> Any:
    """Row indices[i] of data gets row segment_ids[i] of g."""

    def dense(g: Any, indices: Any, ids: Any, rows: Any) -> Any:
        values = array_ops.gather(g, ids)
        return gen_math_ops.unsorted_segment_sum(values, indices, rows)

    return _sparse_grad(op, grad, dense, None)


@ops.RegisterGradient("SparseSegmentMean")
@ops.RegisterGradient("SparseSegmentMeanWithNumSegments")
def _sparse_segment_mean_grad(op: ops.Operation, grad: Any) -> Any:
    """As for the sum, over the segment's size."""
    dense = gen_math_ops.sparse_segment_mean_grad
    return _sparse_grad(op, grad, dense, lambda count: count)


@ops.RegisterGradient("SparseSegmentSqrtN")
@ops.RegisterGradient("SparseSegmentSqrtNWithNumSegments")
def _sparse_segment_sqrt_n_grad(op: ops.Operation, grad: Any) -> Any:
    """As for the sum, over the square root of the segment's size."""
    dense = gen_math_ops.sparse_segment_sqrt_n_grad
    return _sparse_grad(op, grad, dense, gen_math_ops.sqrt)


def _of_scattered(op: Any, reduced: Any) -> Any:
    """`reduced` with rows of zeros for the last rows of the op's input, which it ignored."""
    rows = array_ops.shape(op.inputs[0])[0]
    missing = rows - array_ops.shape(reduced)[0]
    rank = array_ops.rank(reduced)
    after = array_ops.one_hot(
        0, rank, on_value=missing, off_value=0, dtype=dtypes.int32
    )
    paddings = array_ops.stack([array_ops.zeros_like(after), after], axis=1)
    return array_ops.pad(reduced, paddings), None, None, None


@ops.RegisterGradient("SparseSegmentSumGrad")
def _sparse_segment_sum_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """Segment s of the op's input gets the sum of g's rows that it was added to."""
    _, indices, ids, _ = op.inputs
    return _of_scattered(op, gen_math_ops.sparse_segment_sum(grad, indices, ids))


@ops.RegisterGradient("SparseSegmentMeanGrad")
def _sparse_segment_mean_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """Segment s of the op's input gets the mean of g's rows that it was added to."""
    _, indices, ids, _ = op.inputs
    return _of_scattered(op, gen_math_ops.sparse_segment_mean(grad, indices, ids))


@ops.RegisterGradient("SparseSegmentSqrtNGrad")
def _sparse_segment_sqrt_n_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """As for the mean, over the square root of the segment's size."""
    _, indices, ids, _ = op.inputs
    return _of_scattered(op, gen_math_ops.sparse_segment_sqrt_n(grad, indices, ids))
