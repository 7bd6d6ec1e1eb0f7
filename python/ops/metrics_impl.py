# SPDX-License-Identifier: Apache-2.0
"""The functions of tf.metrics in the module where TensorFlow has them, with the helpers that other packages use."""

# ruff: noqa: F401, F403
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops._metrics import (
    metrics_accuracy,
    metrics_thresholds,
    metrics_util,
)
from tensorwright.python.ops._metrics.metrics_ranking import (
    average_precision_at_top_k as _streaming_sparse_average_precision_at_top_k,
)
from tensorwright.python.ops._metrics.metrics_util import (
    metric_variable as metric_variable,
)
from tensorwright.python.ops.metrics import *

_SHORT = {
    "tp": "true_positives",
    "fn": "false_negatives",
    "tn": "true_negatives",
    "fp": "false_positives",
}


def _remove_squeezable_dimensions(
    predictions: TensorLike, labels: TensorLike | None, weights: TensorLike | None
) -> tuple[ops.Tensor, ops.Tensor | None, ops.Tensor | None]:
    """The three as tensors, without a last dimension of 1 that another of them lacks; None stays None."""
    if labels is None:
        predictions = ops.convert_to_tensor(predictions)
        return predictions, None, metrics_util.aligned_weights(weights, predictions)
    labels, predictions, weights = metrics_util.aligned(labels, predictions, weights)
    return predictions, labels, weights


def _confusion_matrix_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    includes: Sequence[str] | None = None,
) -> tuple[dict[str, ops.Tensor], dict[str, ops.Tensor]]:
    """Counts of labels and predictions in [0, 1] above thresholds, summed over batches.

    Args:
        labels: a tensor of any shape, cast to bool.
        predictions: float, of the labels' shape.
        thresholds: numbers, T of them.
        weights: a tensor of a shape that fits.
        includes: the counts to keep, out of "tp", "fn", "tn", "fp"; all if None.

    Returns:
        (values, update_ops): for each count, its name -> float32 [T].

    Raises:
        ValueError: for another name in `includes`.
    """
    wanted = tuple(_SHORT) if includes is None else tuple(includes)
    for name in wanted:
        if name not in _SHORT:
            raise ValueError(f"Invalid key: {name}")
    counts = metrics_thresholds.counts_at_thresholds(
        labels, predictions, list(thresholds), weights, tuple(_SHORT[n] for n in wanted)
    )
    values = {name: counts[_SHORT[name]].value for name in wanted}
    updates = {name: counts[_SHORT[name]].added for name in wanted}
    return values, updates


def _streaming_confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Counts of (label, prediction), summed over batches.

    Args:
        labels: integers in [0, num_classes), of any shape.
        predictions: integers of the labels' shape.
        num_classes: how many classes there are.
        weights: a tensor of a shape that fits.

    Returns:
        (total, update_op): float64 [num_classes, num_classes] each; a row is a label.
    """
    matrix = metrics_accuracy.confusion_of(labels, predictions, num_classes, weights)
    return matrix.value, matrix.added


def _safe_div(numerator: TensorLike, denominator: TensorLike, name: str) -> ops.Tensor:
    """numerator / denominator, 0 where the denominator is not positive."""
    return metrics_util.ratio(numerator, denominator, name)


_safe_scalar_div = _safe_div


def _aggregate_variable(value: ops.Tensor, collections: Any) -> ops.Tensor:
    """The value, a tensor also of a variable, which is one for all towers of a graph here, added to collections."""
    value = ops.convert_to_tensor(value)
    if collections:
        ops.add_to_collections(collections, value)
    return value
