# SPDX-License-Identifier: Apache-2.0
"""Targets of models: how logits become a loss and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator.canned import head as head_lib
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops
from tensorwright.python.ops.losses import losses_impl

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["binary_svm_target", "multi_class_target", "regression_target"]


class TargetColumn:
    """A loss function, with the keys of its targets and weights.

    Args:
        loss_fn: `f(logits, target)`: a loss for each example and output.
        num_label_columns: how many logits an example has.
        label_name: the target's key in a dict of labels; None: labels are the target.
        weight_column_name: the key of examples' weights among the features; None: all count alike.
        problem_type: "classification" or "regression".
    """

    def __init__(
        self,
        loss_fn: Callable[..., ops.Tensor],
        num_label_columns: int,
        label_name: str | None,
        weight_column_name: str | None,
        problem_type: str,
    ):
        self._loss_fn = loss_fn
        self.num_label_columns = num_label_columns
        self.label_name = label_name
        self.weight_column_name = weight_column_name
        self.problem_type = problem_type

    def get_weight_tensor(
        self, features: Mapping[str, TensorLike]
    ) -> ops.Tensor | None:
        """The examples' weights [n], None if all count alike."""
        if not self.weight_column_name:
            return None
        weights = math_ops.cast(features[self.weight_column_name], dtypes.float32)
        return array_ops.reshape(weights, [-1])

    def _target(self, target: Any) -> Any:
        return target if self.label_name is None else target[self.label_name]

    def losses(self, logits: ops.Tensor, target: TensorLike) -> ops.Tensor:
        """The loss of each example, [n]; the mean of all outputs where it has several."""
        each = self._loss_fn(logits, target)
        if each.get_shape().ndims == 2:
            each = math_ops.reduce_mean(each, 1)
        return array_ops.reshape(each, [-1])

    def loss(
        self, logits: ops.Tensor, target: TensorLike, features: dict
    ) -> ops.Tensor:
        """The mean over all examples of their weighted losses."""
        each = self.losses(logits, self._target(target))
        weights = self.get_weight_tensor(features)
        if weights is not None:
            each *= weights
        return math_ops.reduce_mean(each, name="loss")

    def training_loss(
        self,
        logits: ops.Tensor,
        target: TensorLike,
        features: dict,
        name: str = "training_loss",
    ) -> ops.Tensor:
        """Returns the loss to minimize, `loss`."""
        return array_ops.identity(self.loss(logits, target, features), name=name)

    def weighted_mean_loss(
        self, logits: ops.Tensor, target: TensorLike, features: dict
    ) -> ops.Tensor:
        """The sum of weighted losses, divided by that of weights."""
        weights = self.get_weight_tensor(features)
        each = self.losses(logits, self._target(target))
        if weights is None:
            return math_ops.reduce_mean(each)
        return math_ops.reduce_sum(each * weights) / math_ops.reduce_sum(weights)

    def logits_to_predictions(
        self, logits: ops.Tensor, proba: bool = False
    ) -> ops.Tensor:
        """Returns predicted numbers; or classes, with `proba` the probabilities of all.

        ValueError if probabilities are asked for and there are none.
        """
        if self.problem_type == "regression":
            if proba:
                raise ValueError("A regression has no probabilities")
            if self.num_label_columns == 1:
                return array_ops.squeeze(logits, [1])
            return logits
        if self.num_label_columns == 1:
            logits = head_lib.logits_of_both(logits)
        if proba:
            return nn_ops.softmax(logits)
        return math_ops.argmax(logits, 1)


class _BinarySvm(TargetColumn):
    def logits_to_predictions(
        self, logits: ops.Tensor, proba: bool = False
    ) -> ops.Tensor:
        if proba:
            raise ValueError(
                "logits to probabilities is not supported for _BinarySvmTargetColumn"
            )
        return super().logits_to_predictions(logits)


def as_column(target: TensorLike, dtype: DTypeLike = dtypes.float32) -> ops.Tensor:
    """Labels [n] as [n, 1], others as they are."""
    target = ops.convert_to_tensor(target)
    if target.get_shape().ndims == 1:
        target = array_ops.expand_dims(target, 1)
    return math_ops.cast(target, dtype)


def regression_target(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
) -> TargetColumn:
    """Numbers [n, label_dimension], whose squared errors are the loss."""
    head = head_lib.RegressionHead(label_dimension)
    return TargetColumn(
        lambda logits, target: head.losses(as_column(target), logits),
        label_dimension,
        label_name,
        weight_column_name,
        "regression",
    )


def multi_class_target(
    n_classes: int, label_name: str | None = None, weight_column_name: str | None = None
) -> TargetColumn:
    """Classes [n] or [n, 1], whose cross entropies are the loss; two classes have one logit.

    Raises:
        ValueError: fewer than two classes.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")

    head = head_lib.classifier_head(n_classes)

    def cross_entropies(logits: ops.Tensor, target: Any) -> ops.Tensor:
        dtype = dtypes.float32 if n_classes == 2 else dtypes.int64
        column = array_ops.reshape(target, [-1, 1])
        return head.losses(math_ops.cast(column, dtype), logits)

    return TargetColumn(
        cross_entropies,
        head.logits_dimension,
        label_name,
        weight_column_name,
        "classification",
    )


def binary_svm_target(
    label_name: str | None = None, weight_column_name: str | None = None
) -> TargetColumn:
    """Classes 0 and 1, [n] or [n, 1], whose hinge losses are the loss."""

    def hinge(logits: ops.Tensor, target: Any) -> ops.Tensor:
        return losses_impl.hinge_loss(as_column(target), logits, reduction="none")

    return _BinarySvm(hinge, 1, label_name, weight_column_name, "classification")
