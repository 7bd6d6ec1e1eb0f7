# SPDX-License-Identifier: Apache-2.0
"""Confusion matrices."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import confusion_matrix as core

__all__ = ["confusion_matrix"]


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> ops.Tensor:
    """`tf.confusion_matrix`: how often each label was predicted as each class."""
    return core.confusion_matrix(
        labels, predictions, num_classes, dtype=dtype, name=name, weights=weights
    )
