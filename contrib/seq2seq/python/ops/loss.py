# SPDX-License-Identifier: Apache-2.0
"""The loss of sequences of logits."""

from __future__ import annotations

from collections.abc import Callable

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops


def sequence_loss(
    logits: TensorLike,
    targets: TensorLike,
    weights: TensorLike,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The weighted cross entropy of sequences.

    Args:
        logits: [batch, time, classes] floats.
        targets: [batch, time] integers, the right classes.
        weights: [batch, time] floats; 0 for steps that do not count.
        average_across_timesteps: whether to divide by the sum of weights over time; else losses of steps are kept.
        average_across_batch: likewise over the batch.
        softmax_loss_function: f(labels, logits) in place of sparse softmax cross entropy.
        name: the name of the name scope.

    Returns:
        A scalar, or [time], [batch] or [batch, time], whichever is not averaged over.

    Raises:
        ValueError: where a rank is wrong.
    """
    logits = ops.convert_to_tensor(logits)
    targets, weights = ops.convert_to_tensor(targets), ops.convert_to_tensor(weights)
    for what, value, rank in (
        ("Logits", logits, 3),
        ("Targets", targets, 2),
        ("Weights", weights, 2),
    ):
        if value.get_shape().ndims != rank:
            raise ValueError(
                f"{what} must be a {rank}-D tensor, got shape {value.get_shape()}"
            )
    with ops.name_scope(name, "sequence_loss", [logits, targets, weights]):
        shape = array_ops.shape(logits)
        flat = array_ops.reshape(logits, [-1, shape[2]])
        flat.set_shape([None, logits.get_shape()[2]])
        labels = array_ops.reshape(targets, [-1])
        if softmax_loss_function is None:
            losses = nn_ops.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=flat
            )
        else:
            losses = softmax_loss_function(labels, flat)
        losses = losses * array_ops.reshape(weights, [-1])
        if not (average_across_timesteps and average_across_batch):
            losses = array_ops.reshape(losses, shape[:2])
            losses.set_shape(logits.get_shape()[:2])
        axes = None
        if average_across_timesteps != average_across_batch:
            axes = [1] if average_across_timesteps else [0]
        if not (average_across_timesteps or average_across_batch):
            return losses
        # Not 0 / 0 where nothing counts.
        total = math_ops.reduce_sum(weights, axes) + 1e-12
        return math_ops.reduce_sum(losses, axes) / total
