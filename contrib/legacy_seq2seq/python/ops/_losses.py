# SPDX-License-Identifier: Apache-2.0
"""Losses over lists of steps, and models of several lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)


def sequence_loss_by_example(
    logits: Sequence[TensorLike],
    targets: Sequence[TensorLike],
    weights: Sequence[TensorLike],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the weighted cross entropy of each sequence, [batch].

    Args:
        logits: a list of [batch, classes].
        targets: a list of [batch] int32, the right classes.
        weights: a list of [batch], 0 for steps that do not count.
        average_across_timesteps: whether to divide by the sum of a sequence's weights.
        softmax_loss_function: f(labels=, logits=) in place of sparse softmax cross entropy.
        name: the name of the name scope.

    Raises:
        ValueError: where the lists differ in length.
    """
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with ops.name_scope(
        name, "sequence_loss_by_example", [*logits, *targets, *weights]
    ):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                loss = nn_ops.sparse_softmax_cross_entropy_with_logits(
                    labels=array_ops.reshape(target, [-1]), logits=logit
                )
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = math_ops.add_n(losses)
        if average_across_timesteps:
            # Not 0 / 0 where nothing counts.
            total /= math_ops.add_n(list(weights)) + 1e-12
    return total


def sequence_loss(
    logits: Sequence[TensorLike],
    targets: Sequence[TensorLike],
    weights: Sequence[TensorLike],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The sum, or mean where `average_across_batch`, of `sequence_loss_by_example`: a scalar."""
    with ops.name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        cost = math_ops.reduce_sum(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        if average_across_batch:
            cost /= math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype)
    return cost


def model_with_buckets(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    targets: Sequence[TensorLike],
    weights: Sequence[TensorLike],
    buckets: Sequence[tuple],
    seq2seq: Callable,
    softmax_loss_function: Callable | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple:
    """A model for each pair of lengths, with the same variables.

    Args:
        encoder_inputs, decoder_inputs, targets, weights: lists, for the longest bucket.
        buckets: pairs (steps of the encoder, steps of the decoder), the longest last.
        seq2seq: f(encoder inputs, decoder inputs) -> (outputs, states).
        softmax_loss_function: as in `sequence_loss`.
        per_example_loss: whether losses are [batch].
        name: the name of the name scope.

    Returns:
        (outputs, losses), an entry for each bucket.

    Raises:
        ValueError: where a list is shorter than the last bucket.
    """
    for what, given, needed in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(given) < needed:
            raise ValueError(
                f"Length of {what} ({len(given)}) must be at least that of last bucket "
                f"({needed})."
            )
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    values = [*encoder_inputs, *decoder_inputs, *targets, *weights]
    outputs: list = []
    losses: list[Any] = []
    with ops.name_scope(name, "model_with_buckets", values):
        for i, (encoder_size, decoder_size) in enumerate(buckets):
            with vs.variable_scope(
                vs.get_variable_scope(), reuse=True if i > 0 else None
            ):
                own, _ = seq2seq(
                    encoder_inputs[:encoder_size], decoder_inputs[:decoder_size]
                )
                outputs.append(own)
                losses.append(
                    loss(
                        own,
                        targets[:decoder_size],
                        weights[:decoder_size],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
