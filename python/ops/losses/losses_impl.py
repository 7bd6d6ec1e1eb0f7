# SPDX-License-Identifier: Apache-2.0
"""Losses: the error of each prediction, weighted, and reduced to one number.

Every function here takes `weights`, a scalar or a tensor of the losses' rank whose sizes are theirs or 1, that each
loss is multiplied by; `scope`, the name of its operations; `loss_collection`, to which the result is added (None:
to none); and `reduction`, one of `Reduction`: how the losses are reduced.  A shape that does not fit, and None for a
required argument, raise ValueError.  All compute in float32 but the cross entropies, which keep the dtype of their
logits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    confusion_matrix,
    math_ops,
    nn_impl,
    nn_ops,
    weights_broadcast_ops,
)
from tensorwright.python.ops.losses import util
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

_LOSSES = ops.GraphKeys.LOSSES


class Reduction:
    """Says how weighted losses become one number.

    NONE: they are kept as they are.  SUM: their sum.  SUM_OVER_BATCH_SIZE: the sum over the number of losses.  MEAN:
        the
    sum over the sum of the weights.  SUM_BY_NONZERO_WEIGHTS (or SUM_OVER_NONZERO_WEIGHTS): the sum over the number of
    weights that are not 0.  If a divisor is 0, so is the result.
    """

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every reduction, in the order of the class; the last has two names."""
        return tuple(value for key, value in vars(Reduction).items() if key.isupper())

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError if `key` is no reduction."""
        if key not in cls.all():
            raise ValueError(
                f"reduction must be one of {', '.join(map(str, cls.all()))}, got {key!r}"
            )


def _num_present(
    losses: ops.Tensor, weights: ops.Tensor, per_batch: bool = False
) -> ops.Tensor:
    """Counts the losses with a weight other than 0: [], or [n, 1...] with a count for each batch entry."""
    present = math_ops.cast(math_ops.not_equal(weights, 0), losses.dtype)
    present = weights_broadcast_ops.broadcast_weights(present, losses)
    if per_batch:
        return _sum_in_batch(present)
    return math_ops.reduce_sum(present, name="num_present")


def _sum_in_batch(x: ops.Tensor) -> ops.Tensor:
    """[n, d...] -> [n, 1...]: the sums of all but the first dimension."""
    return math_ops.reduce_sum(x, math_ops.range(1, array_ops.rank(x)), keepdims=True)


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """The weighted `losses`, reduced: of their dtype, [] (their shape for Reduction.NONE).

    Computed in float32, or float64 where `losses` are.  See this module for the arguments.
    """
    Reduction.validate(reduction)
    with ops.name_scope(scope, "weighted_loss", (losses, weights)):
        losses = ops.convert_to_tensor(losses)
        wide = dtypes.float64 if losses.dtype == dtypes.float64 else dtypes.float32
        dtype = losses.dtype
        weights = math_ops.cast(ops.convert_to_tensor(weights), wide)
        check = weights_broadcast_ops.assert_broadcastable(weights, losses)
        with ops.control_dependencies([check]):
            losses = math_ops.cast(losses, wide)
            loss = math_ops.multiply(losses, weights)
            if reduction != Reduction.NONE:
                loss = _reduced(loss, losses, weights, reduction)
        loss = math_ops.cast(loss, dtype)
        util.add_loss(loss, loss_collection)
        return loss


def _reduced(
    weighted: ops.Tensor, losses: ops.Tensor, weights: ops.Tensor, reduction: str
) -> ops.Tensor:
    total = math_ops.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.MEAN:
        count = math_ops.reduce_sum(array_ops.ones_like(losses) * weights)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = math_ops.cast(array_ops.size(losses), losses.dtype)
    else:
        count = _num_present(losses, weights)
    return math_ops.div_no_nan(total, count, name="value")


def _given(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"{name} is needed, got None")


def _pair(labels: Any, predictions: Any) -> tuple[ops.Tensor, ops.Tensor]:
    """Returns both as float32 tensors; ValueError if their shapes cannot be equal."""
    predictions = math_ops.cast(predictions, dtypes.float32)
    labels = math_ops.cast(labels, dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, predictions


def _loss_of_pair(
    default_name: str,
    function: Callable[[ops.Tensor, ops.Tensor], ops.Tensor],
    labels: Any,
    predictions: Any,
    weights: Any,
    scope: str | None,
    loss_collection: str | None,
    reduction: str,
) -> ops.Tensor:
    """The weighted `function(labels, predictions)`, both float32, in a scope of its own."""
    with ops.name_scope(scope, default_name, (predictions, labels, weights)) as scope:
        losses = function(*_pair(labels, predictions))
        return compute_weighted_loss(
            losses, weights, scope, loss_collection, reduction=reduction
        )


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """|predictions - labels|, both of one shape; see this module for the rest."""
    _given(labels=labels, predictions=predictions)
    rest = (labels, predictions, weights, scope, loss_collection, reduction)
    return _loss_of_pair("absolute_difference", lambda y, p: math_ops.abs(p - y), *rest)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> ops.Tensor:
    """1 - the sum of predictions * labels along `axis`, of vectors of length 1: [..., n, ...] -> [..., 1, ...].

    `dim` is the old name of `axis`.  See this module for the rest.
    """
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    _given(axis=axis, labels=labels, predictions=predictions)

    def losses(y: ops.Tensor, p: ops.Tensor) -> ops.Tensor:
        return 1 - math_ops.reduce_sum(p * y, axis, keepdims=True)

    rest = (labels, predictions, weights, scope, loss_collection, reduction)
    return _loss_of_pair("cosine_distance_loss", losses, *rest)


def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """max(0, 1 - y logits), y being -1 for a label of 0 and 1 for one of 1; see this module for the rest."""
    _given(labels=labels, logits=logits)
    rest = (labels, logits, weights, scope, loss_collection, reduction)
    return _loss_of_pair(
        "hinge_loss", lambda y, x: nn_ops.relu(1 - (2 * y - 1) * x), *rest
    )


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """e^2 / 2 for an error |e| <= delta, linear beyond: delta |e| - delta^2 / 2; see this module for the rest."""
    _given(labels=labels, predictions=predictions)

    def losses(y: ops.Tensor, p: ops.Tensor) -> ops.Tensor:
        error = math_ops.abs(p - y)
        quadratic = math_ops.minimum(error, delta)
        # The gradient of each part is bounded, as e^2 beyond delta is not.
        linear = error - quadratic
        return 0.5 * quadratic * quadratic + delta * linear

    rest = (labels, predictions, weights, scope, loss_collection, reduction)
    return _loss_of_pair("huber_loss", losses, *rest)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """-labels log(p + epsilon) - (1 - labels) log(1 - p + epsilon); see this module for the rest."""
    _given(labels=labels, predictions=predictions)

    def losses(y: ops.Tensor, p: ops.Tensor) -> ops.Tensor:
        return -y * math_ops.log(p + epsilon) - (1 - y) * math_ops.log(1 - p + epsilon)

    rest = (labels, predictions, weights, scope, loss_collection, reduction)
    return _loss_of_pair("log_loss", losses, *rest)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
) -> ops.Tensor:
    """The mean of ((p_i - p_j) - (l_i - l_j))^2 over the pairs of each batch entry, added up over the batch: [].

    labels, predictions: [n, d...].  `weights`: a scalar, or [n, 1...] to weigh entries.  See this module for the
    rest.
    """
    _given(labels=labels, predictions=predictions)
    with ops.name_scope(
        scope, "mean_pairwise_squared_error", (predictions, labels, weights)
    ):
        labels, predictions = _pair(labels, predictions)
        weights = math_ops.cast(ops.convert_to_tensor(weights), labels.dtype)
        check = weights_broadcast_ops.assert_broadcastable(weights, labels)
        with ops.control_dependencies([check]):
            errors = predictions - labels
            present = _num_present(errors, weights, per_batch=True)
            # With n errors e, the sum over pairs i < j of (e_i - e_j)^2 is n sum e^2 - (sum e)^2.
            squares = math_ops.div_no_nan(
                _sum_in_batch(math_ops.square(errors)),
                math_ops.maximum(present - 1, 0),
            )
            square = math_ops.div_no_nan(
                math_ops.square(_sum_in_batch(errors)),
                math_ops.maximum(present * (present - 1), 0),
            )
            weighted = 2 * (squares - square) * weights
        loss = math_ops.reduce_sum(weighted)
        total = math_ops.reduce_sum(present)
        loss = array_ops.where(total > 0, loss, array_ops.zeros_like(loss), "value")
        util.add_loss(loss, loss_collection)
        return loss


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """(predictions - labels)^2, both of one shape; see this module for the rest."""
    _given(labels=labels, predictions=predictions)
    rest = (labels, predictions, weights, scope, loss_collection, reduction)
    return _loss_of_pair(
        "mean_squared_error", lambda y, p: math_ops.squared_difference(p, y), *rest
    )


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """The cross entropy of independent labels in [0, 1], of the shape of `logits`.

    `label_smoothing` moves labels that much of their way to 1/2.  See this module for the rest.
    """
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with ops.name_scope(
        scope, "sigmoid_cross_entropy_loss", (logits, multi_class_labels, weights)
    ) as scope:
        logits = ops.convert_to_tensor(logits)
        labels = math_ops.cast(multi_class_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn_impl.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(
            losses, weights, scope, loss_collection, reduction=reduction
        )


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """The cross entropy of rows of probabilities: labels and logits [n..., classes], losses [n...].

    `label_smoothing` moves labels that much of their way to 1 / classes; no gradient reaches them.  See this module
    for the rest.
    """
    _given(onehot_labels=onehot_labels, logits=logits)
    with ops.name_scope(
        scope, "softmax_cross_entropy_loss", (logits, onehot_labels, weights)
    ) as scope:
        logits = ops.convert_to_tensor(logits)
        labels = math_ops.cast(onehot_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[-1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        losses = nn_ops.softmax_cross_entropy_with_logits_v2(
            labels=array_ops.stop_gradient(labels), logits=logits, name="xentropy"
        )
        return compute_weighted_loss(
            losses, weights, scope, loss_collection, reduction=reduction
        )


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> ops.Tensor:
    """As `softmax_cross_entropy`, for labels that are class numbers: integers [n...] or [n..., 1], logits [n...,
    classes].

    `weights` may be [n..., 1] too.  See this module for the rest.
    """
    _given(labels=labels, logits=logits)
    with ops.name_scope(
        scope, "sparse_softmax_cross_entropy_loss", (logits, labels, weights)
    ) as scope:
        labels, logits = confusion_matrix.remove_squeezable_dimensions(
            labels, logits, expected_rank_diff=1
        )
        losses = nn_ops.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        weights = ops.convert_to_tensor(weights)
        if weights.get_shape().ndims != 0:
            weights, _ = confusion_matrix.remove_squeezable_dimensions(weights, losses)
        return compute_weighted_loss(
            losses, weights, scope, loss_collection, reduction=reduction
        )
