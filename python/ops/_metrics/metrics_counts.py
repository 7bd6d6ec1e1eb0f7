# SPDX-License-Identifier: Apache-2.0
"""tf.metrics of truths and falsehoods: right and wrong positives and negatives, precision, recall.

`labels` and `predictions` are of one shape and of any dtype that can be cast to bool.  See metrics_util.py for the
arguments that all share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes
from tensorwright.python.ops import math_ops, variable_scope
from tensorwright.python.ops._metrics.metrics_util import (
    Metric,
    Sum,
    aligned,
    named,
    published,
    ratio,
    weights_of,
)


def _counted(
    labels: Any,
    predictions: Any,
    weights: Any,
    wanted: tuple[bool, bool],
    scope_name: tuple[str | None, str],
) -> Sum:
    """The weight of the elements whose (label, prediction) is `wanted`; float32 []."""
    with variable_scope.variable_scope(*scope_name, (predictions, labels, weights)):
        labels, predictions, weights = aligned(
            math_ops.cast(labels, dtypes.bool),
            math_ops.cast(predictions, dtypes.bool),
            weights,
        )
        is_label, is_prediction = (
            x if want else math_ops.logical_not(x)
            for x, want in zip((labels, predictions), wanted, strict=True)
        )
        hits = math_ops.cast(
            math_ops.logical_and(is_label, is_prediction), dtypes.float32
        )
        if weights is not None:
            hits = hits * weights_of(weights, hits, dtypes.float32)
        return Sum(math_ops.reduce_sum(hits), "count")


def _count(name: str, wanted: tuple[bool, bool], doc: str) -> Callable[..., Metric]:
    """The metric `name`, how often (label, prediction) is `wanted`."""
    scope = name

    @named(name, doc)
    def count(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        hits = _counted(labels, predictions, weights, wanted, (name, scope))
        return published(
            hits.value, hits.added, metrics_collections, updates_collections
        )

    return count


true_positives = _count(
    "true_positives", (True, True), "How many are labelled and predicted: float32 []."
)
false_positives = _count(
    "false_positives",
    (False, True),
    "How many are predicted and not labelled: float32 [].",
)
true_negatives = _count(
    "true_negatives",
    (False, False),
    "How many are neither labelled nor predicted: float32 [].",
)
false_negatives = _count(
    "false_negatives",
    (True, False),
    "How many are labelled and not predicted: float32 [].",
)


def _share_of_hits(
    name: str, misses: tuple[str, tuple[bool, bool]], doc: str
) -> Callable[..., Metric]:
    """The metric `name`, true positives / (true positives + misses)."""
    scope = name

    @named(name, doc)
    def share(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        args = labels, predictions, weights
        with variable_scope.variable_scope(name, scope, args):
            hit = _counted(*args, (True, True), (None, "true_positives"))
            miss = _counted(*args, misses[1], (None, misses[0]))
            return published(
                ratio(hit.value, hit.value + miss.value, "value"),
                ratio(hit.added, hit.added + miss.added, "update_op"),
                metrics_collections,
                updates_collections,
            )

    return share


precision = _share_of_hits(
    "precision",
    ("false_positives", (False, True)),
    "The share of what is predicted that is labelled: float32 [], 0 where nothing is predicted.",
)
recall = _share_of_hits(
    "recall",
    ("false_negatives", (True, False)),
    "The share of what is labelled that is predicted: float32 [], 0 where nothing is labelled.",
)
