# SPDX-License-Identifier: Apache-2.0
"""Weights of values: a scalar, or of the values' rank with sizes equal to theirs or 1."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

_RULE = (
    "weights can not be broadcast to values: they must be a scalar, or of the same "
    "rank, each size 1 or that of values"
)


def assert_broadcastable(weights: TensorLike, values: TensorLike) -> ops.Operation:
    """An operation that fails where `weights` cannot be weights of `values`.

    Raises:
        ValueError: where the static shapes say so already.
    """
    with ops.name_scope(None, "assert_broadcastable", (weights, values)) as scope:
        weights = ops.convert_to_tensor(weights, name="weights")
        values = ops.convert_to_tensor(values, name="values")
        w, v = weights.get_shape(), values.get_shape()
        if w.ndims == 0:
            return control_flow_ops.no_op(name=scope)
        if w.dims is not None and v.dims is not None:
            if w.ndims != v.ndims or not all(
                a.value == 1 or a.is_compatible_with(b)
                for a, b in zip(w.dims, v.dims, strict=True)
            ):
                raise ValueError(f"{_RULE}; got weights {w}, values {v}")
            if all(
                a.value is not None and (a.value == 1 or b.value is not None)
                for a, b in zip(w.dims, v.dims, strict=True)
            ):
                return control_flow_ops.no_op(name=scope)
        shapes = array_ops.shape(weights), array_ops.shape(values)
        return control_flow_ops.Assert(
            _fits(*shapes),
            [_RULE, "weights.shape=", shapes[0], "values.shape=", shapes[1]],
            name=scope,
        )


def _fits(weights_shape: ops.Tensor, values_shape: ops.Tensor) -> ops.Tensor:
    """Returns the condition of assert_broadcastable, bool [], for shapes int32 [rank]."""

    def sizes_fit() -> ops.Tensor:
        equal = math_ops.equal(weights_shape, values_shape)
        return math_ops.reduce_all(
            math_ops.logical_or(equal, math_ops.equal(weights_shape, 1))
        )

    rank = array_ops.size(weights_shape)
    same_rank = math_ops.equal(rank, array_ops.size(values_shape))
    return math_ops.logical_or(
        math_ops.equal(rank, 0),
        control_flow_ops.cond(
            same_rank, sizes_fit, lambda: ops.convert_to_tensor(False)
        ),
    )


def broadcast_weights(weights: TensorLike, values: TensorLike) -> ops.Tensor:
    """`weights` in the shape of `values`; see `assert_broadcastable` for the rule."""
    with ops.name_scope(None, "broadcast_weights", (weights, values)) as scope:
        values = ops.convert_to_tensor(values, name="values")
        weights = ops.convert_to_tensor(
            weights, dtype=values.dtype.base_dtype, name="weights"
        )
        w, v = weights.get_shape(), values.get_shape()
        if w.is_fully_defined() and v.is_fully_defined() and w == v:
            return weights
        with ops.control_dependencies([assert_broadcastable(weights, values)]):
            return math_ops.multiply(weights, array_ops.ones_like(values), name=scope)
