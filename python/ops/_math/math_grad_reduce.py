# SPDX-License-Identifier: Apache-2.0
"""Gradients of reductions and scans."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops


def _broadcast(op: Any, value: Any) -> Any:
    """`value`, of the reduction's shape, repeated to the shape of its input."""
    x = op.inputs[0]
    shape = array_ops.shape(x)
    kept = _kept_shape(op, shape)
    repeats = math_ops.floordiv(shape, math_ops.maximum(kept, 1))
    return array_ops.tile(array_ops.reshape(value, kept), repeats)


def _kept_shape(op: Any, shape: Any) -> Any:
    """The output's shape had keep_dims been set."""
    x, axes = op.inputs[0], tensor_util.constant_value(op.inputs[1])
    static = x.get_shape()
    if axes is not None and static.is_fully_defined():
        dims = static.as_list()
        for axis in axes.reshape(-1):
            dims[int(axis)] = 1
        return ops.convert_to_tensor(dims, dtype=dtypes.int32)
    return math_ops.reduced_shape(shape, op.inputs[1])


@ops.RegisterGradient("Sum")
def _sum_grad(op: ops.Operation, grad: Any) -> Any:
    """g for every summand."""
    return [_broadcast(op, grad), None]


@ops.RegisterGradient("Mean")
def _mean_grad(op: ops.Operation, grad: Any) -> Any:
    """g / n for every one of n summands."""
    total = _size(op.inputs[0])
    results = _size(op.outputs[0])
    count = math_ops.cast(total // math_ops.maximum(results, 1), grad.dtype)
    return [_broadcast(op, grad) / count, None]


def _size(t: Any) -> Any:
    static = t.get_shape().num_elements()
    if static is not None:
        return ops.convert_to_tensor(static, dtype=dtypes.int32)
    return array_ops.size(t)


@ops.RegisterGradient("Max")
@ops.RegisterGradient("Min")
def _min_or_max_grad(op: ops.Operation, grad: Any) -> Any:
    """g shared equally among the elements that equal the result."""
    x = op.inputs[0]
    hit = math_ops.cast(math_ops.equal(_broadcast(op, op.outputs[0]), x), grad.dtype)
    kept = _kept_shape(op, array_ops.shape(x))
    count = array_ops.reshape(math_ops.reduce_sum(hit, op.inputs[1]), kept)
    return [hit / count * array_ops.reshape(grad, kept), None]


@ops.RegisterGradient("Prod")
def _prod_grad(op: ops.Operation, grad: Any) -> Any:
    """g times the product of the other elements: of those before it and those behind it.

    The quotient prod / x would be quicker, but lacks a value where a product is beyond the range of
    floats, or zero.
    """
    x, axes = op.inputs
    shape, rank = array_ops.shape(x), array_ops.rank(x)
    axes = math_ops.cast(array_ops.reshape(axes, [-1]), dtypes.int32)
    axes = math_ops.floormod(axes + rank, rank)
    kept, _ = array_ops.setdiff1d(math_ops.range(rank), axes)
    # [reduced, kept], in that order.
    order = array_ops.concat([axes, kept], 0)
    ordered_shape = array_ops.gather(shape, order)
    sizes = [
        math_ops.reduce_prod(array_ops.gather(shape, dims)) for dims in (axes, kept)
    ]
    flat = array_ops.reshape(array_ops.transpose(x, order), array_ops.stack(sizes))
    before = math_ops.cumprod(flat, exclusive=True)
    behind = math_ops.cumprod(flat, exclusive=True, reverse=True)
    others = array_ops.reshape(before * behind, ordered_shape)
    others = array_ops.transpose(others, array_ops.invert_permutation(order))
    others = array_ops.reshape(others, shape)  # Says the static shape.
    if others.dtype.is_complex:
        others = math_ops.conj(others)
    return [_broadcast(op, grad) * others, None]


@ops.RegisterGradient("EuclideanNorm")
def _euclidean_norm_grad(op: ops.Operation, grad: Any) -> Any:
    """x / (y / g): NaN where the norm is 0."""
    return [op.inputs[0] / _broadcast(op, op.outputs[0] / grad), None]


@ops.RegisterGradient("CumulativeLogsumexp")
def _cumulative_logsumexp_grad(op: ops.Operation, grad: Any) -> Any:
    """The sum of g[j] exp(x - y[j]) the other way round, of positive g apart from negative; 0 for infinite x."""
    x, axis = op.inputs
    y = op.outputs[0]
    zeros = array_ops.zeros_like(grad)
    parts = []
    for g in (grad, -grad):
        positive = math_ops.greater(g, zeros)
        log = math_ops.log(array_ops.where(positive, g, array_ops.ones_like(g)))
        logs = array_ops.where(positive, log - y, math_ops.log(zeros))
        sums = gen_math_ops.cumulative_logsumexp(
            logs,
            axis,
            exclusive=op.get_attr("exclusive"),
            reverse=not op.get_attr("reverse"),
        )
        parts.append(math_ops.exp(sums + x))
    return [
        array_ops.where(math_ops.is_finite(x), parts[0] - parts[1], zeros),
        None,
    ]


@ops.RegisterGradient("Cumsum")
def _cumsum_grad(op: ops.Operation, grad: Any) -> Any:
    """The sum of g the other way round."""
    return [
        math_ops.cumsum(
            grad,
            op.inputs[1],
            exclusive=op.get_attr("exclusive"),
            reverse=not op.get_attr("reverse"),
        ),
        None,
    ]


for _name in ("All", "Any", "ArgMax", "ArgMin"):
    ops.NotDifferentiable(_name)
