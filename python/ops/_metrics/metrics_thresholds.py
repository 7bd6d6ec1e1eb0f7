# SPDX-License-Identifier: Apache-2.0
"""tf.metrics of predictions that are positive above a threshold, at each of several thresholds.

`labels` are of any dtype that can be cast to bool, `predictions` of their shape and in [0, 1]: the run fails for others.
`thresholds` are a list of numbers, in any order.  See metrics_util.py for the arguments that all share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    math_ops,
    sort_ops,
    variable_scope,
)
from tensorwright.python.ops._metrics.metrics_util import (
    Metric,
    Sum,
    aligned,
    named,
    published,
    weights_of,
)

# Keeps quotients finite; as much too small as they are near 1.
EPSILON = 1e-7

ALL = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def counts_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None,
    wanted: tuple[str, ...] = ALL,
) -> dict[str, Sum]:
    """The `wanted` counts: float32 [thresholds] each, in variables of their names.

    Raises:
        ValueError: where `thresholds` is no vector of known length.
    """
    thresholds = ops.convert_to_tensor(thresholds, dtypes.float32, name="thresholds")
    size = thresholds.get_shape().with_rank(1)[0].value
    if size is None:
        raise ValueError("thresholds: their number must be known, got shape [?]")
    predictions = math_ops.cast(predictions, dtypes.float32)
    message = "predictions must be in [0, 1]"
    checks = [
        check_ops.assert_greater_equal(predictions, 0.0, message=message),
        check_ops.assert_less_equal(predictions, 1.0, message=message),
    ]
    with ops.control_dependencies(checks):
        labels, predictions, weights = aligned(
            math_ops.cast(labels, dtypes.bool), predictions, weights
        )
    batch = _batch_counts(
        array_ops.reshape(labels, [-1]),
        array_ops.reshape(predictions, [-1]),
        thresholds,
        array_ops.reshape(weights_of(weights, predictions, dtypes.float32), [-1]),
    )
    for count in batch.values():
        count.set_shape([size])
    return {name: Sum(batch[name], name) for name in wanted}


def _batch_counts(
    labels: ops.Tensor,
    predictions: ops.Tensor,
    thresholds: ops.Tensor,
    weights: ops.Tensor,
) -> dict[str, ops.Tensor]:
    """Looks up each element among the thresholds once; the counts are sums over the elements above or below."""
    ordered = sort_ops.sort(thresholds)
    # This is the number of thresholds below the prediction.
    passed = array_ops.searchsorted(ordered, predictions)
    bins = 2 * passed + math_ops.cast(labels, dtypes.int32)
    # The sums are float64, for a sum of ones in float32 ends at 2^24.
    sums = math_ops.unsorted_segment_sum(
        math_ops.cast(weights, dtypes.float64), bins, 2 * array_ops.size(thresholds) + 2
    )
    # [thresholds + 1, 2]: negative and positive labels.
    histogram = array_ops.reshape(sums, [-1, 2])
    above = math_ops.cumsum(histogram, reverse=True)[1:]
    not_above = math_ops.cumsum(histogram)[:-1]
    place = array_ops.searchsorted(ordered, thresholds)

    def counts(sums: ops.Tensor, column: int) -> ops.Tensor:
        sums = math_ops.cast(sums[:, column], dtypes.float32)
        return array_ops.gather(sums, place)

    return {
        "true_positives": counts(above, 1),
        "false_positives": counts(above, 0),
        "false_negatives": counts(not_above, 1),
        "true_negatives": counts(not_above, 0),
    }


def _count(which: str, doc: str) -> Callable[..., Metric]:
    """The metric of one of the counts."""

    @named(f"{which}_at_thresholds", doc)
    def count(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with variable_scope.variable_scope(name, which, (predictions, labels, weights)):
            counts = counts_at_thresholds(
                labels, predictions, thresholds, weights, (which,)
            )
            return published(
                counts[which].value,
                counts[which].added,
                metrics_collections,
                updates_collections,
            )

    return count


true_positives_at_thresholds = _count(
    "true_positives",
    "How many are labelled and above each threshold: float32 [thresholds].",
)
false_positives_at_thresholds = _count(
    "false_positives",
    "How many are not labelled and above each threshold: float32 [thresholds].",
)
true_negatives_at_thresholds = _count(
    "true_negatives",
    "How many are not labelled and not above each threshold: float32 [thresholds].",
)
false_negatives_at_thresholds = _count(
    "false_negatives",
    "How many are labelled and not above each threshold: float32 [thresholds].",
)


def _share_of_hits(what: str, misses: str, doc: str) -> Callable[..., Metric]:
    """The metric of true positives / (true positives + misses)."""
    metric_name = f"{what}_at_thresholds"

    @named(metric_name, doc)
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        values = labels, predictions, weights
        with variable_scope.variable_scope(name, metric_name, values):
            counts = counts_at_thresholds(
                labels, predictions, thresholds, weights, ("true_positives", misses)
            )
            hit, miss = counts["true_positives"], counts[misses]

            def share(hits: Any, missed: Any, name: str) -> ops.Tensor:
                return math_ops.div(hits, EPSILON + hits + missed, name=name)

            return published(
                share(hit.value, miss.value, f"{what}_value"),
                share(hit.added, miss.added, f"{what}_update_op"),
                metrics_collections,
                updates_collections,
            )

    return metric


precision_at_thresholds = _share_of_hits(
    "precision",
    "false_positives",
    "The share of what is above each threshold that is labelled: float32 [thresholds].",
)
recall_at_thresholds = _share_of_hits(
    "recall",
    "false_negatives",
    "The share of what is labelled that is above each threshold: float32 [thresholds].",
)
