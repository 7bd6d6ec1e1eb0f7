# SPDX-License-Identifier: Apache-2.0
"""Models that ignore their features: every other model should do better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import estimator
from tensorwright.python.estimator.canned import (
    head as head_lib,
    optimizers,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import OptimizerLike, PathLike
from tensorwright.python.ops import array_ops, init_ops, math_ops, variable_scope
from tensorwright.python.ops.losses import losses

if TYPE_CHECKING:
    from tensorwright.python.estimator.run_config import RunConfig
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )


__all__ = ["BaselineClassifier", "BaselineEstimator", "BaselineRegressor"]

_SUM = losses.Reduction.SUM
# The default optimizer's learning rate.
_LEARNING_RATE = 0.3


def _batch_size(features: Any) -> ops.Tensor:
    if not isinstance(features, dict):
        return array_ops.shape(features)[0]
    if not features:
        raise ValueError("The features are needed for their number, and there are none")
    first = next(iter(features.values()))
    shape = getattr(first, "dense_shape", None)
    return array_ops.shape(first)[0] if shape is None else shape[0]


def _model(features: Any, labels: Any, mode: str, head: Any, optimizer: Any) -> Any:
    size = head.logits_dimension
    with variable_scope.variable_scope("baseline"):
        bias = variable_scope.get_variable(
            "bias", [size], initializer=init_ops.zeros_initializer()
        )
        count = _batch_size(features)
        shape = array_ops.stack([count, math_ops.cast(size, count.dtype)])
        row = array_ops.expand_dims(ops.convert_to_tensor(bias), 0)
        logits = array_ops.broadcast_to(row, shape)
        logits.set_shape([None, size])
    trainer = optimizers.get_optimizer_instance(optimizer, _LEARNING_RATE)
    return head.create_estimator_spec(features, mode, logits, labels, trainer)


class BaselineEstimator(estimator.Estimator):
    """A model that is only a bias, with a head.

    Args:
        head: makes losses and predictions of logits.
        model_dir, config: as in Estimator.
        optimizer: an Optimizer, its name, or a function that returns it; Ftrl with a rate of 0.3 by default.
    """

    def __init__(
        self,
        head: head_lib.Head,
        model_dir: PathLike | None = None,
        optimizer: OptimizerLike | None = "Ftrl",
        config: RunConfig | None = None,
    ):
        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            return _model(features, labels, mode, head, optimizer)

        super().__init__(model_fn, model_dir, config)


class BaselineClassifier(BaselineEstimator):
    """Predicts how frequent each class is; arguments as in LinearClassifier."""

    def __init__(
        self,
        model_dir: PathLike | None = None,
        n_classes: int = 2,
        weight_column: str | FeatureColumn | None = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerLike | None = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = _SUM,
    ):
        head = head_lib.classifier_head(
            n_classes, weight_column, label_vocabulary, loss_reduction
        )
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of the labels; arguments as in LinearRegressor."""

    def __init__(
        self,
        model_dir: PathLike | None = None,
        label_dimension: int = 1,
        weight_column: str | FeatureColumn | None = None,
        optimizer: OptimizerLike | None = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = _SUM,
    ):
        head = head_lib.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)
