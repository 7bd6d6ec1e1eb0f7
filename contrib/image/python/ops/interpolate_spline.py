# SPDX-License-Identifier: Apache-2.0
"""Polyharmonic splines: smooth functions through given values at scattered points."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, linalg_ops, math_ops

__all__ = ["interpolate_spline"]

_EPSILON = 1e-10


def _squared_distances(a: ops.Tensor, b: ops.Tensor) -> ops.Tensor:
    """[n, i, j] of [n, i, d] and [n, j, d]."""
    difference = a[:, :, None, :] - b[:, None, :, :]
    return math_ops.reduce_sum(math_ops.square(difference), 3)


def _phi(squares: ops.Tensor, order: int) -> ops.Tensor:
    """r^order, times log r for an even order, of squared distances; the gradient at 0 is finite."""
    squares = math_ops.maximum(squares, _EPSILON)
    if order % 2:
        return math_ops.pow(squares, 0.5 * order)
    return 0.5 * math_ops.pow(squares, 0.5 * order) * math_ops.log(squares)


def _with_one(points: ops.Tensor) -> ops.Tensor:
    return array_ops.concat([points, array_ops.ones_like(points[..., :1])], 2)


def interpolate_spline(
    train_points: TensorLike,
    train_values: TensorLike,
    query_points: TensorLike,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> ops.Tensor:
    """The values of splines at points: sums of r^order (even orders: times log r) of distances, and linear functions.

    Args:
        train_points: floats [n, m, d], where the values are given; m is at least d + 1.
        train_values: [n, m, k].
        query_points: [n, q, d].
        order: 1 for lines, 2 for thin plates, 3 for cubic splines, ...
        regularization_weight: makes the splines smoother, and further from the values.
        name: the name of the operations.

    Returns:
        [n, q, k].

    Raises:
        ValueError: an order below 1.
    """
    if order < 1:
        raise ValueError(f"interpolate_spline: order must be at least 1, got {order}")
    with ops.name_scope(name):
        points = ops.convert_to_tensor(train_points)
        values = ops.convert_to_tensor(train_values, points.dtype)
        asked = ops.convert_to_tensor(query_points, points.dtype)
        shape = array_ops.shape(points)
        near = _phi(_squared_distances(points, points), order)
        if regularization_weight > 0:
            own = array_ops.diag(array_ops.ones([shape[1]], points.dtype))
            near += regularization_weight * own
        linear = _with_one(points)
        size = array_ops.stack([shape[0], shape[2] + 1, shape[2] + 1])
        corner = array_ops.zeros(size, points.dtype)
        left = array_ops.concat(
            [
                array_ops.concat([near, linear], 2),
                array_ops.concat([array_ops.matrix_transpose(linear), corner], 2),
            ],
            1,
        )
        rest = array_ops.zeros(
            array_ops.stack([shape[0], shape[2] + 1, array_ops.shape(values)[2]]),
            points.dtype,
        )
        found: Any = linalg_ops.matrix_solve(left, array_ops.concat([values, rest], 1))
        count = shape[1]
        bent = math_ops.matmul(
            _phi(_squared_distances(asked, points), order), found[:, :count]
        )
        return bent + math_ops.matmul(_with_one(asked), found[:, count:])
