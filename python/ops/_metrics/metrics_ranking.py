# SPDX-License-Identifier: Apache-2.0
"""tf.metrics of rankings: how many labels are among the k classes predicted first.

Shapes: `labels` int32 or int64 [d..., n], a set of classes a row, or [d...], one class; a SparseTensor where rows have
different numbers of them.  `predictions` [d..., classes], of which the k largest count; `predictions_idx` int [d..., k],
classes; `weights` a scalar, or of the rank of [d...] with sizes equal or 1.  Labels that are no class count as missed.
`class_id` leaves only this class to be counted, in labels and in predictions.  Results are float64 [], nan where
nothing is counted.  See metrics_util.py for the arguments that all share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    math_ops,
    nn_ops,
    sort_ops,
)
from tensorwright.python.ops._metrics.metrics_util import (
    Metric,
    Sum,
    named,
    published,
    ratio,
    weights_of,
)

# A sparse row without a label has this in its place.
_ABSENT = dtypes.int64.min


class _Sets(NamedTuple):
    """Sets of classes: int64 [d..., n], of which those that are present, bool of that shape, count."""

    values: ops.Tensor
    present: ops.Tensor

    def only(self, class_id: Any) -> _Sets:
        """Returns the sets without other classes; None leaves all."""
        if class_id is None:
            return self
        wanted = math_ops.equal(self.values, math_ops.cast(class_id, dtypes.int64))
        return _Sets(self.values, math_ops.logical_and(self.present, wanted))

    def contains(self, classes: ops.Tensor) -> ops.Tensor:
        """Whether each of `classes`, [d..., m], is in its row's set: bool of that shape."""
        equal = math_ops.equal(
            array_ops.expand_dims(classes, -1), array_ops.expand_dims(self.values, -2)
        )
        present = array_ops.expand_dims(self.present, -2)
        return math_ops.reduce_any(math_ops.logical_and(equal, present), -1)

    def size(self) -> ops.Tensor:
        """float64 [d...]."""
        return _count(self.present)

    def shared(self, other: _Sets) -> ops.Tensor:
        """Returns the number of elements that are in both: float64 [d...]."""
        both = math_ops.logical_and(self.present, other.contains(self.values))
        return _count(both)


def _count(flags: ops.Tensor) -> ops.Tensor:
    return math_ops.reduce_sum(math_ops.cast(flags, dtypes.float64), -1)


def _distinct(rows: ops.Tensor) -> _Sets:
    """Rows as sets: of equal values one is present."""
    rows = sort_ops.sort(rows)
    changes = math_ops.not_equal(rows[..., 1:], rows[..., :-1])
    first = array_ops.ones_like(rows[..., :1], dtypes.bool)
    is_new = array_ops.concat([first, changes], -1)
    return _Sets(rows, math_ops.logical_and(is_new, math_ops.not_equal(rows, _ABSENT)))


def _label_rows(labels: Any, predictions: ops.Tensor) -> ops.Tensor:
    """int64 [d..., n], _ABSENT where a sparse row has no label.  A run checks d... where they are not known.

    Raises:
        ValueError: the predictions are known to have no rows, or others than the labels.
    """
    if (predictions.get_shape().ndims or 2) < 2:
        raise ValueError(
            "predictions must have rank >= 2, rows of classes, got shape "
            f"{predictions.get_shape()}"
        )
    labels = sparse_tensor.convert_to_tensor_or_sparse_tensor(labels, name="labels")
    if sparse_tensor.is_sparse(labels):
        labels = _dense(labels, predictions.get_shape().ndims)
    labels = _with_row_dimension(math_ops.cast(labels, dtypes.int64), predictions)
    leading = labels.get_shape()[:-1]
    leading.assert_is_compatible_with(predictions.get_shape()[:-1])
    check = check_ops.assert_equal(
        array_ops.shape(labels)[:-1],
        array_ops.shape(predictions)[:-1],
        message="labels and predictions differ in their leading dimensions",
    )
    with ops.control_dependencies([check]):
        return array_ops.identity(labels)


def _dense(labels: Any, rank: int | None) -> ops.Tensor:
    shape = labels.dense_shape
    if rank is not None and shape.get_shape()[0].value == rank:
        # If rows were as long as there are classes, most entries would be absent.
        used = math_ops.reduce_max(labels.indices[:, -1]) + 1
        longest = math_ops.maximum(used, 0)
        shape = array_ops.concat([shape[:-1], [longest]], 0)
    return array_ops.tensor_scatter_nd_update(
        array_ops.fill(shape, ops.convert_to_tensor(_ABSENT, dtypes.int64)),
        labels.indices,
        math_ops.cast(labels.values, dtypes.int64),
    )


def _with_row_dimension(labels: ops.Tensor, predictions: ops.Tensor) -> ops.Tensor:
    """[d...] -> [d..., 1]; [d..., n] as it is."""
    rank, wanted = labels.get_shape().ndims, predictions.get_shape().ndims
    if rank is not None and wanted is not None:
        if rank == wanted - 1:
            return array_ops.expand_dims(labels, -1)
        return labels
    return control_flow_ops.cond(
        math_ops.less(array_ops.rank(labels), array_ops.rank(predictions)),
        lambda: array_ops.expand_dims(labels, -1),
        lambda: array_ops.identity(labels),
    )


def _at_k(name: str, k: int | None, class_id: Any = None) -> str:
    name = f"{name}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _largest(predictions: Any, k: int) -> ops.Tensor:
    """The classes of the k largest: [d..., classes] -> int64 [d..., k]."""
    return math_ops.cast(nn_ops.top_k(predictions, k)[1], dtypes.int64)


def _weighted(counts: ops.Tensor, weights: Any) -> ops.Tensor:
    if weights is None:
        return counts
    return counts * weights_of(weights, counts, dtypes.float64)


def _share_of_hits(what: str, miss_name: str, doc: str) -> Callable[..., Metric]:
    """Makes the metric: the size of both sets' intersection over that of the predicted ("precision") or the labels'."""

    @named(f"{what}_at_top_k", f"{doc}; `k` is part of the name alone.")
    def at_top_k(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with ops.name_scope(
            name, _at_k(what, k, class_id), (predictions_idx, labels, weights)
        ) as scope:
            predictions = math_ops.cast(predictions_idx, dtypes.int64)
            labelled = _distinct(_label_rows(labels, predictions)).only(class_id)
            predicted = _distinct(predictions).only(class_id)
            whole, part = labelled, predicted
            if what == "precision":
                whole, part = part, whole
            hits = whole.shared(part)
            hit, miss = (
                Sum(
                    math_ops.reduce_sum(_weighted(counts, weights)),
                    _at_k(name, k, class_id),
                )
                for counts, name in (
                    (hits, "true_positive"),
                    (whole.size() - hits, miss_name),
                )
            )
            return published(
                math_ops.div(hit.value, hit.value + miss.value, name=scope),
                math_ops.div(hit.added, hit.added + miss.added, name="update"),
                metrics_collections,
                updates_collections,
            )

    return at_top_k


recall_at_top_k = _share_of_hits(
    "recall",
    "false_negative",
    "The share of labels that are among the predicted classes",
)
precision_at_top_k = _share_of_hits(
    "precision",
    "false_positive",
    "The share of predicted classes that are labels",
)


def _of_largest(
    what: str, at_top_k: Callable[..., Metric], doc: str
) -> Callable[..., Metric]:
    """`at_top_k` of the k largest predictions."""

    @named(f"{what}_at_k", doc)
    def at_k(
        labels: Any,
        predictions: Any,
        k: int,
        class_id: int | None = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        with ops.name_scope(
            name, _at_k(what, k, class_id), (predictions, labels, weights)
        ) as scope:
            return at_top_k(
                labels,
                _largest(predictions, k),
                k,
                class_id,
                weights,
                metrics_collections,
                updates_collections,
                scope,
            )

    return at_k


recall_at_k = _of_largest(
    "recall",
    recall_at_top_k,
    "The share of labels that are among the k classes predicted first.",
)
precision_at_k = _of_largest(
    "precision",
    precision_at_top_k,
    "The share of the k classes predicted first that are labels.",
)


def average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over rows of the mean, over the labels, of the precision where each is found.

    A row with n labels is worth the sum, over places i <= k where a label is predicted, of the share of labels among
    the first i classes, over min(k, n).  In a dense row, n counts the entries that are classes; in a sparse row, the
    different labels.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    with ops.name_scope(
        name, _at_k("average_precision", k), (predictions, labels, weights)
    ) as scope:
        predictions = ops.convert_to_tensor(predictions, name="predictions")
        return published(
            *_average_precision(
                labels,
                _largest(predictions, k),
                array_ops.shape(predictions, out_type=dtypes.int64)[-1],
                weights,
                scope,
            ),
            metrics_collections,
            updates_collections,
        )


def average_precision_at_top_k(
    predictions_idx: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """`average_precision_at_k` of classes [d..., k], those predicted first in front; any label >= 0 is a class.

    Raises:
        ValueError: k is not known while the graph is built, or the predictions are known to have no rows.
    """
    with ops.name_scope(
        name, "average_precision_at_top_k", (predictions_idx, labels, weights)
    ) as scope:
        predictions_idx = math_ops.cast(predictions_idx, dtypes.int64)
        shape = predictions_idx.get_shape()
        if shape.ndims is None or not shape.ndims or shape[-1].value is None:
            raise ValueError(
                f"the last dimension of predictions_idx must be known, got shape {shape}"
            )
        return published(
            *_average_precision(labels, predictions_idx, None, weights, scope),
            metrics_collections,
            updates_collections,
        )


def _average_precision(
    labels: Any,
    predictions_idx: ops.Tensor,
    classes: ops.Tensor | None,
    weights: Any,
    scope: str,
) -> Metric:
    rows = _label_rows(labels, predictions_idx)
    labelled = _distinct(rows)
    if sparse_tensor.is_sparse(labels):
        number = labelled.size()
    else:
        known = rows >= 0
        if classes is not None:
            known = math_ops.logical_and(known, rows < classes)
        number = _count(known)
    k = array_ops.shape(predictions_idx)[-1]
    found = math_ops.cast(labelled.contains(predictions_idx), dtypes.float64)
    places = math_ops.cast(math_ops.range(1, k + 1), dtypes.float64)
    precisions = math_ops.cumsum(found, -1) / places
    sums = math_ops.reduce_sum(precisions * found, -1)
    averages = sums / math_ops.minimum(number, math_ops.cast(k, number.dtype))
    weights = weights_of(weights, averages, dtypes.float64)
    most = Sum(math_ops.reduce_sum(weights), "max")
    total = Sum(math_ops.reduce_sum(averages * weights), "total")
    return ratio(total.value, most.value, "mean"), ratio(total.added, most.added, scope)


# Their old names.
sparse_precision_at_k = precision_at_k
sparse_average_precision_at_k = average_precision_at_k
