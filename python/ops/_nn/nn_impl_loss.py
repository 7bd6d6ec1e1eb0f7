# SPDX-License-Identifier: Apache-2.0
"""Losses of logits and of log-predictions, element by element."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops
from tensorwright.python.ops._nn.nn_ops_loss import by_name_only
from tensorwright.python.util.renamed_arguments import required_argument


@by_name_only
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """-z log(s) - (1 - z) log(1 - s), s = sigmoid(x), for labels z and logits x of one shape.

    Computed as max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow.
    """
    with ops.name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = ops.convert_to_tensor(cast(Any, logits), name="logits")
        labels = ops.convert_to_tensor(cast(Any, labels), name="labels")
        _check_same_shape(labels, logits, "labels")
        zeros = array_ops.zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        relu = array_ops.where(positive, logits, zeros)
        minus_abs = array_ops.where(positive, -logits, logits)
        return math_ops.add(
            relu - logits * labels, math_ops.log1p(math_ops.exp(minus_abs)), name=scope
        )


def weighted_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    pos_weight: TensorLike | None = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> ops.Tensor:
    """sigmoid_cross_entropy_with_logits whose first term, of positives, counts `pos_weight` times.

    With l = 1 + (pos_weight - 1) z: (1 - z) x + l (log(1 + exp(-|x|)) + max(-x, 0)).
    """
    labels = required_argument("labels", labels, "targets", targets)
    with ops.name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = ops.convert_to_tensor(cast(Any, logits), name="logits")
        labels = ops.convert_to_tensor(labels, name="labels")
        _check_same_shape(labels, logits, "labels")
        weight = 1 + (cast(Any, pos_weight) - 1) * labels
        softplus = math_ops.log1p(math_ops.exp(-math_ops.abs(logits)))
        return math_ops.add(
            (1 - labels) * logits,
            weight * (softplus + nn_ops.relu(-logits)),
            name=scope,
        )


def _check_same_shape(a: ops.Tensor, b: ops.Tensor, name: str) -> None:
    if not a.get_shape().is_compatible_with(b.get_shape()):
        raise ValueError(
            f"logits and {name} must have the same shape ({b.get_shape()} vs {a.get_shape()})"
        )


def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """exp(c) - z c for targets z and log-predictions c; plus Stirling's log(z!) for z > 1 if full."""
    with ops.name_scope(name, "log_poisson_loss", [log_input, targets]) as scope:
        log_input = ops.convert_to_tensor(log_input, name="log_input")
        targets = ops.convert_to_tensor(targets, name="targets")
        _check_same_shape(targets, log_input, "targets")
        result = math_ops.exp(log_input) - log_input * targets
        if compute_full_loss:
            half = constant_op.constant(0.5, dtype=targets.dtype.base_dtype)
            two_pi = constant_op.constant(
                6.283185307179586, dtype=targets.dtype.base_dtype
            )
            stirling = (
                targets * math_ops.log(targets)
                - targets
                + half * math_ops.log(two_pi * targets)
            )
            small = math_ops.logical_and(targets >= 0, targets <= 1)
            result += array_ops.where(small, array_ops.zeros_like(targets), stirling)
        return array_ops.identity(result, name=scope)
