# SPDX-License-Identifier: Apache-2.0
"""A sampled softmax whose classes are those of a larger sample that the batch finds likely."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    candidate_sampling_ops,
    embedding_ops,
    math_ops,
    nn_impl,
    nn_ops,
)


def _best(
    weights: Any,
    biases: Any,
    inputs: Any,
    sampled_values: Any,
    count: int,
    temperature: Any,
    partition_strategy: str,
) -> tuple:
    """The `count` classes of a sample with the greatest log sum over the batch of exp(logit / temperature)."""
    sampled, true_expected, sampled_expected = sampled_values
    sampled = math_ops.cast(sampled, dtypes.int64)
    rows, offsets = (
        embedding_ops.embedding_lookup(x, sampled, partition_strategy)
        for x in (weights, biases)
    )
    logits = math_ops.matmul(rows, inputs, transpose_b=True)
    logits += array_ops.expand_dims(array_ops.reshape(offsets, [-1]), 1)
    rank = math_ops.reduce_logsumexp(logits / temperature, 1)
    _, best = nn_ops.top_k(rank, k=count, sorted=False)
    return (
        array_ops.gather(sampled, best),
        true_expected,
        array_ops.gather(sampled_expected, best),
    )


def rank_sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: tuple | None,
    resampling_temperature: TensorLike,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> ops.Tensor:
    """`tf.nn.sampled_softmax_loss` over those `num_resampled` of `num_sampled` classes that the batch finds likeliest.

    Args:
        weights: [num_classes, n], or a list of its parts.
        biases: [num_classes].
        labels: [batch, num_true] int64.
        inputs: [batch, n].
        num_sampled: how many classes are drawn, where `sampled_values` is None.
        num_resampled: how many of them the loss sees.
        num_classes, num_true, remove_accidental_hits, partition_strategy: as in `tf.nn.sampled_softmax_loss`.
        sampled_values: the result of a `*_candidate_sampler`; log-uniform if None.
        resampling_temperature: the divisor of logits when classes are ranked.
        name: the name of the name scope.

    Returns:
        [batch] losses.

    Raises:
        ValueError: where there are fewer classes than samples, or fewer samples than are to be kept.
    """
    if num_sampled > num_classes:
        raise ValueError("num_sampled cannot be greater than num_classes")
    if num_resampled > num_sampled:
        raise ValueError("num_resampled cannot be greater than num_sampled")
    with ops.name_scope(name, "rank_sampled_softmax_loss", [labels, inputs]) as scope:
        if sampled_values is None:
            sampled_values = candidate_sampling_ops.log_uniform_candidate_sampler(
                true_classes=labels,
                num_true=num_true,
                num_sampled=num_sampled,
                unique=True,
                range_max=num_classes,
            )
        best = _best(
            weights,
            biases,
            inputs,
            sampled_values,
            num_resampled,
            resampling_temperature,
            partition_strategy,
        )
        return nn_impl.sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=best,
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=scope,
        )
