# SPDX-License-Identifier: Apache-2.0
"""Bidiagonal forms of matrices by the method of Golub, Kahan and Lanczos (1965)."""

from __future__ import annotations

import collections

import numpy as np

from tensorwright.contrib.solvers.python.ops import util
from tensorwright.python.framework import constant_op, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    random_ops,
)

LanczosBidiagonalizationState = collections.namedtuple(
    "LanczosBidiagonalizationState", ["u", "v", "alpha", "beta"]
)


def _without(basis: ops.Tensor, column: ops.Tensor) -> ops.Tensor:
    """A column less its share in the columns of a basis, taken away twice for digits."""
    for _ in range(2):
        share = math_ops.matmul(basis, column, adjoint_a=True)
        column = column - math_ops.matmul(basis, share)
    return column


def lanczos_bidiag(
    operator: util.OperatorWithAdjoint,
    k: int,
    orthogonalize: bool = True,
    starting_vector: TensorLike | None = None,
    name: str | None = "lanczos_bidiag",
) -> LanczosBidiagonalizationState:
    """Returns U [m, j + 1], V [n, j] and a lower bidiagonal B with A V = U B; U and V have orthogonal columns of length
    1.

    Args:
        operator: A [m, n]: an object with `shape`, `dtype`, `apply(v)` and `apply_adjoint(v)`.
        k: how many steps at most; j is less where an invariant space is found before.
        orthogonalize: whether columns are kept orthogonal in spite of rounding.
        starting_vector: the direction of the first column of U [m]; None: a random one.
        name: the name of the ops.

    Returns:
        u, v, and the diagonal `alpha` [j] and the one below, `beta` [j], of B.
    """
    with ops.name_scope(name):
        if starting_vector is None:
            starting_vector = random_ops.random_uniform(
                operator.shape[:1], -1, 1, dtype=operator.dtype
            )
        start = ops.convert_to_tensor(starting_vector, dtype=operator.dtype)
        u, _ = util.l2normalize(array_ops.expand_dims(start, -1))
        height = u.get_shape()[0]
        v = operator.apply_adjoint(u)
        width = v.get_shape()[0]
        empty = v[:, :0]
        none = array_ops.zeros([0], operator.dtype)
        epsilon = 100 * float(np.finfo(operator.dtype.as_numpy_dtype).eps)

        def unfinished(i, going, *unused):
            return math_ops.logical_and(i < k, going)

        def step(i, going, u, v, alpha, beta):
            del going
            column = operator.apply_adjoint(u[:, -1:])

            def less_last():
                return column - beta[-1] * v[:, -1:]

            column = control_flow_ops.cond(i > 0, less_last, lambda: column)
            if orthogonalize:
                column = _without(v, column)
            scale = util.l2norm(column)
            row = operator.apply(column / _safe(scale)) - scale * u[:, -1:]
            if orthogonalize:
                row = _without(u, row)
            below = util.l2norm(row)
            largest = math_ops.maximum(
                math_ops.reduce_max(
                    math_ops.abs(array_ops.concat([alpha, beta, [scale]], 0))
                ),
                math_ops.abs(below),
            )
            found = math_ops.abs(scale) > epsilon * largest
            more = math_ops.abs(below) > epsilon * largest

            def longer():
                return [
                    array_ops.concat([u, row / _safe(below)], 1),
                    array_ops.concat([v, column / _safe(scale)], 1),
                    array_ops.concat([alpha, [scale]], 0),
                    array_ops.concat([beta, [below]], 0),
                ]

            grown = control_flow_ops.cond(
                found, longer, lambda: [array_ops.identity(t) for t in (u, v, alpha, beta)]
            )  # fmt: skip
            return [i + 1, math_ops.logical_and(found, more), *grown]

        shape = tensor_shape.TensorShape
        found = control_flow_ops.while_loop(
            unfinished,
            step,
            [constant_op.constant(0), constant_op.constant(True), u, empty, none, none],
            shape_invariants=[
                shape([]),
                shape([]),
                shape([height, None]),
                shape([width, None]),
                shape([None]),
                shape([None]),
            ],
        )
        return LanczosBidiagonalizationState(*found[2:])


def _safe(scale: ops.Tensor) -> ops.Tensor:
    """1 in the place of 0, by which nothing that is kept is divided."""
    return array_ops.where(math_ops.equal(scale, 0), array_ops.ones_like(scale), scale)


def bidiag_matmul(
    matrix: TensorLike,
    alpha: TensorLike,
    beta: TensorLike,
    adjoint_b: bool = False,
    name: str | None = "bidiag_matmul",
) -> ops.Tensor:
    """matrix [m, k + 1] @ B [k + 1, k], or matrix [m, k] @ B^H, of the bidiagonal B of `lanczos_bidiag`."""
    with ops.name_scope(name):
        alpha = array_ops.expand_dims(alpha, 0)
        beta = array_ops.expand_dims(beta, 0)
        matrix = ops.convert_to_tensor(matrix)
        if not adjoint_b:
            return alpha * matrix[:, :-1] + beta * matrix[:, 1:]
        zero = array_ops.zeros_like(matrix[:, :1])
        return array_ops.concat([alpha * matrix, zero], 1) + array_ops.concat(
            [zero, beta * matrix], 1
        )
