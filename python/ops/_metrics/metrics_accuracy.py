# SPDX-License-Identifier: Apache-2.0
"""tf.metrics: how often a predicted class is the label, over a stream of batches.

See metrics_util.py for the arguments that all share.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    array_ops,
    confusion_matrix,
    math_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.ops._metrics import metrics_means
from tensorwright.python.ops._metrics.metrics_util import (
    Metric,
    Sum,
    aligned,
    metric_variable,
    published,
    ratio,
    to_float,
    weights_of,
)


def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The share of predictions that equal their labels: float32 []."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    predictions = math_ops.cast(predictions, labels.dtype)
    return metrics_means.mean(
        math_ops.equal(predictions, labels),
        weights,
        metrics_collections,
        updates_collections,
        name or "accuracy",
    )


def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over classes of the share of a class's labels that are predicted: float32 [].

    Classes without labels have share 0.  The update gives the shares: float32 [num_classes].  The run fails for a label
    that is not in [0, num_classes).
    """
    with variable_scope.variable_scope(
        name, "mean_accuracy", (predictions, labels, weights)
    ):
        labels, predictions, weights = _flat(labels, predictions, weights)
        correct = math_ops.equal(math_ops.cast(predictions, labels.dtype), labels)
        labels = math_ops.cast(labels, dtypes.int64)
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        update = ratio(
            state_ops.scatter_add(count, labels, to_float(correct) * weights),
            state_ops.scatter_add(total, labels, weights),
            "update_op",
        )
        value = math_ops.reduce_mean(ratio(count, total), name="mean_accuracy")
        return published(value, update, metrics_collections, updates_collections)


def mean_iou(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over classes of intersection over union: float32 [].

    For a class, this is true positives / (true positives + false positives + false negatives); classes that are neither
    in the labels nor predicted do not count.  The update gives the confusion matrix: float64 [num_classes,
    num_classes]. The run fails for classes that are not in [0, num_classes).
    """
    with variable_scope.variable_scope(
        name, "mean_iou", (predictions, labels, weights)
    ):
        matrix = confusion_of(labels, predictions, num_classes, weights)
        hits = to_float(array_ops.diag_part(matrix.value))
        union = (
            to_float(math_ops.reduce_sum(matrix.value, 0))
            + to_float(math_ops.reduce_sum(matrix.value, 1))
            - hits
        )
        present = math_ops.reduce_sum(to_float(math_ops.not_equal(union, 0)))
        iou = math_ops.reduce_sum(ratio(hits, union))
        return published(
            ratio(iou, present, "mean_iou"),
            array_ops.identity(matrix.added, "update_op"),
            metrics_collections,
            updates_collections,
        )


def confusion_of(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None
) -> Sum:
    """Counts of (label, prediction), summed over batches: float64 [num_classes, num_classes]."""
    labels, predictions, weights = _flat(labels, predictions, weights)
    batch = confusion_matrix.confusion_matrix(
        labels, predictions, num_classes, dtypes.float64, weights=weights
    )
    batch.set_shape([num_classes, num_classes])
    return Sum(batch, "total_confusion_matrix")


def _flat(
    labels: Any, predictions: Any, weights: Any
) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
    """All three as vectors; the weights are float32."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    weights = weights_of(weights, predictions, dtypes.float32)
    labels, predictions, weights = (
        array_ops.reshape(x, [-1]) for x in (labels, predictions, weights)
    )
    return labels, predictions, weights
