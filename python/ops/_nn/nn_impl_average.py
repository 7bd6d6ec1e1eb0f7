# SPDX-License-Identifier: Apache-2.0
"""Losses of a batch that is spread over replicas; here there is one replica."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.losses import losses_impl


def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: TensorLike | None = None,
) -> ops.Tensor:
    """The sum of losses, each times its weight, over the batch size: [batch, ...] -> [].

    `sample_weight`: a scalar or as in `tf.losses`.  `global_batch_size`: the first size of the losses by default.

    Raises:
        ValueError: for losses without a batch dimension, or a batch size that is no scalar.
        TypeError: for a batch size that is no integer.
    """
    loss = ops.convert_to_tensor(per_example_loss, name="per_example_loss")
    if loss.get_shape().ndims == 0:
        raise ValueError(
            f"compute_average_loss: per_example_loss must have rank >= 1, got {loss}"
        )
    if sample_weight is not None:
        weight = ops.convert_to_tensor(sample_weight, name="sample_weight")
        loss = losses_impl.compute_weighted_loss(
            loss,
            weight,
            loss_collection=None,
            reduction=losses_impl.Reduction.NONE,
        )
    if global_batch_size is None:
        global_batch_size = array_ops.shape(loss)[0]
    size = ops.convert_to_tensor(global_batch_size, name="global_batch_size")
    if not size.dtype.is_integer:
        raise TypeError(f"global_batch_size must be an integer, got {size.dtype.name}")
    if size.get_shape().ndims not in (None, 0):
        raise ValueError(f"global_batch_size must be scalar, got {size.get_shape()}")
    return math_ops.reduce_sum(loss) / math_ops.cast(size, loss.dtype)


def scale_regularization_loss(regularization_loss: TensorLike) -> ops.Tensor:
    """The sum of a regularization loss over the number of replicas, 1: [...] -> []."""
    return math_ops.reduce_sum(regularization_loss)
