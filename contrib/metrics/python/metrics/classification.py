# SPDX-License-Identifier: Apache-2.0
"""The accuracy of one batch."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops

__all__ = ["accuracy"]


def accuracy(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The share of predictions that are the labels, or the mean of the weights of those.

    Args:
        predictions: bools, integers or strings.
        labels: a tensor of the same dtype and shape.
        weights: floats of that shape, or one for all.
        name: the name of the ops.

    Raises:
        ValueError: another dtype, or two.
    """
    predictions = ops.convert_to_tensor(predictions)
    labels = ops.convert_to_tensor(labels)
    dtype = labels.dtype.base_dtype
    if not (dtype.is_integer or dtype in (dtypes.bool, dtypes.string)):
        raise ValueError(f"Labels should have bool, string, or integer dtype, given: {dtype}")  # fmt: skip
    if dtype != predictions.dtype.base_dtype:
        raise ValueError(f"Dtypes of predictions and labels should match. Given: predictions ({predictions.dtype}) and labels ({dtype})")  # fmt: skip
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    with ops.name_scope(name, "accuracy", [predictions, labels]):
        right = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is None:
            return math_ops.reduce_mean(right)
        weights = math_ops.cast(weights, dtypes.float32)
        spread = weights * math_ops.cast(right * 0 + 1, dtypes.float32)
        return math_ops.reduce_sum(right * weights) / math_ops.reduce_sum(spread)
