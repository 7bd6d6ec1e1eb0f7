# SPDX-License-Identifier: Apache-2.0
"""Metrics of forests by name, for `metrics` of estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.learn.python.learn.estimators.constants import PredictionKey
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, math_ops, metrics, nn_ops
from tensorwright.python.ops.losses import losses

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import TensorLike

INFERENCE_PROB_NAME = PredictionKey.PROBABILITIES
INFERENCE_PRED_NAME = PredictionKey.CLASSES
FEATURE_IMPORTANCE_NAME = "global_feature_importance"

_THRESHOLDS = [float(t) for t in np.arange(0, 1, 0.01, dtype=np.float32)]


def _classes(targets: Any) -> ops.Tensor:
    """[n], of [n] or [n, 1]."""
    return array_ops.reshape(math_ops.cast(targets, dtypes.int32), [-1])


def _rows(probabilities: Any, targets: Any) -> ops.Tensor:
    depth = array_ops.shape(probabilities)[1]
    return array_ops.one_hot(_classes(targets), depth, dtype=dtypes.float32)


def _second(probabilities: Any) -> ops.Tensor:
    """The probability of class 1, [n]."""
    return probabilities[:, 1]


def _top_k_generator(k: int) -> Callable[..., Any]:
    def _top_k(probabilities: Any, targets: Any, weights: Any = None) -> Any:
        hits = nn_ops.in_top_k(probabilities, _classes(targets), k)
        return metrics.mean(math_ops.cast(hits, dtypes.float32), weights)

    return _top_k


def _accuracy(predictions: Any, targets: Any, weights: Any = None) -> Any:
    predictions = array_ops.reshape(math_ops.cast(predictions, dtypes.int32), [-1])
    return metrics.accuracy(_classes(targets), predictions, weights)


def _r2(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    targets = math_ops.cast(targets, dtypes.float32)
    targets = array_ops.reshape(targets, array_ops.shape(probabilities))
    mean = math_ops.reduce_mean(targets, 0)
    total = math_ops.reduce_sum(math_ops.squared_difference(targets, mean), 0)
    rest = math_ops.squared_difference(targets, probabilities)
    score = 1 - math_ops.reduce_sum(math_ops.reduce_sum(rest, 0) / total)
    return metrics.mean(score, weights)


def _sigmoid_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    loss = losses.sigmoid_cross_entropy(_rows(probabilities, targets), probabilities)
    return metrics.mean(loss, weights)


def _softmax_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    loss = losses.sparse_softmax_cross_entropy(_classes(targets), probabilities)
    return metrics.mean(loss, weights)


def _class_log_loss(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    loss = losses.log_loss(_rows(probabilities, targets), probabilities)
    return metrics.mean(loss, weights)


def _predictions(predictions: Any, unused_targets: Any, **unused_kwargs: Any) -> Any:
    return predictions


def _precision(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return metrics.precision(_classes(targets), predictions, weights)


def _precision_at_thresholds(
    predictions: Any, targets: Any, weights: Any = None
) -> Any:
    return metrics.precision_at_thresholds(
        _classes(targets), _second(predictions), _THRESHOLDS, weights
    )


def _recall(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return metrics.recall(_classes(targets), predictions, weights)


def _recall_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return metrics.recall_at_thresholds(
        _classes(targets), _second(predictions), _THRESHOLDS, weights
    )


def _auc(probs: Any, targets: Any, weights: Any = None) -> Any:
    return metrics.auc(_classes(targets), _second(probs), weights)


_METRICS: dict[str, tuple[Callable[..., Any], str]] = {
    "auc": (_auc, INFERENCE_PROB_NAME),
    "sigmoid_entropy": (_sigmoid_entropy, INFERENCE_PROB_NAME),
    "softmax_entropy": (_softmax_entropy, INFERENCE_PROB_NAME),
    "accuracy": (_accuracy, INFERENCE_PRED_NAME),
    "r2": (_r2, INFERENCE_PROB_NAME),
    "predictions": (_predictions, INFERENCE_PRED_NAME),
    "classes": (_predictions, INFERENCE_PRED_NAME),
    "probabilities": (_predictions, INFERENCE_PROB_NAME),
    "top_5": (_top_k_generator(5), INFERENCE_PROB_NAME),
    "class_log_loss": (_class_log_loss, INFERENCE_PROB_NAME),
    "precision": (_precision, INFERENCE_PRED_NAME),
    "precision_at_thresholds": (_precision_at_thresholds, INFERENCE_PROB_NAME),
    "recall": (_recall, INFERENCE_PRED_NAME),
    "recall_at_thresholds": (_recall_at_thresholds, INFERENCE_PROB_NAME),
    FEATURE_IMPORTANCE_NAME: (_predictions, FEATURE_IMPORTANCE_NAME),
}


def _known(metric_name: str) -> tuple[Callable[..., Any], str]:
    if metric_name not in _METRICS:
        raise KeyError(
            f"metric_name must be one of {sorted(_METRICS)}, got {metric_name!r}"
        )
    return _METRICS[metric_name]


def get_metric(metric_name: str) -> Callable[..., tuple[TensorLike, TensorLike]]:
    """The metric of that name, `f(predictions, targets, weights=None)`, which gives its value and its update.

    Raises:
        KeyError: there is none; the message has the names.
    """
    return _known(metric_name)[0]


def get_prediction_key(metric_name: str) -> str:
    """The key of the predictions that the metric is of.

    Raises:
        KeyError: there is no such metric.
    """
    return _known(metric_name)[1]
