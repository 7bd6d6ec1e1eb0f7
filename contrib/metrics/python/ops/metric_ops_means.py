# SPDX-License-Identifier: Apache-2.0
"""Streaming metrics that tf.metrics has under other names, with predictions first.

tf.metrics describes each metric and its arguments; each function here returns its value so far and the operation
that adds a batch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import math_ops, metrics, nn_ops
from tensorwright.python.ops._metrics.metrics_ranking import average_precision_at_top_k

Metric = tuple[ops.Tensor, ops.Tensor]

_PLAIN = ("weights=None", "metrics_collections=None", "updates_collections=None", "name=None")  # fmt: skip
_CURVE = ("weights=None", "num_thresholds=200", *_PLAIN[1:])


def _parameters(names: tuple[str, ...]) -> inspect.Signature:
    made = []
    for item in names:
        name, _, default = item.partition("=")
        value = {"None": None, "200": 200, "'ROC'": "ROC"}.get(
            default, inspect.Parameter.empty
        )
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        made.append(inspect.Parameter(name, kind, default=value))
    return inspect.Signature(made)


def _streaming(
    name: str, metric: Callable[..., Metric], *names: str, **renamed: str
) -> Callable[..., Metric]:
    """`metric` of tf.metrics under another name, its arguments in the order of `names`, some renamed."""
    signature = _parameters(names)

    def function(*args: Any, **kwargs: Any) -> Metric:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        return metric(**{renamed.get(k, k): v for k, v in given.arguments.items()})

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"`tf.metrics.{metric.__name__}` with its arguments in the order that tf.contrib has."
    return function


def _of(name: str, metric: Callable[..., Metric], *more: str) -> Callable[..., Metric]:
    return _streaming(name, metric, "predictions", "labels", *more, *_PLAIN)


streaming_accuracy = _of("streaming_accuracy", metrics.accuracy)
streaming_auc = _streaming("streaming_auc", metrics.auc, "predictions", "labels", *_CURVE[:-1], "curve='ROC'", "name=None")  # fmt: skip
streaming_false_negatives = _of("streaming_false_negatives", metrics.false_negatives)
streaming_false_positives = _of("streaming_false_positives", metrics.false_positives)
streaming_mean_absolute_error = _of("streaming_mean_absolute_error", metrics.mean_absolute_error)  # fmt: skip
streaming_mean_cosine_distance = _of("streaming_mean_cosine_distance", metrics.mean_cosine_distance, "dim")  # fmt: skip
streaming_mean_iou = _of("streaming_mean_iou", metrics.mean_iou, "num_classes")
streaming_mean_relative_error = _of("streaming_mean_relative_error", metrics.mean_relative_error, "normalizer")  # fmt: skip
streaming_mean_squared_error = _of("streaming_mean_squared_error", metrics.mean_squared_error)  # fmt: skip
streaming_precision = _of("streaming_precision", metrics.precision)
streaming_precision_at_thresholds = _of("streaming_precision_at_thresholds", metrics.precision_at_thresholds, "thresholds")  # fmt: skip
streaming_recall = _of("streaming_recall", metrics.recall)
streaming_recall_at_thresholds = _of("streaming_recall_at_thresholds", metrics.recall_at_thresholds, "thresholds")  # fmt: skip
streaming_root_mean_squared_error = _of("streaming_root_mean_squared_error", metrics.root_mean_squared_error)  # fmt: skip
streaming_sensitivity_at_specificity = _streaming("streaming_sensitivity_at_specificity", metrics.sensitivity_at_specificity, "predictions", "labels", "specificity", *_CURVE)  # fmt: skip
streaming_specificity_at_sensitivity = _streaming("streaming_specificity_at_sensitivity", metrics.specificity_at_sensitivity, "predictions", "labels", "sensitivity", *_CURVE)  # fmt: skip
streaming_sparse_average_precision_at_k = _of("streaming_sparse_average_precision_at_k", metrics.average_precision_at_k, "k")  # fmt: skip
streaming_sparse_average_precision_at_top_k = _streaming("streaming_sparse_average_precision_at_top_k", average_precision_at_top_k, "top_k_predictions", "labels", *_PLAIN, top_k_predictions="predictions_idx")  # fmt: skip
streaming_sparse_precision_at_k = _of("streaming_sparse_precision_at_k", metrics.precision_at_k, "k", "class_id=None")  # fmt: skip
streaming_sparse_precision_at_top_k = _streaming("streaming_sparse_precision_at_top_k", metrics.precision_at_top_k, "top_k_predictions", "labels", "class_id=None", *_PLAIN, top_k_predictions="predictions_idx")  # fmt: skip
streaming_sparse_recall_at_k = _of("streaming_sparse_recall_at_k", metrics.recall_at_k, "k", "class_id=None")  # fmt: skip
streaming_true_negatives = _of("streaming_true_negatives", metrics.true_negatives)
streaming_true_positives = _of("streaming_true_positives", metrics.true_positives)

_AT = ("predictions", "labels", "thresholds", "weights=None")
streaming_false_negatives_at_thresholds = _streaming("streaming_false_negatives_at_thresholds", metrics.false_negatives_at_thresholds, *_AT)  # fmt: skip
streaming_false_positives_at_thresholds = _streaming("streaming_false_positives_at_thresholds", metrics.false_positives_at_thresholds, *_AT)  # fmt: skip
streaming_true_negatives_at_thresholds = _streaming("streaming_true_negatives_at_thresholds", metrics.true_negatives_at_thresholds, *_AT)  # fmt: skip
streaming_true_positives_at_thresholds = _streaming("streaming_true_positives_at_thresholds", metrics.true_positives_at_thresholds, *_AT)  # fmt: skip

streaming_mean = _streaming("streaming_mean", metrics.mean, "values", *_PLAIN)
streaming_mean_tensor = _streaming("streaming_mean_tensor", metrics.mean_tensor, "values", *_PLAIN)  # fmt: skip
streaming_percentage_less = _streaming("streaming_percentage_less", metrics.percentage_below, "values", "threshold", *_PLAIN)  # fmt: skip


def streaming_recall_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The share of rows whose label is among the k largest predictions: predictions [n, classes], labels [n]."""
    among = math_ops.cast(nn_ops.in_top_k(predictions, labels, k), dtypes.float32)
    return metrics.mean(
        among, weights, metrics_collections, updates_collections, name or f"recall_at_{k}"
    )  # fmt: skip
