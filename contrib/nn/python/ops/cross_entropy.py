# SPDX-License-Identifier: Apache-2.0
"""Cross entropies with their arguments in the order of TensorFlow's first versions."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import nn_impl, nn_ops


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, dim: int = -1, name: str | None = None
) -> ops.Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` with the logits first."""
    return nn_ops.softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, dim=dim, name=name
    )


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, name: str | None = None
) -> ops.Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with the logits first."""
    return nn_ops.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name=name
    )


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: TensorLike, targets: TensorLike, name: str | None = None
) -> ops.Tensor:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with the logits first."""
    return nn_impl.sigmoid_cross_entropy_with_logits(
        labels=targets, logits=logits, name=name
    )
