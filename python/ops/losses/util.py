# SPDX-License-Identifier: Apache-2.0
"""The collections of losses, and their sum."""

from __future__ import annotations

from collections.abc import Callable

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.ops import math_ops


def add_loss(
    loss: ops.Tensor, loss_collection: str | None = ops.GraphKeys.LOSSES
) -> None:
    """Adds `loss` to a collection of the default graph; None: to none."""
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: str = ops.GraphKeys.LOSSES
) -> list[ops.Tensor]:
    """Returns the losses of a collection; with `scope`, only those whose names match it."""
    return ops.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[ops.Tensor]:
    """Returns the regularization losses; with `scope`, only those whose names match it."""
    return ops.get_collection(ops.GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> ops.Tensor:
    """Returns the sum of the regularization losses; 0.0 if there are none."""
    losses = get_regularization_losses(scope)
    if not losses:
        return constant_op.constant(0.0)
    return math_ops.add_n(losses, name=name)


def get_total_loss(
    add_regularization_losses: bool = True,
    name: str = "total_loss",
    scope: str | None = None,
) -> ops.Tensor:
    """Returns the sum of all losses, with the regularization losses unless told otherwise.

    Raises:
        ValueError: there are no losses.
    """
    kinds: list[Callable[..., list[ops.Tensor]]] = [get_losses]
    if add_regularization_losses:
        kinds.append(get_regularization_losses)
    return math_ops.add_n([x for kind in kinds for x in kind(scope=scope)], name=name)
