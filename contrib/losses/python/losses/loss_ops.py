# SPDX-License-Identifier: Apache-2.0
"""Losses with predictions first, which join LOSSES; tf.losses describes each.

Besides the weights of tf.losses, these take weights of examples, [n], for losses of more dimensions.
"""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops.losses import losses_impl, util

__all__ = [
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]


def _spread(weights: TensorLike | None, rank: int | None) -> ops.Tensor:
    """Weights of examples with dimensions of 1 behind."""
    if weights is None:
        raise ValueError("`weights` cannot be None")
    weights = ops.convert_to_tensor(weights)
    own = weights.get_shape().ndims
    if own and rank and own < rank:
        ones = [1] * (rank - own)
        sizes = array_ops.concat([array_ops.shape(weights), ones], 0)
        static = weights.get_shape().concatenate(ones)
        weights = array_ops.reshape(weights, sizes)
        weights.set_shape(static)
    return weights


def _pair(predictions: Any, labels: Any) -> tuple[ops.Tensor, ops.Tensor]:
    if predictions is None or labels is None:
        raise ValueError("predictions and labels cannot be None")
    predictions = ops.convert_to_tensor(predictions)
    labels = ops.convert_to_tensor(labels)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels


def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
) -> ops.Tensor:
    """The sum of weighted losses over the number of weights that are not 0: a scalar in LOSSES.

    Args:
        losses: [n, ...].
        weights: a scalar, [n], or of the losses' shape with sizes equal to theirs or 1.
        scope: the scope of the ops.

    Raises:
        ValueError: None, or shapes that do not fit.
    """
    losses = ops.convert_to_tensor(losses)
    weights = _spread(weights, losses.get_shape().ndims)
    return losses_impl.compute_weighted_loss(losses, weights, scope=scope)


@add_arg_scope
def add_loss(loss: ops.Tensor, loss_collection: str = ops.GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection; None: to none."""
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: str = ops.GraphKeys.LOSSES
) -> list[ops.Tensor]:
    """The losses of a collection whose names begin with `scope`."""
    return ops.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[ops.Tensor]:
    """The losses of REGULARIZATION_LOSSES whose names begin with `scope`."""
    return ops.get_collection(ops.GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss"
) -> ops.Tensor:
    """The sum of all losses, and of those of regularizers."""
    return util.get_total_loss(add_regularization_losses, name)


def absolute_difference(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> ops.Tensor:
    """|predictions - labels|."""
    predictions, labels = _pair(predictions, labels)
    weights = _spread(weights, predictions.get_shape().ndims)
    return losses_impl.absolute_difference(labels, predictions, weights, scope)


def sigmoid_cross_entropy(
    logits: TensorLike,
    multi_class_labels: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> ops.Tensor:
    """Cross entropies of independent classes: logits and labels [n, classes].

    `label_smoothing` moves labels by that much towards 1/2.
    """
    logits, labels = _pair(logits, multi_class_labels)
    weights = _spread(weights, logits.get_shape().ndims)
    return losses_impl.sigmoid_cross_entropy(
        labels, logits, weights, label_smoothing, scope
    )


def softmax_cross_entropy(
    logits: TensorLike,
    onehot_labels: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> ops.Tensor:
    """Cross entropies of one class of several: logits and labels [n, classes]; weights a scalar or [n].

    `label_smoothing` moves labels by that much towards 1 / classes.
    """
    logits, labels = _pair(logits, onehot_labels)
    if weights is None:
        raise ValueError("`weights` cannot be None")
    weights = _of_examples(weights)
    return losses_impl.softmax_cross_entropy(
        labels, logits, weights, label_smoothing, scope
    )


def _of_examples(weights: TensorLike) -> ops.Tensor:
    """[n, 1] -> [n]."""
    weights = ops.convert_to_tensor(weights)
    if weights.get_shape().ndims == 2:
        return array_ops.squeeze(weights, [1])
    return weights


def sparse_softmax_cross_entropy(
    logits: TensorLike,
    labels: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> ops.Tensor:
    """Cross entropies of one class of several: logits [n, classes], labels [n] or [n, 1]; weights a scalar or [n]."""
    if weights is None:
        raise ValueError("`weights` cannot be None")
    labels = ops.convert_to_tensor(labels)
    if labels.get_shape().ndims == 2:
        labels = array_ops.squeeze(labels, [1])
    weights = _of_examples(weights)
    return losses_impl.sparse_softmax_cross_entropy(labels, logits, weights, scope)


def log_loss(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> ops.Tensor:
    """Cross entropies of probabilities, to which `epsilon` is added before logarithms."""
    predictions, labels = _pair(predictions, labels)
    weights = _spread(weights, predictions.get_shape().ndims)
    return losses_impl.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(
    logits: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> ops.Tensor:
    """max(0, 1 - y logit), y -1 or 1 for labels 0 and 1."""
    logits, labels = _pair(logits, labels)
    weights = _spread(weights, logits.get_shape().ndims)
    return losses_impl.hinge_loss(labels, logits, weights, scope)


def mean_squared_error(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> ops.Tensor:
    """(predictions - labels)^2."""
    predictions, labels = _pair(predictions, labels)
    weights = _spread(weights, predictions.get_shape().ndims)
    return losses_impl.mean_squared_error(labels, predictions, weights, scope)


def mean_pairwise_squared_error(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> ops.Tensor:
    """Sums, over examples, the mean over all ordered pairs of elements of (error i - error j)^2.

    A pair of an element with itself counts.  Weights are a scalar or [n].
    """
    predictions, labels = _pair(predictions, labels)
    if weights is None:
        raise ValueError("`weights` cannot be None")
    with ops.name_scope(
        scope, "mean_pairwise_squared_error", [predictions, labels]
    ) as name:
        errors = math_ops.cast(predictions, dtypes.float32) - math_ops.cast(
            labels, dtypes.float32
        )
        rows = array_ops.reshape(errors, [array_ops.shape(errors)[0], -1])
        weights = math_ops.cast(weights, dtypes.float32)
        if weights.get_shape().ndims not in (0, None):
            weights = array_ops.reshape(weights, [-1])
            weights.get_shape().assert_is_compatible_with(rows.get_shape()[:1])
        # mean (a - b)^2 = 2 (mean a^2 - (mean a)^2)
        squares = math_ops.reduce_mean(math_ops.square(rows), 1)
        spread = squares - math_ops.square(math_ops.reduce_mean(rows, 1))
        loss = math_ops.reduce_sum(2.0 * spread * weights, name=name)
    add_loss(loss)
    return loss


def cosine_distance(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    dim: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
) -> ops.Tensor:
    """1 - the scalar product along `dim` of vectors of length 1."""
    predictions, labels = _pair(predictions, labels)
    if dim is None:
        raise ValueError("`dim` cannot be None.")
    weights = _spread(weights, predictions.get_shape().ndims)
    return losses_impl.cosine_distance(labels, predictions, dim, weights, scope)
