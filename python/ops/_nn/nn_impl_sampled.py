# SPDX-License-Identifier: Apache-2.0
"""Losses over many classes, estimated from some that are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    candidate_sampling_ops,
    embedding_ops,
    gen_math_ops,
    math_ops,
    nn_ops,
)
from tensorwright.python.ops._nn import nn_impl_loss

if TYPE_CHECKING:
    from collections.abc import Sequence


def _compute_sampled_logits(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: int | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """(logits, labels), [batch, num_true + num_sampled] each: of the right classes, then of those drawn.

    Each logit has the logarithm of its class's expected count taken off, unless `subtract_log_q` is False.  The labels
    are 1 / num_true for right classes.  The other arguments are those of `sampled_softmax_loss`.
    """
    with ops.name_scope(
        name, "compute_sampled_logits", [weights, biases, inputs, labels]
    ):
        return _sampled_logits(
            weights,
            biases,
            labels,
            inputs,
            num_sampled,
            num_classes,
            num_true,
            sampled_values,
            subtract_log_q,
            remove_accidental_hits,
            partition_strategy,
            seed,
        )


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    subtract_log_q: bool,
    remove_accidental_hits: bool,
    partition_strategy: str,
    seed: int | None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """`_compute_sampled_logits`, in the scope at hand."""
    inputs = ops.convert_to_tensor(inputs, name="inputs")
    labels = math_ops.cast(labels, dtypes.int64)
    labels_flat = array_ops.reshape(labels, [-1])
    if sampled_values is None:
        sampled_values = candidate_sampling_ops.log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed=seed
        )
    sampled, true_count, sampled_count = map(array_ops.stop_gradient, sampled_values)
    sampled = math_ops.cast(sampled, dtypes.int64)
    dtype = inputs.dtype.base_dtype
    ids = array_ops.concat([labels_flat, sampled], 0)
    n = array_ops.shape(labels_flat)[0]

    def rows(table: Any) -> tuple[ops.Tensor, ops.Tensor]:
        found = embedding_ops.embedding_lookup(
            table, ids, partition_strategy=partition_strategy
        )
        found = math_ops.cast(found, dtype)
        return found[:n], found[n:]

    true_w, sampled_w = rows(weights)
    true_b, sampled_b = rows(biases)
    width = array_ops.shape(true_w)[1]
    products = array_ops.expand_dims(inputs, 1) * array_ops.reshape(
        true_w, array_ops.stack([-1, num_true, width])
    )
    true_logits = math_ops.reduce_sum(products, -1)
    true_logits += array_ops.reshape(true_b, [-1, num_true])
    sampled_logits = math_ops.matmul(inputs, sampled_w, transpose_b=True) + sampled_b
    if remove_accidental_hits:
        hits = candidate_sampling_ops.compute_accidental_hits(labels, sampled, num_true)
        row, place, lowest = hits
        where = array_ops.stack([math_ops.cast(row, dtypes.int64), place], 1)
        shape = array_ops.shape(sampled_logits, out_type=dtypes.int64)
        # A candidate that is right twice must be lowered only once: the sum would be infinite.
        mask = array_ops.scatter_nd(where, array_ops.ones_like(lowest), shape) > 0
        least = array_ops.ones_like(sampled_logits) * dtype.min
        sampled_logits = array_ops.where_v2(
            mask, sampled_logits + least, sampled_logits
        )
    if subtract_log_q:
        true_logits -= gen_math_ops.log(math_ops.cast(true_count, dtype))
        sampled_logits -= gen_math_ops.log(math_ops.cast(sampled_count, dtype))
    out = array_ops.concat([true_logits, sampled_logits], 1)
    truth = array_ops.concat(
        [
            array_ops.ones_like(true_logits) / num_true,
            array_ops.zeros_like(sampled_logits),
        ],
        1,
    )
    return out, array_ops.stop_gradient(truth)


def _sum_rows(x: TensorLike) -> ops.Tensor:
    """The sum of each row: [n, m] -> [n]."""
    return math_ops.reduce_sum(x, 1)


_ARGUMENTS = """

    Args:
        weights: float [num_classes, dim], or a list of tensors, or a partitioned variable.
        biases: float [num_classes].
        labels: int64 [batch, num_true], the classes that are right.
        inputs: float [batch, dim].
        num_sampled: how many classes are drawn, for the whole batch.
        num_classes: of all.
        num_true: how many of each example are right.
        sampled_values: what a candidate sampler returned; `log_uniform_candidate_sampler` draws if it is None.
        remove_accidental_hits: classes that are drawn and right do not count as wrong.
        partition_strategy: "mod" or "div", as of `embedding_lookup`.

    Returns:
        float [batch].
    """


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> ops.Tensor:
    """The loss of noise-contrastive estimation (Gutmann and Hyvarinen, 2010): is a class right, or was it drawn?"""
    with ops.name_scope(name, "nce_loss", [labels, inputs]):
        logits, truth = _sampled_logits(
            weights,
            biases,
            labels,
            inputs,
            num_sampled,
            num_classes,
            num_true,
            sampled_values,
            True,
            remove_accidental_hits,
            partition_strategy,
            None,
        )
        losses = nn_impl_loss.sigmoid_cross_entropy_with_logits(
            labels=truth, logits=logits
        )
        return _sum_rows(losses)


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> ops.Tensor:
    """The cross entropy of a softmax over the right classes and some drawn ones (Jean et al., 2014), to train with."""
    with ops.name_scope(name, "sampled_softmax_loss", [labels, inputs]):
        logits, truth = _sampled_logits(
            weights,
            biases,
            labels,
            inputs,
            num_sampled,
            num_classes,
            num_true,
            sampled_values,
            True,
            remove_accidental_hits,
            partition_strategy,
            seed,
        )
        return nn_ops.softmax_cross_entropy_with_logits(labels=truth, logits=logits)


for _function in (nce_loss, sampled_softmax_loss):
    _function.__doc__ = f"{_function.__doc__}{_ARGUMENTS}"
