# SPDX-License-Identifier: Apache-2.0
"""Linear equations of positive definite matrices, by conjugate gradients (Hestenes and Stiefel 1952)."""

from __future__ import annotations

import collections

from tensorwright.contrib.solvers.python.ops import util
from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

CGState = collections.namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def conjugate_gradient(
    operator: util.OperatorLike,
    rhs: TensorLike,
    tol: float = 1e-4,
    max_iter: int = 20,
    name: str | None = "conjugate_gradient",
) -> CGState:
    """Solves A x = b, A self-adjoint and positive definite.

    Args:
        operator: an object with `shape`, `dtype` and `apply(v)`, the product of A with a column [n, 1].
        rhs: b [n].
        tol: stops where |b - A x| <= tol |b|.
        max_iter: how many steps at most.
        name: the name of the ops.

    Returns:
        The number of steps `i`, the solution `x` [n], the rest `r` = b - A x, the direction `p`, and `gamma` = |r|^2.
    """
    with ops.name_scope(name):
        rhs = array_ops.expand_dims(ops.convert_to_tensor(rhs), -1)
        gamma = util.l2norm_squared(rhs)
        bound = tol * tol * math_ops.real(gamma)
        state = CGState(
            i=constant_op.constant(0),
            x=array_ops.zeros_like(rhs),
            r=rhs,
            p=rhs,
            gamma=gamma,
        )

        def unfinished(i, x, r, p, gamma):
            del x, r, p
            return math_ops.logical_and(i < max_iter, math_ops.real(gamma) > bound)

        def step(i, x, r, p, gamma):
            z = operator.apply(p)
            alpha = gamma / util.dot(p, z)
            x = x + alpha * p
            r = r - alpha * z
            following = util.l2norm_squared(r)
            return i + 1, x, r, r + following / gamma * p, following

        found = CGState(*control_flow_ops.while_loop(unfinished, step, list(state)))
        return CGState(
            i=found.i,
            x=array_ops.squeeze(found.x, [1]),
            r=array_ops.squeeze(found.r, [1]),
            p=array_ops.squeeze(found.p, [1]),
            gamma=found.gamma,
        )
