# SPDX-License-Identifier: Apache-2.0
"""Least squares by conjugate gradients on the normal equations (Bjorck 1996)."""

from __future__ import annotations

import collections

from tensorwright.contrib.solvers.python.ops import util
from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

CGLSState = collections.namedtuple("CGLSState", ["i", "x", "r", "p", "gamma"])


def cgls(
    operator: util.OperatorWithAdjoint,
    rhs: TensorLike,
    tol: float = 1e-6,
    max_iter: int = 20,
    name: str | None = "cgls",
) -> CGLSState:
    """Returns the x [n] of least |A x - b|, A an operator [m, n].

    Args:
        operator: an object with `shape`, `dtype`, and `apply(v)` and `apply_adjoint(v)`, products with columns.
        rhs: b [m].
        tol: stops where |A^H (b - A x)| <= tol |A^H b|.
        max_iter: how many steps at most.
        name: the name of the ops.

    Returns:
        The number of steps `i`, the solution `x`, the rest `r` = b - A x, the direction `p`, and `gamma` = |A^H r|^2.
    """
    with ops.name_scope(name):
        rhs = array_ops.expand_dims(ops.convert_to_tensor(rhs), -1)
        slope = operator.apply_adjoint(rhs)
        gamma = util.l2norm_squared(slope)
        bound = tol * tol * math_ops.real(gamma)
        start = [
            constant_op.constant(0),
            array_ops.zeros_like(slope),
            rhs,
            slope,
            gamma,
        ]

        def unfinished(i, x, r, p, gamma):
            del x, r, p
            return math_ops.logical_and(i < max_iter, math_ops.real(gamma) > bound)

        def step(i, x, r, p, gamma):
            q = operator.apply(p)
            alpha = gamma / util.l2norm_squared(q)
            x = x + alpha * p
            r = r - alpha * q
            s = operator.apply_adjoint(r)
            following = util.l2norm_squared(s)
            return i + 1, x, r, s + following / gamma * p, following

        i, x, r, p, gamma = control_flow_ops.while_loop(unfinished, step, start)
        return CGLSState(
            i=i,
            x=array_ops.squeeze(x, [1]),
            r=array_ops.squeeze(r, [1]),
            p=array_ops.squeeze(p, [1]),
            gamma=gamma,
        )
