# SPDX-License-Identifier: Apache-2.0
"""Wide and deep models: a linear model and dense layers, whose logits are added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import estimator
from tensorwright.python.estimator.canned import (
    dnn as dnn_lib,
    head as head_lib,
    linear as linear_lib,
    optimizers,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import OptimizerLike, PathLike
from tensorwright.python.ops import (
    control_flow_ops,
    nn_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.ops.losses import losses
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from tensorwright.python.estimator.estimator_settings import WarmStartSettings
    from tensorwright.python.estimator.run_config import RunConfig
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.tensor import Tensor


__all__ = [
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
]

_SUM = losses.Reduction.SUM
# The learning rates of the default optimizers; the linear one is an upper limit.
_DNN_LEARNING_RATE = 0.001
_LINEAR_LEARNING_RATE = 0.005


def _model(
    features: Any,
    labels: Any,
    mode: str,
    config: Any,
    head: Any,
    params: dict[str, Any],
) -> Any:
    linear_lib.check_features(features)
    partitioner = params["partitioner"] or linear_lib.default_partitioner(config)
    trainers, logits = {}, []
    if params["dnn_columns"]:
        trainers["dnn"] = optimizers.get_optimizer_instance(
            params["dnn_optimizer"], _DNN_LEARNING_RATE
        )
        with variable_scope.variable_scope(
            "dnn", values=linear_lib.tensors(features), partitioner=partitioner
        ):
            logits.append(
                dnn_lib.dnn_logits(
                    features,
                    mode,
                    params["dnn_columns"],
                    params["hidden_units"],
                    head.logits_dimension,
                    params["activation_fn"],
                    params["dropout"],
                    partitioner,
                )
            )
    columns = params["linear_columns"]
    if columns:
        trainers["linear"] = optimizers.get_optimizer_instance(
            params["linear_optimizer"],
            linear_lib.learning_rate(columns, _LINEAR_LEARNING_RATE),
        )
        with variable_scope.variable_scope(
            "linear", values=linear_lib.tensors(features), partitioner=partitioner
        ):
            logits.append(
                linear_lib.linear_logits(
                    features,
                    columns,
                    head.logits_dimension,
                    params["sparse_combiner"],
                )
            )

    def train_op_fn(loss: ops.Tensor) -> Any:
        updates = [
            optimizer.minimize(
                loss,
                var_list=ops.get_collection(
                    ops.GraphKeys.TRAINABLE_VARIABLES, scope=f"{scope}/"
                ),
            )
            for scope, optimizer in trainers.items()
        ]
        with ops.control_dependencies([control_flow_ops.group(*updates)]):
            return state_ops.assign_add(training_util.get_global_step(), 1).op

    both = logits[0] if len(logits) == 1 else logits[0] + logits[1]
    return head.create_estimator_spec(
        features, mode, both, labels, train_op_fn=train_op_fn
    )


class DNNLinearCombinedEstimator(estimator.Estimator):
    """A linear model and dense layers, trained together, each by its optimizer (Cheng et al. 2016).

    Args:
        head: makes losses and predictions of logits.
        model_dir, config: as in Estimator.
        linear_feature_columns: the columns of the linear model; None: there is none.
        linear_optimizer: the optimizer of the linear model; Ftrl with a rate of 0.005 at most.
        dnn_feature_columns: the columns of the dense layers; None: there are none.
        dnn_optimizer: the optimizer of the dense layers; Adagrad with a rate of 0.001.
        dnn_hidden_units, dnn_activation_fn, dnn_dropout: as in DNNEstimator.
        input_layer_partitioner: the partitioner of variables.
        warm_start_from: as in Estimator.
        linear_sparse_combiner: as in LinearEstimator.

    Raises:
        ValueError: neither kind of columns, or columns of dense layers without their sizes.
    """

    def __init__(
        self,
        head: head_lib.Head,
        model_dir: PathLike | None = None,
        linear_feature_columns: Iterable[FeatureColumn] | None = None,
        linear_optimizer: OptimizerLike | None = "Ftrl",
        dnn_feature_columns: Iterable[FeatureColumn] | None = None,
        dnn_optimizer: OptimizerLike | None = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Tensor] | None = nn_ops.relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        linear_sparse_combiner: str = "sum",
    ):
        params = {
            "linear_columns": tuple(linear_feature_columns or ()),
            "linear_optimizer": linear_optimizer,
            "sparse_combiner": linear_sparse_combiner,
            "dnn_columns": tuple(dnn_feature_columns or ()),
            "dnn_optimizer": dnn_optimizer,
            "hidden_units": tuple(dnn_hidden_units or ()),
            "activation_fn": dnn_activation_fn,
            "dropout": dnn_dropout,
            "partitioner": input_layer_partitioner,
        }
        if not params["linear_columns"] and not params["dnn_columns"]:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        if params["dnn_columns"] and not params["hidden_units"]:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return _model(features, labels, mode, config, head, params)

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A wide and deep classifier.

    Args:
        n_classes: how many classes; the labels are ids, or strings of `label_vocabulary`.
        weight_column: the key of the examples' weights, or its numeric column.
        label_vocabulary: the labels by id.
        loss_reduction: how losses of examples become one number.
        The others: as in DNNLinearCombinedEstimator.
    """

    def __init__(
        self,
        model_dir: PathLike | None = None,
        linear_feature_columns: Iterable[FeatureColumn] | None = None,
        linear_optimizer: OptimizerLike | None = "Ftrl",
        dnn_feature_columns: Iterable[FeatureColumn] | None = None,
        dnn_optimizer: OptimizerLike | None = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Tensor] | None = nn_ops.relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: str | FeatureColumn | None = None,
        label_vocabulary: Sequence[str] | None = None,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = _SUM,
        linear_sparse_combiner: str = "sum",
    ):
        super().__init__(
            head_lib.classifier_head(
                n_classes, weight_column, label_vocabulary, loss_reduction
            ),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
            linear_sparse_combiner,
        )


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A wide and deep regression of `label_dimension` numbers; the rest as in DNNLinearCombinedClassifier."""

    def __init__(
        self,
        model_dir: PathLike | None = None,
        linear_feature_columns: Iterable[FeatureColumn] | None = None,
        linear_optimizer: OptimizerLike | None = "Ftrl",
        dnn_feature_columns: Iterable[FeatureColumn] | None = None,
        dnn_optimizer: OptimizerLike | None = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Tensor] | None = nn_ops.relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: str | FeatureColumn | None = None,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = _SUM,
        linear_sparse_combiner: str = "sum",
    ):
        super().__init__(
            head_lib.RegressionHead(label_dimension, weight_column, loss_reduction),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
            linear_sparse_combiner,
        )
