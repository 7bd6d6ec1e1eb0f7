# SPDX-License-Identifier: Apache-2.0
"""tf.metrics: means over a stream of batches, of values and of errors.

See metrics_util.py for the arguments that all share.
"""

from __future__ import annotations

from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    variable_scope,
)
from tensorwright.python.ops._metrics.metrics_util import (
    Metric,
    Sum,
    aligned,
    aligned_weights,
    published,
    ratio,
    to_float,
    weights_of,
)


def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of all elements of `values`: float32 []; 0 where their weights have no positive sum."""
    with variable_scope.variable_scope(name, "mean", (values, weights)):
        values = to_float(values)
        if weights is None:
            count = to_float(array_ops.size(values))
        else:
            weights = weights_of(aligned_weights(weights, values), values, values.dtype)
            values = math_ops.multiply(values, weights)
            count = math_ops.reduce_sum(weights)
        total = Sum(math_ops.reduce_sum(values), "total")
        # The count may be known while the graph is built: an input that has ended must not count.
        counted = Sum(count, "count", after=values)
        return published(
            ratio(total.value, counted.value, "value"),
            ratio(total.added, counted.added, "update_op"),
            metrics_collections,
            updates_collections,
        )


def mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of each element of `values`, which has a known shape: float32 of that shape."""
    with variable_scope.variable_scope(name, "mean", (values, weights)):
        values = to_float(values)
        weights = weights_of(aligned_weights(weights, values), values, values.dtype)
        total = Sum(math_ops.multiply(values, weights), "total_tensor")
        counted = Sum(weights, "count_tensor", after=values)
        return published(
            ratio(total.value, counted.value, "value"),
            ratio(total.added, counted.added, "update_op"),
            metrics_collections,
            updates_collections,
        )


def percentage_below(
    values: TensorLike,
    threshold: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The share, 0 to 1, of the elements of `values` that are less than `threshold`: float32 []."""
    return mean(
        math_ops.less(values, threshold),
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )


def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of |predictions - labels|, both of one shape: float32 []."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    return mean(
        math_ops.abs(predictions - labels),
        weights,
        metrics_collections,
        updates_collections,
        name or "mean_absolute_error",
    )


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of (predictions - labels)^2, both of one shape: float32 []."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    return mean(
        math_ops.squared_difference(predictions, labels),
        weights,
        metrics_collections,
        updates_collections,
        name or "mean_squared_error",
    )


def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The square root of `mean_squared_error`: float32 []."""
    value, update = mean_squared_error(
        labels, predictions, weights, name=name or "root_mean_squared_error"
    )
    return published(
        math_ops.sqrt(value),
        math_ops.sqrt(update),
        metrics_collections,
        updates_collections,
    )


def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean of |labels - predictions| / normalizer, all of one shape, 0 where that is 0: float32 []."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    predictions, normalizer, _ = aligned(predictions, normalizer)
    errors = math_ops.div(math_ops.abs(labels - predictions), normalizer)
    return mean(
        array_ops.where(
            math_ops.equal(normalizer, 0), array_ops.zeros_like(errors), errors
        ),
        weights,
        metrics_collections,
        updates_collections,
        name or "mean_relative_error",
    )


def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """1 - the mean of the products of vectors of length 1 along `dim`: [..., n, ...] -> float32 [].

    `weights` are of the shape of the labels with 1 at `dim`.
    """
    labels, predictions, weights = aligned(labels, predictions, weights)
    products = math_ops.reduce_sum(
        math_ops.multiply(predictions, labels), [dim], keepdims=True
    )
    value, update = mean(products, weights, name=name or "mean_cosine_distance")
    return published(1 - value, 1 - update, metrics_collections, updates_collections)
