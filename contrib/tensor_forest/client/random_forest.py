# SPDX-License-Identifier: Apache-2.0
"""Estimators of random forests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib import _missing
from tensorwright.contrib.layers.python.layers import feature_column_ops
from tensorwright.contrib.learn.python.learn.estimators import (
    estimator,
    head as head_lib,
    model_fn as model_fn_lib,
)
from tensorwright.contrib.tensor_forest.client import eval_metrics
from tensorwright.contrib.tensor_forest.python import tensor_forest
from tensorwright.python.estimator import estimator as core_estimator
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops, state_ops
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import session_run_hook, training_util

if TYPE_CHECKING:
    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.estimator.run_config import RunConfig as CoreRunConfig
    from tensorwright.python.framework.type_aliases import Fetches, TensorTree

    FeatureEngineering = Callable[
        [TensorTree, TensorTree], tuple[TensorTree, TensorTree]
    ]
    DeviceAssigner = Callable[[ops.Operation], str] | str

KEYS_NAME = "keys"
LOSS_NAME = "rf_training_loss"
TREE_PATHS_PREDICTION_KEY = "tree_paths"
VARIANCE_PREDICTION_KEY = "prediction_variance"
EPSILON = 0.000001


class TensorForestRunOpAtEndHook(session_run_hook.SessionRunHook):
    """Runs operations when training ends, in the order of their names, and logs what they give."""

    def __init__(self, op_dict: Mapping[str, Fetches]):
        self._ops = op_dict

    def end(self, session: SessionInterface) -> None:
        for name in sorted(self._ops):
            logging.info("{0}: {1}".format(name, session.run(self._ops[name])))


class TensorForestLossHook(session_run_hook.SessionRunHook):
    """Ends training when the loss has not become less for some steps.

    Args:
        early_stopping_rounds: how many steps.
        early_stopping_loss_threshold: the part of the least loss by which another one must be less.
        loss_op: the loss; None: that of the name `rf_training_loss`.
    """

    def __init__(
        self,
        early_stopping_rounds: int,
        early_stopping_loss_threshold: float | None = None,
        loss_op: ops.Tensor | None = None,
    ):
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_loss_threshold = early_stopping_loss_threshold or 0.0
        self.loss_op = loss_op
        self.min_loss: float | None = None
        self.last_step = -1
        self.steps = 0

    def before_run(
        self, run_context: session_run_hook.SessionRunContext
    ) -> session_run_hook.SessionRunArgs:
        loss = self.loss_op
        if loss is None:
            graph = run_context.session.graph
            loss = graph.get_operation_by_name(LOSS_NAME).outputs[0]
        step = training_util.get_global_step()
        return session_run_hook.SessionRunArgs(
            {"global_step": step, "current_loss": loss}
        )

    def after_run(
        self,
        run_context: session_run_hook.SessionRunContext,
        run_values: session_run_hook.SessionRunValues,
    ) -> None:
        loss = float(run_values.results["current_loss"])
        step = run_values.results["global_step"]
        self.steps += 1
        # Steps go back where a session was restored.
        if self.last_step == -1 or self.last_step > step:
            self.last_step, self.steps, self.min_loss = step, 0, None
            return
        self.last_step = step
        # The loss may be negative.
        if self.min_loss is None or loss < self.min_loss - self.early_stopping_loss_threshold * abs(self.min_loss):  # fmt: skip # noqa: E501
            self.min_loss, self.steps = loss, 0
        if self.steps > self.early_stopping_rounds:
            logging.info("TensorForestLossHook requesting stop.")
            run_context.request_stop()


def get_default_head(
    params: tensor_forest.ForestHParams,
    weights_name: str | None,
    name: str | None = None,
) -> head_lib.Head:
    """The head of a forest's problem: one class of several, or numbers."""
    if params.regression:
        return head_lib.regression_head(
            weight_column_name=weights_name,
            label_dimension=params.num_outputs,
            head_name=name,
        )
    return head_lib.multi_class_head(
        params.num_classes, weight_column_name=weights_name, head_name=name
    )


def _logits(params: tensor_forest.ForestHParams, predictions: ops.Tensor) -> ops.Tensor:
    """The logits, from which the head makes the forest's probabilities again."""
    if params.regression:
        return predictions
    kept = math_ops.maximum(predictions, EPSILON)
    logs = math_ops.log(kept)
    if params.num_classes == 2:
        return logs[:, 1:] - logs[:, :1]
    return logs


def get_model_fn(
    params: tensor_forest.ForestHParams,
    graph_builder_class: Callable[..., tensor_forest.RandomForestGraphs],
    device_assigner: DeviceAssigner | None,
    feature_columns: Sequence[object] | None = None,
    weights_name: str | None = None,
    model_head: head_lib.Head | None = None,
    keys_name: str | None = None,
    early_stopping_rounds: int | None = 100,
    early_stopping_loss_threshold: float = 0.001,
    num_trainers: int = 1,
    trainer_id: int = 0,
    report_feature_importances: bool = False,
    local_eval: bool = False,
    head_scope: str | None = None,
) -> Callable[..., model_fn_lib.ModelFnOps]:
    """Makes the model function of a forest, `f(features, labels, mode)`; the arguments are those of
    TensorForestEstimator.

    Raises:
        TypeError: the head is none of `tf.contrib.learn`.
    """
    model_head = model_head or get_default_head(params, weights_name)
    if not isinstance(model_head, head_lib.Head):
        raise TypeError(f"head must be one of tf.contrib.learn, got {model_head!r}")

    def _model_fn(features: Any, labels: Any, mode: str) -> model_fn_lib.ModelFnOps:
        is_dict = isinstance(features, dict)
        given = dict(features) if is_dict else {"features": features}
        of_head = dict(given)
        weights = given.pop(weights_name, None) if weights_name else None
        keys = given.pop(keys_name, None) if keys_name else None
        data: Any = given if is_dict else features
        if feature_columns:
            made = feature_column_ops.transform_features(given, feature_columns)
            data = {column.name: value for column, value in made.items()}
        training = mode == model_fn_lib.ModeKeys.TRAIN
        is_local = mode == model_fn_lib.ModeKeys.INFER or (
            local_eval and mode == model_fn_lib.ModeKeys.EVAL
        )
        forest = graph_builder_class(
            params, device_assigner=None if is_local else device_assigner
        )
        outputs, tree_paths, variance = forest.inference_graph(data)
        train_op: Any = None
        hooks: list[session_run_hook.SessionRunHook] = []
        if training:
            weighted = {}
            if weights is not None:
                flat = array_ops.reshape(math_ops.cast(weights, dtypes.float32), [-1])
                weighted["input_weights"] = flat
            loss = forest.training_loss(data, labels, name=LOSS_NAME)
            trained = forest.training_graph(
                data,
                labels,
                num_trainers=num_trainers,
                trainer_id=trainer_id,
                **weighted,
            )
            step = training_util.get_global_step()
            with ops.control_dependencies([trained]):
                train_op = control_flow_ops.group(state_ops.assign_add(step, 1))
            if report_feature_importances:
                found = {"feature_importances": forest.feature_importances()}
                hooks.append(TensorForestRunOpAtEndHook(found))
            if early_stopping_rounds:
                hooks.append(
                    TensorForestLossHook(
                        early_stopping_rounds, early_stopping_loss_threshold, loss
                    )
                )
        model = model_head.create_model_fn_ops(
            of_head,
            mode,
            labels,
            train_op_fn=lambda unused_loss: train_op,
            logits=_logits(params, outputs),
            scope=head_scope,
        )
        if isinstance(model.predictions, dict):
            if keys is not None:
                model.predictions[keys_name] = keys
            if params.inference_tree_paths:
                model.predictions[TREE_PATHS_PREDICTION_KEY] = tree_paths
            if params.regression:
                model.predictions[VARIANCE_PREDICTION_KEY] = variance
        return model._replace(training_hooks=(*model.training_hooks, *hooks))

    return _model_fn


class TensorForestEstimator(estimator.Estimator):
    """Trains and uses a forest; features are a tensor [n, num_features], or a dict of tensors.

        params = tf.contrib.tensor_forest.python.tensor_forest.ForestHParams(num_classes=2, num_features=40).fill()
        forest = random_forest.TensorForestEstimator(params)
        forest.fit(x=x_train, y=y_train)

    Args:
        params: ForestHParams; it is filled in.
        device_assigner: a device function, which places each tree.
        model_dir: the folder of checkpoints.
        graph_builder_class: RandomForestGraphs, or TrainingLossForest.
        config: a RunConfig.
        weights_name: the feature that has the weights of examples.
        keys_name: a feature that is passed through to the predictions.
        feature_engineering_fn: `f(features, labels)`, which gives both changed.
        early_stopping_rounds: training ends when the loss has not become less for so many steps; None: it does not.
        early_stopping_loss_threshold: the part of the least loss by which another one must be less.
        num_trainers: how many trainers share the trees.
        trainer_id: the number of this one.
        report_feature_importances: they are logged when training ends.
        local_eval: evaluation ignores `device_assigner`.
        version: not used.
        head: a head of `tf.contrib.learn`, which makes loss, predictions and metrics; that of the problem by default.

    Raises:
        ValueError: a parameter of the forest is out of range.
        TypeError: the head is another one.
    """

    def __init__(
        self,
        params: tensor_forest.ForestHParams,
        device_assigner: DeviceAssigner | None = None,
        model_dir: str | None = None,
        graph_builder_class: Callable[
            ..., tensor_forest.RandomForestGraphs
        ] = tensor_forest.RandomForestGraphs,
        config: RunConfig | None = None,
        weights_name: str | None = None,
        keys_name: str | None = None,
        feature_engineering_fn: FeatureEngineering | None = None,
        early_stopping_rounds: int | None = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: int | None = None,
        head: head_lib.Head | None = None,
    ):
        del version
        super().__init__(
            get_model_fn(
                params.fill(),
                graph_builder_class,
                device_assigner,
                weights_name=weights_name,
                model_head=head,
                keys_name=keys_name,
                early_stopping_rounds=early_stopping_rounds,
                early_stopping_loss_threshold=early_stopping_loss_threshold,
                num_trainers=num_trainers,
                trainer_id=trainer_id,
                report_feature_importances=report_feature_importances,
                local_eval=local_eval,
            ),
            model_dir,
            config,
            feature_engineering_fn=feature_engineering_fn,
        )


class CoreTensorForestEstimator(core_estimator.Estimator):
    """The same for `tf.estimator`: `train`, `evaluate` and `predict` take input functions.

    Args:
        params, device_assigner, model_dir, graph_builder_class, config: as in TensorForestEstimator.
        feature_columns: columns of `tf.contrib.layers` that are made from the features.
        weight_column: the feature that has the weights of examples.
        keys_column: a feature that is passed through to the predictions.
        early_stopping_rounds, early_stopping_loss_threshold, num_trainers, trainer_id, report_feature_importances,
            local_eval, version, head: as in TensorForestEstimator.
    """

    def __init__(
        self,
        params: tensor_forest.ForestHParams,
        device_assigner: DeviceAssigner | None = None,
        model_dir: str | None = None,
        feature_columns: Sequence[object] | None = None,
        graph_builder_class: Callable[
            ..., tensor_forest.RandomForestGraphs
        ] = tensor_forest.RandomForestGraphs,
        config: CoreRunConfig | None = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        early_stopping_rounds: int | None = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: int | None = None,
        head: head_lib.Head | None = None,
    ):
        del version
        model_fn = get_model_fn(
            params.fill(),
            graph_builder_class,
            device_assigner,
            feature_columns=feature_columns,
            weights_name=weight_column,
            model_head=head,
            keys_name=keys_column,
            early_stopping_rounds=early_stopping_rounds,
            early_stopping_loss_threshold=early_stopping_loss_threshold,
            num_trainers=num_trainers,
            trainer_id=trainer_id,
            report_feature_importances=report_feature_importances,
            local_eval=local_eval,
        )

        def _spec(features: Any, labels: Any, mode: str) -> Any:
            model = model_fn(features, labels, mode)
            # These estimators have a loss among their metrics already.
            measured = {k: v for k, v in model.eval_metric_ops.items() if k != "loss"}
            return model._replace(eval_metric_ops=measured).estimator_spec()

        super().__init__(model_fn=_spec, model_dir=model_dir, config=config)


__all__ = [
    "EPSILON",
    "KEYS_NAME",
    "LOSS_NAME",
    "TREE_PATHS_PREDICTION_KEY",
    "VARIANCE_PREDICTION_KEY",
    "CoreTensorForestEstimator",
    "TensorForestEstimator",
    "TensorForestLossHook",
    "TensorForestRunOpAtEndHook",
    "eval_metrics",
    "get_default_head",
    "get_model_fn",
]

__getattr__ = _missing.names(
    __name__, "EveryCheckpointPreSaveListener", "MultiForestMultiHeadEstimator"
)
