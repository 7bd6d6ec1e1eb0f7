# SPDX-License-Identifier: Apache-2.0
"""tf.metrics of the curves that thresholds draw: the area under them, and points on them.

`labels` are of any dtype that can be cast to bool, `predictions` of their shape and in [0, 1]: the run fails for others.
See metrics_util.py for the arguments that all share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import array_ops, math_ops, variable_scope
from tensorwright.python.ops._metrics.metrics_thresholds import (
    ALL,
    EPSILON,
    counts_at_thresholds,
)
from tensorwright.python.ops._metrics.metrics_util import Metric, published, ratio

# A function of true_positives, false_negatives, true_negatives, false_positives, and a name.
_OfCounts = Callable[..., ops.Tensor]

_SUMMATIONS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")
_AREA_EPSILON = 1e-6


def _spread_thresholds(count: int) -> list[float]:
    """`count` from 0 to 1, the first and the last a little outside, for predictions of exactly 0 and 1."""
    inner = [(i + 1) / (count - 1) for i in range(count - 2)]
    return [-EPSILON, *inner, 1 + EPSILON]


def _metric(
    name: tuple[str | None, str],
    labels: Any,
    predictions: Any,
    weights: Any,
    thresholds: list[float],
    of_counts: _OfCounts,
    metrics_collections: Any,
    updates_collections: Any,
) -> Metric:
    """`of_counts` of the counts so far, and with this batch."""
    with variable_scope.variable_scope(*name, (labels, predictions, weights)):
        counts = counts_at_thresholds(labels, predictions, thresholds, weights)
        value = of_counts(*(counts[c].value for c in ALL), "value")
        update = of_counts(*(counts[c].added for c in ALL), "update_op")
        return published(value, update, metrics_collections, updates_collections)


def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """The area under a curve that is drawn through points at some thresholds: float32 [].

    curve: "ROC", true positives' rate over false positives'; "PR", precision over recall.
    summation_method: "trapezoidal", straight lines between points; "minoring" and "majoring", the lesser and the
        greater height of both; "careful_interpolation", of "PR" alone: true positives in proportion to all positives
        between points, which is what thresholds between them would give; straight lines are above it.
    thresholds: numbers in [0, 1]; `num_thresholds` at equal distances when not given.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be 'ROC' or 'PR', got {curve!r}")
    if summation_method not in _SUMMATIONS:
        raise ValueError(
            f"summation_method must be one of {_SUMMATIONS}, got {summation_method!r}"
        )
    if thresholds is None:
        thresholds = _spread_thresholds(num_thresholds)
    else:
        thresholds = [-EPSILON, *sorted(thresholds), 1 + EPSILON]

    def area(tp: Any, fn: Any, tn: Any, fp: Any, name: str) -> ops.Tensor:
        if curve == "PR" and summation_method == "careful_interpolation":
            return _interpolated_area(tp, fn, fp, name)
        recall = (tp + _AREA_EPSILON) / (tp + fn + _AREA_EPSILON)
        if curve == "ROC":
            x, y = fp / (fp + tn + _AREA_EPSILON), recall
        else:
            x, y = recall, (tp + _AREA_EPSILON) / (tp + fp + _AREA_EPSILON)
        heights = {
            "minoring": math_ops.minimum,
            "majoring": math_ops.maximum,
        }.get(summation_method, lambda a, b: (a + b) / 2)(y[:-1], y[1:])
        return math_ops.reduce_sum((x[:-1] - x[1:]) * heights, name=name)

    return _metric(
        (name, "auc"),
        labels,
        predictions,
        weights,
        thresholds,
        area,
        metrics_collections,
        updates_collections,
    )


def _interpolated_area(tp: Any, fn: Any, fp: Any, name: str) -> ops.Tensor:
    """The area under precision over recall, t = a p + c true positives of p positives between points.

    A piece is the integral of (t / p) dt = a (a + c / p) dp, which is a (dt + c log(p0 / p1)).
    """
    tp = array_ops.identity(tp)
    positives = tp + fp
    greater, less = positives[:-1], positives[1:]
    dt = tp[:-1] - tp[1:]
    slope = ratio(dt, math_ops.maximum(greater - less, 0))
    intercept = tp[1:] - slope * less
    both = math_ops.logical_and(greater > 0, less > 0)
    proportion = array_ops.where(
        both, ratio(greater, less), array_ops.ones_like(greater)
    )
    pieces = slope * (dt + intercept * math_ops.log(proportion))
    labelled = math_ops.maximum(tp[1:] + fn[1:], 0)
    return math_ops.reduce_sum(ratio(pieces, labelled), name=name)


def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The sensitivity at the threshold whose specificity is nearest to `specificity`, in [0, 1]: float32 [].

    The sensitivity is the share of positive labels whose prediction is above the threshold; the specificity is the
    share of negative labels whose prediction is not.  Among equally near thresholds, the least counts.
    """
    _in_unit_interval("specificity", specificity)

    def sensitivity(tp: Any, fn: Any, tn: Any, fp: Any, name: str) -> ops.Tensor:
        distance = math_ops.abs(tn / (tn + fp + EPSILON) - specificity)
        best = math_ops.argmin(distance, 0)
        return math_ops.div(tp[best], tp[best] + fn[best] + EPSILON, name)

    return _metric(
        (name, "sensitivity_at_specificity"),
        labels,
        predictions,
        weights,
        _spread_thresholds(num_thresholds),
        sensitivity,
        metrics_collections,
        updates_collections,
    )


def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The specificity at the threshold whose sensitivity is nearest to `sensitivity`, in [0, 1]: float32 [].

    The specificity is the share of negative labels whose prediction is not above the threshold; the sensitivity is the
    share of positive labels whose prediction is above.  Among equally near thresholds, the greatest counts.
    """
    _in_unit_interval("sensitivity", sensitivity)

    def specificity(tp: Any, fn: Any, tn: Any, fp: Any, name: str) -> ops.Tensor:
        distance = math_ops.abs(tp / (tp + fn + EPSILON) - sensitivity)
        from_last = math_ops.argmin(array_ops.reverse(distance, [0]), 0)
        best = array_ops.size(distance, out_type=dtypes.int64) - 1 - from_last
        return math_ops.div(tn[best], tn[best] + fp[best] + EPSILON, name)

    return _metric(
        (name, "specificity_at_sensitivity"),
        labels,
        predictions,
        weights,
        _spread_thresholds(num_thresholds),
        specificity,
        metrics_collections,
        updates_collections,
    )


def _in_unit_interval(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be in [0, 1], got {value}")
