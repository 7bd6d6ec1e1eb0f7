# SPDX-License-Identifier: Apache-2.0
"""The table of labels against predictions."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, check_ops, control_flow_ops, math_ops


def remove_squeezable_dimensions(
    labels: TensorLike,
    predictions: TensorLike,
    expected_rank_diff: int = 0,
    name: str | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """(labels, predictions), the one with a last dimension of 1 too many without it.

    Their ranks shall differ by `expected_rank_diff`; where ranks are not known, the run decides.
    """
    with ops.name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        labels = ops.convert_to_tensor(labels)
        predictions = ops.convert_to_tensor(predictions)
        shapes = labels.get_shape(), predictions.get_shape()
        if shapes[0].ndims is not None and shapes[1].ndims is not None:
            diff = shapes[1].ndims - shapes[0].ndims
            if diff == expected_rank_diff + 1 and _may_be_one(shapes[1]):
                predictions = array_ops.squeeze(predictions, [-1])
            elif diff == expected_rank_diff - 1 and _may_be_one(shapes[0]):
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        diff = array_ops.rank(predictions) - array_ops.rank(labels)
        if shapes[1].ndims is None or _may_be_one(shapes[1]):
            predictions = _squeezed_if(diff, expected_rank_diff + 1, predictions)
        if shapes[0].ndims is None or _may_be_one(shapes[0]):
            labels = _squeezed_if(diff, expected_rank_diff - 1, labels)
        return labels, predictions


def _may_be_one(shape: Any) -> bool:
    return shape.ndims > 0 and shape.dims[-1].is_compatible_with(1)


def _squeezed_if(diff: Any, wanted: int, value: ops.Tensor) -> ops.Tensor:
    return control_flow_ops.cond(
        math_ops.equal(diff, wanted),
        lambda: array_ops.squeeze(value, [-1]),
        lambda: array_ops.identity(value),
    )


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> ops.Tensor:
    """Counts how often each label (row) met each prediction (column): [num_classes, num_classes].

    `labels` and `predictions` are vectors of classes 0, 1, ...; `num_classes` is one more than the
    largest if not given.  Each pair counts 1, or what `weights` holds.  The run fails for a negative
    class or one that is not below `num_classes`.
    """
    with ops.name_scope(
        name, "confusion_matrix", [predictions, labels, num_classes, weights]
    ) as scope:
        labels, predictions = remove_squeezable_dimensions(
            ops.convert_to_tensor(labels, name="labels"),
            ops.convert_to_tensor(predictions, name="predictions"),
        )
        labels = _checked(labels, "labels", check_ops.assert_non_negative)
        predictions = _checked(
            predictions, "predictions", check_ops.assert_non_negative
        )
        if num_classes is None:
            num_classes = (
                math_ops.maximum(
                    math_ops.reduce_max(predictions), math_ops.reduce_max(labels)
                )
                + 1
            )
        else:
            num_classes = math_ops.cast(
                ops.convert_to_tensor(num_classes), dtypes.int64
            )
            labels = _below(labels, num_classes, "labels")
            predictions = _below(predictions, num_classes, "predictions")
        if weights is None:
            values = array_ops.ones(array_ops.shape(predictions), dtype)
        else:
            weights = ops.convert_to_tensor(weights)
            predictions.get_shape().assert_is_compatible_with(weights.get_shape())
            values = math_ops.cast(weights, dtype)
        return array_ops.scatter_nd(
            array_ops.stack([labels, predictions], axis=1),
            values,
            array_ops.stack([num_classes, num_classes]),
            name=scope,
        )


def _checked(classes: Any, what: str, check: Any) -> ops.Tensor:
    classes = math_ops.cast(classes, dtypes.int64)
    message = f"`{what}` contains negative values"
    with ops.control_dependencies([check(classes, message=message)]):
        return array_ops.identity(classes)


def _below(classes: Any, limit: Any, what: str) -> ops.Tensor:
    check = check_ops.assert_less(classes, limit, message=f"`{what}` out of bound")
    with ops.control_dependencies([check]):
        return array_ops.identity(classes)
