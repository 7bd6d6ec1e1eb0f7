# SPDX-License-Identifier: Apache-2.0
"""Streaming covariance and correlation, points of curves, concatenation, and several metrics as one."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.ops._metrics.metrics_thresholds import counts_at_thresholds
from tensorwright.python.ops._metrics.metrics_util import (
    aligned,
    metric_variable,
    published,
    weights_of,
)

Metric = tuple[ops.Tensor, ops.Tensor]
_EPSILON = 1e-7


def _safe_div(a: ops.Tensor, b: ops.Tensor) -> ops.Tensor:
    positive = math_ops.greater(b, 0)
    safe = array_ops.where(positive, b, array_ops.ones_like(b))
    return array_ops.where(positive, a / safe, array_ops.zeros_like(a))


def streaming_covariance(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The covariance of a sample, sum w (p - mean p)(l - mean l) / (sum w - 1): float32 []; nan up to sum w = 1.

    Batches are put together by the means and sums of both (Chan et al. 1979), which loses no digits.
    """
    with variable_scope.variable_scope(name, "covariance", (predictions, labels, weights)):  # fmt: skip
        labels, predictions, weights = aligned(
            math_ops.cast(labels, dtypes.float32),
            math_ops.cast(predictions, dtypes.float32),
            weights,
        )
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        w = weights_of(weights, predictions, dtypes.float32)
        count, mean_p, mean_l, comoment = (
            metric_variable([], dtypes.float32, name=n)
            for n in ("count", "mean_prediction", "mean_label", "comoment")
        )
        size = math_ops.reduce_sum(w)
        batch_p = _safe_div(math_ops.reduce_sum(predictions * w), size)
        batch_l = _safe_div(math_ops.reduce_sum(labels * w), size)
        batch = math_ops.reduce_sum((predictions - batch_p) * (labels - batch_l) * w)
        old = [count.value(), mean_p.value(), mean_l.value()]
        share = _safe_div(size, old[0] + size)
        apart_p, apart_l = batch_p - old[1], batch_l - old[2]
        between = apart_p * apart_l * old[0] * share
        steps = apart_p * share, apart_l * share, batch + between
        # The old values share memory with the variables: all that needs them comes first.
        with ops.control_dependencies([size, *steps]):
            new_count = state_ops.assign_add(count, size)
            moves = [
                state_ops.assign_add(mean_p, steps[0]),
                state_ops.assign_add(mean_l, steps[1]),
            ]
            new_comoment = state_ops.assign_add(comoment, steps[2])

        def covariance(total: Any, n: Any, name: str) -> ops.Tensor:
            nan = constant_op.constant(math.nan)
            rest = array_ops.where(n > 1, n - 1, array_ops.ones_like(n))
            return array_ops.where(n > 1, total / rest, nan, name=name)

        value = covariance(comoment.value(), count.value(), "covariance")
        with ops.control_dependencies(moves):
            update = covariance(new_comoment, new_count, "update_op")
        return published(value, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The covariance over the product of both standard deviations: float32 []."""
    with variable_scope.variable_scope(name, "pearson_r", (predictions, labels, weights)):  # fmt: skip
        pairs = [(predictions, labels), (predictions, predictions), (labels, labels)]
        names = ("covariance", "variance_predictions", "variance_labels")
        found = [
            streaming_covariance(*pair, weights=weights, name=n)
            for pair, n in zip(pairs, names, strict=True)
        ]

        def correlation(i: int, name: str) -> ops.Tensor:
            both, of_p, of_l = (f[i] for f in found)
            return math_ops.truediv(
                both, math_ops.sqrt(of_p) * math_ops.sqrt(of_l), name=name
            )

        return published(
            correlation(0, "pearson_r"),
            correlation(1, "update_op"),
            metrics_collections,
            updates_collections,
        )


def streaming_curve_points(
    labels: TensorLike | None = None,
    predictions: TensorLike | None = None,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """Returns points of a curve, one for each of evenly spread thresholds: float32 [num_thresholds, 2].

    Args:
        labels: bools.
        predictions: in [0, 1].
        weights: the weight of each value.
        num_thresholds: how many points, two or more.
        curve: "ROC": (false positive rate, true positive rate); "PR": (recall, precision).

    Raises:
        ValueError: another curve, or fewer thresholds.
    """
    with variable_scope.variable_scope(name, "curve_points", (labels, predictions, weights)):  # fmt: skip
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        if num_thresholds < 2:
            raise ValueError(f"num_thresholds must be at least 2, got {num_thresholds}")
        inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        thresholds = [-_EPSILON, *inner, 1 + _EPSILON]
        counts = counts_at_thresholds(labels, predictions, thresholds, weights)

        def points(which: str) -> ops.Tensor:
            tp, fp, tn, fn = (
                getattr(counts[c], which)
                for c in (
                    "true_positives",
                    "false_positives",
                    "true_negatives",
                    "false_negatives",
                )
            )
            recall = (tp + _EPSILON) / (tp + fn + _EPSILON)
            if curve == "ROC":
                pair = [fp / (fp + tn + _EPSILON), recall]
            else:
                pair = [recall, (tp + _EPSILON) / (tp + fp + _EPSILON)]
            return array_ops.stack(pair, axis=1)

        return published(
            points("value"), points("added"), metrics_collections, updates_collections
        )


def streaming_concat(
    values: TensorLike,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """All values so far, one batch after the other along `axis`.

    Args:
        values: a tensor of a known rank; sizes but that of `axis` must be known too.
        axis: the axis.
        max_size: how much of it is kept; None: all.

    Returns:
        The values, and the operation that adds a batch and gives the values with it.

    Raises:
        ValueError: an unknown rank or size, or an axis that is not there.
    """
    with variable_scope.variable_scope(name, "streaming_concat", (values,)):
        values = ops.convert_to_tensor(values)
        shape = values.get_shape()
        if shape.ndims is None:
            raise ValueError("`values` must have known statically known rank")
        rank = shape.ndims
        if not -rank <= axis < rank:
            raise ValueError(f"`axis = {axis}` not in [{-rank}, {rank})")
        axis %= rank
        rest = [d.value for i, d in enumerate(shape) if i != axis]
        if None in rest:
            raise ValueError(
                "all dimensions of `values` other than the dimension to concatenate along "
                "must have statically known size"
            )
        # The axis goes to the front, so that the kept values are the first rows of a buffer.
        order = [axis, *(i for i in range(rank) if i != axis)]
        back = [order.index(i) for i in range(rank)]
        dtype = values.dtype.base_dtype
        buffer = metric_variable([0, *rest], dtype, validate_shape=False, name="array")
        size = metric_variable([], dtypes.int32, name="size")

        def kept(rows: Any, count: Any) -> ops.Tensor:
            found = array_ops.transpose(rows[:count], back)
            known: list[int | None] = list(rest)
            known.insert(axis, None)
            found.set_shape(known)
            return found

        value = kept(buffer.value(), size.value())
        batch = array_ops.transpose(values, order)
        room = array_ops.shape(batch)[0]
        if max_size is not None:
            room = math_ops.minimum(room, math_ops.maximum(max_size - size, 0))
        new_size = size + room
        with ops.control_dependencies([new_size]):
            grown = _with_room(buffer, new_size, rest)
        with ops.control_dependencies([grown]):
            places = math_ops.range(size, new_size)
            filled = state_ops.scatter_update(buffer, places, batch[:room])
        with ops.control_dependencies([filled]):
            counted = state_ops.assign(size, new_size)
            update = kept(array_ops.identity(filled), counted)
        return published(value, update, metrics_collections, updates_collections)


def _with_room(buffer: Any, needed: ops.Tensor, rest: list[int]) -> ops.Operation:
    """Enlarges the buffer to the next power of two, so that adding n rows one by one copies O(n) of them."""
    capacity = array_ops.shape(buffer.value())[0]

    def grow() -> ops.Operation:
        exponent = math_ops.ceil(
            math_ops.log(math_ops.cast(needed, dtypes.float64)) / math.log(2.0)
        )
        wanted = math_ops.cast(math_ops.pow(exponent * 0 + 2.0, exponent), dtypes.int32)
        wanted = math_ops.maximum(wanted, needed)
        zeros = array_ops.zeros([wanted - capacity, *rest], buffer.dtype.base_dtype)
        whole = array_ops.concat([buffer.value(), zeros], 0)
        return state_ops.assign(buffer, whole, validate_shape=False).op

    return control_flow_ops.cond(
        needed > capacity,
        lambda: control_flow_ops.group(grow()),
        control_flow_ops.no_op,
    ).op


def aggregate_metrics(
    *value_update_tuples: Metric,
) -> tuple[list[ops.Tensor], list[ops.Tensor]]:
    """([values], [updates]) of several metrics.

    Raises:
        ValueError: for none.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: dict[str, Metric],
) -> tuple[dict[str, ops.Tensor], dict[str, ops.Tensor]]:
    """(values by name, updates by name) of several metrics."""
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}
