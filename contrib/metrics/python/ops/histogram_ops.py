# SPDX-License-Identifier: Apache-2.0
"""The area under a ROC curve from histograms of scores, which need no memory of the scores."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    histogram_ops,
    math_ops,
    state_ops,
    variable_scope,
    variables,
)

__all__ = ["auc_using_histogram"]


def auc_using_histogram(
    boolean_labels: TensorLike,
    scores: TensorLike,
    score_range: Sequence[float],
    nbins: int = 100,
    collections: list[str] | None = None,
    check_shape: bool = True,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Operation]:
    """The area under the ROC curve, up to the width of a bin.

    Args:
        boolean_labels: bools [n].
        scores: numbers [n].
        score_range: (least, largest) score; others count as these.
        nbins: how many bins each histogram has.
        collections: the collections of the histograms; None: LOCAL_VARIABLES.
        check_shape: whether the two shapes are compared in a run.
        name: the name of the scope.

    Returns:
        The area so far, and the operation that adds a batch.
    """
    if collections is None:
        collections = [ops.GraphKeys.LOCAL_VARIABLES]
    with variable_scope.variable_scope(
        name, "auc_using_histogram", [boolean_labels, scores, score_range]
    ):
        scores = ops.convert_to_tensor(scores)
        labels = ops.convert_to_tensor(boolean_labels)
        if labels.dtype.base_dtype != dtypes.bool:
            raise TypeError(f"boolean_labels must be bool, got {labels.dtype}")
        checks = [check_ops.assert_rank(labels, 1), check_ops.assert_rank(scores, 1)]
        if check_shape:
            checks.append(
                check_ops.assert_equal(array_ops.shape(labels), array_ops.shape(scores))
            )
        score_range = ops.convert_to_tensor(score_range, scores.dtype.base_dtype)
        with ops.control_dependencies(checks):
            labels = array_ops.identity(labels)
        histograms, updates = [], []
        for which, mask in (
            ("true", labels),
            ("false", math_ops.logical_not(labels)),
        ):
            kept = variables.Variable(
                array_ops.zeros([nbins], dtypes.float32),
                trainable=False,
                collections=collections,
                name=f"hist_{which}_acc",
            )
            batch = histogram_ops.histogram_fixed_width(
                array_ops.boolean_mask(scores, mask), score_range, nbins=nbins
            )
            updates.append(
                state_ops.assign_add(kept, math_ops.cast(batch, dtypes.float32)).op
            )
            histograms.append(kept.value())
        area = _area(*histograms)
        return area, control_flow_ops.group(*updates)


def _area(true: ops.Tensor, false: ops.Tensor) -> ops.Tensor:
    """Returns the area under a polygon with a point for each bin, from the highest scores down."""

    def rates(counts: ops.Tensor) -> ops.Tensor:
        shares = counts / math_ops.maximum(math_ops.reduce_sum(counts), 1.0)
        above = math_ops.cumsum(array_ops.reverse(shares, [0]))
        return array_ops.concat([[0.0], above], 0)

    hits, alarms = rates(true), rates(false)
    return math_ops.reduce_sum((alarms[1:] - alarms[:-1]) * (hits[1:] + hits[:-1]) / 2)
