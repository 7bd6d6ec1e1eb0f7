# SPDX-License-Identifier: Apache-2.0
"""Agreement of predictions and labels: F1, Cohen's kappa; and counts."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    array_ops,
    confusion_matrix,
    math_ops,
    metrics,
    state_ops,
    variable_scope,
)
from tensorwright.python.ops._metrics.metrics_util import metric_variable, published

__all__ = ["cohen_kappa", "count", "f1_score"]

_TINY = 1e-7


def f1_score(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames = None,
    updates_collections: CollectionNames = None,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """The greatest F1, 2 precision recall / (precision + recall), of thresholds of predictions: (value, update).

    Args:
        labels: bools, or 0 and 1, of the shape of `predictions`.
        predictions: floats in [0, 1].
        weights: the weights of examples; None: 1.
        num_thresholds: how many thresholds, equally far apart.
        metrics_collections, updates_collections: where value and update go, too.
        name: the name of the operations.

    Raises:
        ValueError: shapes that do not fit.
    """
    with variable_scope.variable_scope(name, "f1", [labels, predictions, weights]):
        between = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        thresholds = [-_TINY, *between, 1.0 + _TINY]
        precision = metrics.precision_at_thresholds(labels, predictions, thresholds, weights)  # fmt: skip # noqa: E501
        recall = metrics.recall_at_thresholds(labels, predictions, thresholds, weights)

        def best(precision: Any, recall: Any) -> ops.Tensor:
            values = 2.0 * precision * recall / (precision + recall + _TINY)
            return math_ops.reduce_max(values)

        value = best(precision[0], recall[0])
        update = best(precision[1], recall[1])
        return published(value, update, metrics_collections, updates_collections)


def cohen_kappa(
    labels: TensorLike,
    predictions_idx: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames = None,
    updates_collections: CollectionNames = None,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Cohen's kappa: how much more labels and predictions agree than by chance, float64 []: (value, update).

    Args:
        labels, predictions_idx: classes, integers of one shape.
        num_classes: how many there are, at least 2.
        weights: the weights of examples; None: 1.
        metrics_collections, updates_collections: where value and update go, too.
        name: the name of the operations.

    Raises:
        ValueError: fewer than 2 classes, or shapes that do not fit.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2. Found: {num_classes}")
    given = [labels, predictions_idx, weights]
    with variable_scope.variable_scope(name, "cohen_kappa", given):
        labels = ops.convert_to_tensor(labels)
        predictions = ops.convert_to_tensor(predictions_idx)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        if weights is not None:
            spread = math_ops.cast(array_ops.ones_like(labels), dtypes.float64)
            weights = array_ops.reshape(math_ops.cast(weights, dtypes.float64) * spread, [-1])  # fmt: skip # noqa: E501
        seen = confusion_matrix.confusion_matrix(
            array_ops.reshape(labels, [-1]),
            array_ops.reshape(predictions, [-1]),
            num_classes,
            dtype=dtypes.float64,
            weights=weights,
        )
        kept = metric_variable(
            [num_classes, num_classes], dtypes.float64, name="counts"
        )
        value = _kappa(kept)
        update = _kappa(state_ops.assign_add(kept, seen))
        return published(value, update, metrics_collections, updates_collections)


def _kappa(counts: Any) -> ops.Tensor:
    counts = ops.convert_to_tensor(counts)
    total = math_ops.reduce_sum(counts)
    one = array_ops.ones_like(total)
    known = total > 0
    # The agreement by chance multiplies the frequencies of a class in both.
    rows, columns = math_ops.reduce_sum(counts, 1), math_ops.reduce_sum(counts, 0)
    chance = math_ops.reduce_sum(rows * columns) / array_ops.where(known, total, one)
    agree = math_ops.reduce_sum(array_ops.diag_part(counts))
    rest = total - chance
    fits = math_ops.logical_and(known, rest > 0)
    return array_ops.where(
        fits, (agree - chance) / array_ops.where(fits, rest, one), array_ops.zeros_like(total)
    )  # fmt: skip


def count(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames = None,
    updates_collections: CollectionNames = None,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """How many values there were, or the sum of their weights, float32 []: (value, update).

    Args:
        values: a tensor of any shape.
        weights: that broadcast to it; None: 1.
        metrics_collections, updates_collections: where value and update go, too.
        name: the name of the operations.
    """
    with variable_scope.variable_scope(name, "count", [values, weights]):
        values = ops.convert_to_tensor(values)
        kept = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            seen = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            ones = math_ops.cast(array_ops.ones_like(values), dtypes.float32)
            seen = math_ops.reduce_sum(math_ops.cast(weights, dtypes.float32) * ones)
        with ops.control_dependencies([values]):
            update = state_ops.assign_add(kept, seen)
        return published(array_ops.identity(kept), array_ops.identity(update), metrics_collections, updates_collections)  # fmt: skip # noqa: E501
