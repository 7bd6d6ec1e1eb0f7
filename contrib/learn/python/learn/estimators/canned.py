# SPDX-License-Identifier: Apache-2.0
"""Estimators of linear models, of deep ones, and of both together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.layers.python.layers import (
    feature_column_ops,
    layers,
    optimizers,
    summaries,
)
from tensorwright.contrib.learn.python.learn.estimators import (
    _unsupported,
    head as head_lib,
)
from tensorwright.contrib.learn.python.learn.estimators.constants import PredictionKey
from tensorwright.contrib.learn.python.learn.estimators.estimator import Estimator
from tensorwright.contrib.learn.python.learn.estimators.model_fn import ModeKeys
from tensorwright.python.estimator.canned import linear as core_linear
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import OptimizerLike, TensorTree
from tensorwright.python.ops import (
    nn_ops,
    state_ops,
    variable_scope,
)
from tensorwright.python.training import adagrad, ftrl, training_util

if TYPE_CHECKING:
    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
    from tensorwright.python.framework.tensor import Tensor


__all__ = [
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
]

_LINEAR, _DNN = "linear", "dnn"


def _as_dict(features: Any) -> dict[Any, Any]:
    return features if isinstance(features, dict) else {"": features}


def _linear_logits(features: Any, params: dict[str, Any], size: int) -> ops.Tensor:
    columns = params["linear_feature_columns"]
    with variable_scope.variable_scope(_LINEAR) as scope:
        weigh = (
            feature_column_ops.joint_weighted_sum_from_feature_columns
            if params.get("joint")
            else feature_column_ops.weighted_sum_from_feature_columns
        )
        logits, _, _ = weigh(
            features,
            columns,
            num_outputs=size,
            weight_collections=[_LINEAR],
            scope=scope,
        )
        return logits


def _dnn_logits(features: Any, params: dict[str, Any], size: int, mode: str) -> Any:
    with variable_scope.variable_scope(_DNN):
        with variable_scope.variable_scope("input_from_feature_columns") as scope:
            net = feature_column_ops.input_from_feature_columns(
                features,
                params["dnn_feature_columns"],
                weight_collections=[_DNN],
                scope=scope,
            )
        for i, units in enumerate(params["hidden_units"]):
            with variable_scope.variable_scope(f"hiddenlayer_{i}") as scope:
                net = layers.fully_connected(
                    net,
                    units,
                    activation_fn=params["activation_fn"],
                    variables_collections=[_DNN],
                    scope=scope,
                )
                if params.get("dropout") and mode == ModeKeys.TRAIN:
                    net = layers.dropout(net, keep_prob=1.0 - params["dropout"])
            summaries.summarize_activation(net)
        with variable_scope.variable_scope("logits") as scope:
            return layers.fully_connected(
                net,
                size,
                activation_fn=None,
                variables_collections=[_DNN],
                scope=scope,
            )


def _optimizer(given: Any, default: Callable[[], Any]) -> Any:
    if given is None:
        return default()
    return given() if callable(given) and not isinstance(given, type) else given


def _combined_model(features: Any, labels: Any, mode: str, params: dict) -> Any:
    """Linear logits, deep ones, or their sum."""
    features = _as_dict(features)
    head = params["head"]
    size = head.logits_dimension
    parts: dict[str, Any] = {}
    if params.get("linear_feature_columns"):
        parts[_LINEAR] = _linear_logits(features, params, size)
    if params.get("dnn_feature_columns"):
        parts[_DNN] = _dnn_logits(features, params, size, mode)
    logits = sum(list(parts.values())[1:], next(iter(parts.values())))
    columns = params.get("linear_feature_columns") or [None]
    rates = {_LINEAR: core_linear.learning_rate(columns, 0.2), _DNN: 0.05}
    defaults = {
        _LINEAR: lambda: ftrl.FtrlOptimizer(learning_rate=rates[_LINEAR]),
        _DNN: lambda: adagrad.AdagradOptimizer(learning_rate=rates[_DNN]),
    }

    def train(loss: ops.Tensor) -> ops.Operation:
        updates = []
        for part in parts:
            variables = ops.get_collection(part)
            trained = [v for v in dict.fromkeys(variables) if v.trainable]
            bias = [v for v in ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES) if "centered_bias" in v.op.name]  # fmt: skip
            updates.append(
                optimizers.optimize_loss(
                    loss=loss,
                    global_step=None,
                    learning_rate=rates[part],
                    optimizer=_optimizer(
                        params.get(f"{part}_optimizer"), defaults[part]
                    ),
                    clip_gradients=params.get("gradient_clip_norm"),
                    variables=[*trained, *bias],
                    name=part,
                    summaries=[],
                    increment_global_step=False,
                )
            )
        with ops.control_dependencies(updates):
            return state_ops.assign_add(training_util.get_global_step(), 1).op

    return head.create_model_fn_ops(features, mode, labels, train, logits=logits)


class DNNLinearCombinedEstimator(Estimator):
    """A linear and a deep model, whose logits are added (Cheng et al. 2016).

    Args:
        head: makes losses and predictions of logits.
        model_dir: the folder.
        linear_feature_columns: the columns of the linear model; None: none.
        linear_optimizer: the optimizer of the linear model; None: Ftrl.
        dnn_feature_columns: the columns of the deep model; None: none.
        dnn_optimizer: the optimizer of the deep model; None: Adagrad.
        dnn_hidden_units: the sizes of its layers.
        dnn_activation_fn: the activation of the layers.
        dnn_dropout: the probability that an element of them is left out in training.
        gradient_clip_norm: a bound of the global norm of gradients; a float.
        config: a RunConfig.
        feature_engineering_fn: `f(features, labels)`, which gives both changed.
        embedding_lr_multipliers, input_layer_partitioner: not supported.
        fix_global_step_increment_bug: has no effect: the step counts once.

    Raises:
        ValueError: neither kind of columns, an option that is not supported, or deep ones without `dnn_hidden_units`.
    """

    def __init__(
        self,
        head: head_lib.Head,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[object] | None = None,
        linear_optimizer: OptimizerLike | None = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[object] | None = None,
        dnn_optimizer: OptimizerLike | None = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable | None = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[
            [TensorTree, TensorTree], tuple[TensorTree, TensorTree]
        ]
        | None = None,
        embedding_lr_multipliers: Mapping[object, float] | None = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
    ):
        del fix_global_step_increment_bug
        _unsupported.refuse(
            type(self).__name__,
            embedding_lr_multipliers=embedding_lr_multipliers,
            input_layer_partitioner=input_layer_partitioner,
        )
        if not linear_feature_columns and not dnn_feature_columns:
            raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")  # fmt: skip
        if dnn_feature_columns and not dnn_hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")  # fmt: skip
        params = {
            "head": head,
            "linear_feature_columns": tuple(linear_feature_columns or ()),
            "linear_optimizer": linear_optimizer,
            "joint": _joint_linear_weights,
            "dnn_feature_columns": tuple(dnn_feature_columns or ()),
            "dnn_optimizer": dnn_optimizer,
            "hidden_units": list(dnn_hidden_units or ()),
            "activation_fn": dnn_activation_fn or nn_ops.relu,
            "dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
        }
        super().__init__(
            model_fn=_combined_model,
            model_dir=model_dir,
            config=config,
            params=params,
            feature_engineering_fn=feature_engineering_fn,
        )


class _Classifies:
    """Predictions of a classifier: classes by default."""

    def predict_classes(
        self: Any, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:  # fmt: skip
        """The class of each example."""
        return _of_key(
            self, PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable
        )

    def predict_proba(
        self: Any, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:  # fmt: skip
        """The probabilities of all classes of each example."""
        key = PredictionKey.PROBABILITIES
        return _of_key(self, key, x, input_fn, batch_size, as_iterable)


class _Regresses:
    """Predictions of a regression."""

    def predict_scores(
        self: Any, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:  # fmt: skip
        """The number, or numbers, of each example."""
        return _of_key(self, PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


def _of_key(
    estimator: Estimator, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool
) -> Any:  # fmt: skip
    found = estimator.predict(x, input_fn, batch_size, [key], as_iterable)
    if not as_iterable:
        return found[key]
    return _values(found, key)


def _values(found: Iterator[dict[str, Any]], key: str) -> Iterator[Any]:
    return (prediction[key] for prediction in found)


class DNNLinearCombinedClassifier(_Classifies, DNNLinearCombinedEstimator):
    """A classifier by a linear and a deep model; arguments as in `DNNLinearCombinedEstimator` and `multi_class_head`."""

    def __init__(self, model_dir: str | None = None, n_classes: int = 2, weight_column_name: str | None = None, linear_feature_columns: Iterable[object] | None = None, linear_optimizer: OptimizerLike | None = None, _joint_linear_weights: bool = False, dnn_feature_columns: Iterable[object] | None = None, dnn_optimizer: OptimizerLike | None = None, dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: Callable[..., Tensor] = nn_ops.relu, dnn_dropout: float | None = None, gradient_clip_norm: float | None = None, enable_centered_bias: bool = False, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None, embedding_lr_multipliers: Mapping[object, float] | None = None, input_layer_min_slice_size: int | None = None, label_keys: Sequence[str] | None = None, fix_global_step_increment_bug: bool = False):  # fmt: skip # noqa: E501
        _unsupported.refuse(type(self).__name__, input_layer_min_slice_size=input_layer_min_slice_size, embedding_lr_multipliers=embedding_lr_multipliers)  # fmt: skip # noqa: E501
        head = head_lib.multi_class_head(n_classes, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias, label_keys=label_keys)  # fmt: skip # noqa: E501
        super().__init__(head, model_dir, linear_feature_columns, linear_optimizer, _joint_linear_weights, dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm, config, feature_engineering_fn)  # fmt: skip # noqa: E501


class DNNLinearCombinedRegressor(_Regresses, DNNLinearCombinedEstimator):
    """A regression by a linear and a deep model; arguments as in `DNNLinearCombinedEstimator` and `regression_head`."""

    def __init__(self, model_dir: str | None = None, weight_column_name: str | None = None, linear_feature_columns: Iterable[object] | None = None, linear_optimizer: OptimizerLike | None = None, _joint_linear_weights: bool = False, dnn_feature_columns: Iterable[object] | None = None, dnn_optimizer: OptimizerLike | None = None, dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: Callable[..., Tensor] = nn_ops.relu, dnn_dropout: float | None = None, gradient_clip_norm: float | None = None, enable_centered_bias: bool = False, label_dimension: int = 1, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None, embedding_lr_multipliers: Mapping[object, float] | None = None, input_layer_min_slice_size: int | None = None, fix_global_step_increment_bug: bool = False):  # fmt: skip # noqa: E501
        _unsupported.refuse(type(self).__name__, input_layer_min_slice_size=input_layer_min_slice_size, embedding_lr_multipliers=embedding_lr_multipliers)  # fmt: skip # noqa: E501
        head = head_lib.regression_head(weight_column_name=weight_column_name, label_dimension=label_dimension, enable_centered_bias=enable_centered_bias)  # fmt: skip # noqa: E501
        super().__init__(head, model_dir, linear_feature_columns, linear_optimizer, _joint_linear_weights, dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, gradient_clip_norm, config, feature_engineering_fn)  # fmt: skip # noqa: E501


class DNNEstimator(DNNLinearCombinedEstimator):
    """A deep model; arguments as in `DNNLinearCombinedEstimator`."""

    def __init__(self, head: head_lib.Head, hidden_units: Sequence[int], feature_columns: Iterable[object] | None, model_dir: str | None = None, optimizer: OptimizerLike | None = None, activation_fn: Callable[..., Tensor] = nn_ops.relu, dropout: float | None = None, gradient_clip_norm: float | None = None, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None, embedding_lr_multipliers: Mapping[object, float] | None = None, input_layer_min_slice_size: int | None = None):  # fmt: skip # noqa: E501
        _unsupported.refuse(type(self).__name__, embedding_lr_multipliers=embedding_lr_multipliers, input_layer_min_slice_size=input_layer_min_slice_size)  # fmt: skip # noqa: E501
        super().__init__(head, model_dir, dnn_feature_columns=feature_columns, dnn_optimizer=optimizer, dnn_hidden_units=hidden_units, dnn_activation_fn=activation_fn, dnn_dropout=dropout, gradient_clip_norm=gradient_clip_norm, config=config, feature_engineering_fn=feature_engineering_fn)  # fmt: skip # noqa: E501


class DNNClassifier(_Classifies, DNNEstimator):
    """A deep classifier; arguments as in `DNNEstimator` and `multi_class_head`."""

    def __init__(self, hidden_units: Sequence[int], feature_columns: Iterable[object] | None, model_dir: str | None = None, n_classes: int = 2, weight_column_name: str | None = None, optimizer: OptimizerLike | None = None, activation_fn: Callable[..., Tensor] = nn_ops.relu, dropout: float | None = None, gradient_clip_norm: float | None = None, enable_centered_bias: bool = False, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None, embedding_lr_multipliers: Mapping[object, float] | None = None, input_layer_min_slice_size: int | None = None, label_keys: Sequence[str] | None = None):  # fmt: skip # noqa: E501
        _unsupported.refuse(type(self).__name__, embedding_lr_multipliers=embedding_lr_multipliers, input_layer_min_slice_size=input_layer_min_slice_size)  # fmt: skip # noqa: E501
        head = head_lib.multi_class_head(n_classes, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias, label_keys=label_keys)  # fmt: skip # noqa: E501
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, gradient_clip_norm, config, feature_engineering_fn)  # fmt: skip # noqa: E501


class DNNRegressor(_Regresses, DNNEstimator):
    """A deep regression; arguments as in `DNNEstimator` and `regression_head`."""

    def __init__(self, hidden_units: Sequence[int], feature_columns: Iterable[object] | None, model_dir: str | None = None, weight_column_name: str | None = None, optimizer: OptimizerLike | None = None, activation_fn: Callable[..., Tensor] = nn_ops.relu, dropout: float | None = None, gradient_clip_norm: float | None = None, enable_centered_bias: bool = False, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None, label_dimension: int = 1, embedding_lr_multipliers: Mapping[object, float] | None = None, input_layer_min_slice_size: int | None = None):  # fmt: skip # noqa: E501
        _unsupported.refuse(type(self).__name__, embedding_lr_multipliers=embedding_lr_multipliers, input_layer_min_slice_size=input_layer_min_slice_size)  # fmt: skip # noqa: E501
        head = head_lib.regression_head(weight_column_name=weight_column_name, label_dimension=label_dimension, enable_centered_bias=enable_centered_bias)  # fmt: skip # noqa: E501
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, gradient_clip_norm, config, feature_engineering_fn)  # fmt: skip # noqa: E501


class LinearEstimator(DNNLinearCombinedEstimator):
    """A linear model; arguments as in `DNNLinearCombinedEstimator`."""

    def __init__(self, feature_columns: Iterable[object] | None, head: head_lib.Head, model_dir: str | None = None, weight_column_name: str | None = None, optimizer: OptimizerLike | None = None, gradient_clip_norm: float | None = None, _joint_weights: bool = False, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None):  # fmt: skip # noqa: E501
        del weight_column_name  # The head knows it.
        super().__init__(head, model_dir, linear_feature_columns=feature_columns, linear_optimizer=optimizer, _joint_linear_weights=_joint_weights, gradient_clip_norm=gradient_clip_norm, config=config, feature_engineering_fn=feature_engineering_fn)  # fmt: skip # noqa: E501


class LinearClassifier(_Classifies, LinearEstimator):
    """A linear classifier; arguments as in `LinearEstimator` and `multi_class_head`."""

    def __init__(self, feature_columns: Iterable[object] | None, model_dir: str | None = None, n_classes: int = 2, weight_column_name: str | None = None, optimizer: OptimizerLike | None = None, gradient_clip_norm: float | None = None, enable_centered_bias: bool = False, _joint_weight: bool = False, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None, label_keys: Sequence[str] | None = None):  # fmt: skip # noqa: E501
        head = head_lib.multi_class_head(n_classes, weight_column_name=weight_column_name, enable_centered_bias=enable_centered_bias, label_keys=label_keys)  # fmt: skip # noqa: E501
        super().__init__(feature_columns, head, model_dir, weight_column_name, optimizer, gradient_clip_norm, _joint_weight, config, feature_engineering_fn)  # fmt: skip # noqa: E501


class LinearRegressor(_Regresses, LinearEstimator):
    """A linear regression; arguments as in `LinearEstimator` and `regression_head`."""

    def __init__(self, feature_columns: Iterable[object] | None, model_dir: str | None = None, weight_column_name: str | None = None, optimizer: OptimizerLike | None = None, gradient_clip_norm: float | None = None, enable_centered_bias: bool = False, label_dimension: int = 1, _joint_weights: bool = False, config: RunConfig | None = None, feature_engineering_fn: Callable[[TensorTree, TensorTree], tuple[TensorTree, TensorTree]] | None = None):  # fmt: skip # noqa: E501
        head = head_lib.regression_head(weight_column_name=weight_column_name, label_dimension=label_dimension, enable_centered_bias=enable_centered_bias)  # fmt: skip # noqa: E501
        super().__init__(feature_columns, head, model_dir, weight_column_name, optimizer, gradient_clip_norm, _joint_weights, config, feature_engineering_fn)  # fmt: skip # noqa: E501
