# SPDX-License-Identifier: Apache-2.0
"""`tf.keras.estimator`: an Estimator made of a compiled model."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tensorwright.python.client.session import Session
from tensorwright.python.estimator import estimator as estimator_lib, model_fn as spec
from tensorwright.python.estimator.export import export_output
from tensorwright.python.framework import ops
from tensorwright.python.keras import _base, _load
from tensorwright.python.ops import control_flow_ops, math_ops
from tensorwright.python.saved_model import signature_constants
from tensorwright.python.training import (
    checkpoint_management,
    saver as saver_lib,
    training_util,
)


class _Recipe:
    """All that is needed to make a compiled model again, in another graph."""

    def __init__(self, model: Any, custom_objects: dict[str, Any] | None):
        if not getattr(model, "optimizer", None):
            raise ValueError(
                f"model_to_estimator: keras_model must be compiled, and {model.name} is not"
            )
        if not model._is_graph_network:
            raise ValueError(
                f"model_to_estimator: keras_model must be made of layers by Sequential or Model(inputs, outputs), got {type(model).__name__}"
            )
        self.model = model
        self.custom_objects = custom_objects or {}
        self.weights = model.get_weights()
        self._optimizer = self._optimizer_maker(model.optimizer)
        self._compiling = {
            "loss": model.loss,
            "metrics": model._compile_metrics,
            "weighted_metrics": model._compile_weighted_metrics,
            "loss_weights": model.loss_weights,
        }

    @staticmethod
    def _optimizer_maker(optimizer: Any) -> Callable[[], Any]:
        keras = _load.keras()
        if isinstance(optimizer, keras.optimizers.TFOptimizer):
            return lambda: keras.optimizers.TFOptimizer(optimizer.optimizer)
        # Its rates are variables of the model's graph: they are read here.
        kind, config = type(optimizer), optimizer.get_config()
        return lambda: kind.from_config(config)

    def copy(self, inputs: list[Any] | None) -> Any:
        """The model in the default graph, not compiled, on `inputs` or on placeholders."""
        keras = _load.keras()
        with keras.utils.CustomObjectScope(self.custom_objects):
            return keras.models.clone_model(self.model, input_tensors=inputs)

    def compile(self, model: Any, targets: list[Any] | None) -> None:
        """Compiles a copy; its optimizer counts the global step, and its metrics are measured anew by each evaluation."""
        optimizer = self._optimizer()
        optimizer.iterations = training_util.get_or_create_global_step()
        model.compile(optimizer, target_tensors=targets, **self._compiling)
        own = [w for m in model.metrics for w in m.weights]
        everywhere = ops.get_collection_ref(ops.GraphKeys.GLOBAL_VARIABLES)
        everywhere[:] = [v for v in everywhere if all(v is not w for w in own)]
        ops.get_collection_ref(ops.GraphKeys.LOCAL_VARIABLES).extend(own)


def _by_names(values: Any, names: list[str], what: str) -> list[Any]:
    """Returns the tensors of an input function in the order of a model's inputs or outputs.

    Raises:
        ValueError: there are more or fewer of them, or a dict lacks one.
    """
    if isinstance(values, dict):
        missing = [n for n in names if n not in values]
        if missing:
            raise ValueError(
                f"{what} must have the keys {names}, got {sorted(values)}: the names of the model's layers"
            )
        return [values[n] for n in names]
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    if len(listed) != len(names):
        raise ValueError(
            f"{what} must be {len(names)} tensors, for {names}, got {len(listed)}"
        )
    return listed


def _fitting(tensor: Any, like: Any) -> ops.Tensor:
    """A tensor of an input function as an input of the model takes it: of its type, and of its shape where that is unknown."""
    tensor = math_ops.cast(ops.convert_to_tensor(tensor), like.dtype)
    tensor.set_shape(tensor.get_shape().merge_with(like.get_shape()))
    return tensor


def _model_fn(recipe: _Recipe) -> Callable[..., Any]:
    def model_fn(features: Any, labels: Any, mode: str) -> spec.EstimatorSpec:
        model = recipe.model
        _base.set_learning_phase(int(mode == spec.ModeKeys.TRAIN))
        given = _by_names(features, model.input_names, "features")
        copy = recipe.copy([_fitting(x, like) for x, like in zip(given, model.inputs)])
        predictions = dict(zip(model.output_names, copy.outputs))
        if mode == spec.ModeKeys.PREDICT:
            key = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            outputs = {key: export_output.PredictOutput(predictions)}
            return spec.EstimatorSpec(mode, predictions, export_outputs=outputs)
        targets = _by_names(labels, model.output_names, "labels")
        recipe.compile(copy, [ops.convert_to_tensor(t) for t in targets])
        measured = {
            m.name: (m.result(), control_flow_ops.group(*m.updates))
            for m in copy._get_training_eval_metrics()
        }
        train_op = None
        if mode == spec.ModeKeys.TRAIN:
            copy._make_train_function()
            train_op = copy.train_function.updates_op
        return spec.EstimatorSpec(
            mode,
            predictions,
            copy.total_loss,
            train_op,
            eval_metric_ops=measured if mode == spec.ModeKeys.EVAL else None,
        )

    return model_fn


def _save_first(recipe: _Recipe, folder: str, session_config: Any) -> None:
    """Writes the checkpoint with which training begins: the model's weights, and an optimizer that has made no step."""
    with (
        ops.Graph().as_default() as graph,
        Session(graph=graph, config=session_config),
    ):
        _base.set_learning_phase(1)
        training_util.create_global_step()
        copy = recipe.copy(None)
        recipe.compile(copy, None)
        copy._make_train_function()
        session = _base.get_session()
        copy.set_weights(recipe.weights)
        saver = saver_lib.Saver()
        saver.save(session, os.path.join(folder, "model.ckpt"), global_step=0)


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: dict[str, Any] | None = None,
    model_dir: str | os.PathLike | None = None,
    config: Any = None,
) -> estimator_lib.Estimator:
    """An Estimator that trains, measures and serves a copy of a compiled model, from its present weights on.

    The features of input functions are named as the model's inputs (`model.input_names`), or are one tensor, or a
    list; labels likewise as its outputs.

    Args:
        keras_model: a compiled model of layers.
        keras_model_path: instead of it a file of `model.save`.
        custom_objects: name -> class or function of the program's own.
        model_dir: the Estimator's folder.  If it has a checkpoint, that is gone on with.
        config: a RunConfig.

    Raises:
        ValueError: neither or both of a model and a path, a model that is not compiled, or of a class of its own.

    Example:
        estimator = tf.keras.estimator.model_to_estimator(model, model_dir="/tmp/model")
        estimator.train(lambda: ({"dense_input": x}, y), steps=10)
    """
    keras = _load.keras()
    if (keras_model is None) == (keras_model_path is None):
        raise ValueError(
            "model_to_estimator: one of keras_model and keras_model_path must be given"
        )
    if keras_model is None:
        keras_model = keras.models.load_model(keras_model_path, custom_objects)
    recipe = _Recipe(keras_model, custom_objects)
    made = estimator_lib.Estimator(
        _model_fn(recipe), model_dir=model_dir, config=config
    )
    if checkpoint_management.latest_checkpoint(made.model_dir) is None:
        _save_first(recipe, made.model_dir, made.config.session_config)
    return made
