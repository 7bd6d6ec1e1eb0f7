# SPDX-License-Identifier: Apache-2.0
"""Estimators of probabilities, with the metrics of logistic regression."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.learn.python.learn.estimators.estimator import Estimator
from tensorwright.contrib.learn.python.learn.estimators.model_fn import (
    ModeKeys,
    ModelFnOps,
)
from tensorwright.python.framework import dtypes
from tensorwright.python.ops import array_ops, math_ops, metrics

if TYPE_CHECKING:
    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import TensorTree

__all__ = ["LogisticRegressor"]


def _logistic_metrics(
    labels: Any, predictions: Any, thresholds: Sequence[float]
) -> dict[str, Any]:
    """Means, the area under the curve, and for each threshold accuracy, precision and recall."""
    labels = array_ops.reshape(math_ops.cast(labels, dtypes.float32), [-1])
    odds = array_ops.reshape(math_ops.cast(predictions, dtypes.float32), [-1])
    found = {
        "labels/prediction_mean": metrics.mean(odds),
        "labels/actual_label_mean": metrics.mean(labels),
        "accuracy/baseline_label_mean": metrics.mean(labels),
        "auc": metrics.auc(labels, odds),
    }
    for threshold in thresholds:
        chosen = math_ops.cast(odds >= threshold, dtypes.float32)
        found[f"accuracy/threshold_{threshold:f}_mean"] = metrics.accuracy(
            labels, chosen
        )
        found[f"precision/positive_threshold_{threshold:f}_mean"] = metrics.precision(
            labels, chosen
        )
        found[f"recall/positive_threshold_{threshold:f}_mean"] = metrics.recall(
            labels, chosen
        )
    return found


def LogisticRegressor(  # noqa: N802
    model_fn: Callable[..., tuple[TensorTree, Tensor, Operation]],
    thresholds: Sequence[float] | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    feature_engineering_fn: Callable[
        [TensorTree, TensorTree], tuple[TensorTree, TensorTree]
    ]
    | None = None,
) -> Estimator:
    """An estimator whose evaluations measure predictions as probabilities of labels 0 and 1.

    Args:
        model_fn: gives (predictions, loss, train_op); predictions are a tensor of probabilities.
        thresholds: above which a probability means 1; [0.5] by default.
        model_dir, config, feature_engineering_fn: as in `Estimator`.

    Returns:
        An Estimator; its metrics are "auc", "labels/prediction_mean", "labels/actual_label_mean",
        "accuracy/baseline_label_mean", and "accuracy/threshold_0.500000_mean" and the like.
    """
    takes = set(inspect.signature(model_fn).parameters)

    def with_metrics(features: Any, labels: Any, mode: str) -> ModelFnOps:
        given = {"mode": mode} if "mode" in takes else {}
        predictions, loss, train_op = model_fn(features, labels, **given)
        measured = None
        if mode == ModeKeys.EVAL:
            measured = _logistic_metrics(labels, predictions, thresholds or [0.5])
        return ModelFnOps(mode, predictions, loss, train_op, measured)

    return Estimator(
        with_metrics,
        model_dir,
        config,
        feature_engineering_fn=feature_engineering_fn,
    )
