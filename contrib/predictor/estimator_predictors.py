# SPDX-License-Identifier: Apache-2.0
"""Predictors of estimators, with the variables of their latest checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.learn.python.learn.estimators import model_fn as contrib_model
from tensorwright.contrib.predictor import predictor
from tensorwright.python.estimator import model_fn as core_model
from tensorwright.python.framework import ops
from tensorwright.python.saved_model import signature_constants
from tensorwright.python.training import (
    checkpoint_management,
    monitored_session,
    training_util,
)

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.estimator.estimator import Estimator
    from tensorwright.python.estimator.export.export import ServingInputReceiver


__all__ = ["ContribEstimatorPredictor", "CoreEstimatorPredictor"]


def _session(estimator: Any, scaffold: Any, config: Any) -> Any:
    path = checkpoint_management.latest_checkpoint(estimator.model_dir)
    if path is None:
        raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
    creator = monitored_session.ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=path, config=config
    )
    return monitored_session.MonitoredSession(creator)


class CoreEstimatorPredictor(predictor.Predictor):
    """An estimator of `tf.estimator`.

    Args:
        estimator: it.
        serving_input_receiver_fn: gives the ServingInputReceiver whose tensors are fed.
        output_key: the key of its `export_outputs`; the default one if absent.
        graph: where the model is made; a new one by default.
        config: the config of the session.

    Raises:
        TypeError: a function that gives another thing than a receiver.
        ValueError: no checkpoint, or an output that is not there.
    """

    def __init__(
        self,
        estimator: Estimator,
        serving_input_receiver_fn: Callable[[], ServingInputReceiver],
        output_key: str | None = None,
        graph: ops.Graph | None = None,
        config: ConfigProto | None = None,
    ):
        self._graph = graph or ops.Graph()
        with self._graph.as_default():
            receiver = serving_input_receiver_fn()
            if not hasattr(receiver, "receiver_tensors"):
                raise TypeError(
                    "serving_input_receiver_fn must return a ServingInputReceiver, got "
                    f"{type(receiver).__name__}"
                )
            training_util.get_or_create_global_step(self._graph)
            mode = core_model.ModeKeys.PREDICT
            spec = estimator._call_model_fn(
                receiver.features, None, mode, estimator.config
            )
            self._session = _session(estimator, spec.scaffold, config)
        tensors = receiver.receiver_tensors
        self._feed_tensors = dict(tensors)
        outputs = spec.export_outputs or {}
        key = output_key or signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if output_key is None and key not in outputs and len(outputs) == 1:
            (key,) = outputs
        if not outputs and output_key is None:
            found = spec.predictions
            self._fetch_tensors = (
                found if isinstance(found, dict) else {"output": found}
            )
        elif key in outputs:
            self._fetch_tensors = _tensors_of(outputs[key])
        else:
            raise ValueError(f"Got output_key {key!r}. Available keys are {sorted(outputs)}")  # fmt: skip # noqa: E501


def _tensors_of(output: Any) -> dict[str, Any]:
    """The tensors of an ExportOutput by the names that its signature has."""
    if hasattr(output, "outputs"):
        return dict(output.outputs)
    if hasattr(output, "value"):
        return {signature_constants.REGRESS_OUTPUTS: output.value}
    found = {
        signature_constants.CLASSIFY_OUTPUT_CLASSES: output.classes,
        signature_constants.CLASSIFY_OUTPUT_SCORES: output.scores,
    }
    return {name: tensor for name, tensor in found.items() if tensor is not None}


class ContribEstimatorPredictor(predictor.Predictor):
    """An estimator of `tf.contrib.learn`.

    Args:
        estimator: it.
        prediction_input_fn: gives InputFnOps, whose `default_inputs` are fed.
        input_alternative_key: the key of the inputs, if there are several.
        output_alternative_key: the head whose predictions are fetched; absent: all predictions are.
        graph: where the model is made; a new one by default.
        config: the config of the session.

    Raises:
        ValueError: no checkpoint, or a head that is not there.
    """

    def __init__(
        self,
        estimator: Any,
        prediction_input_fn: Callable[..., Any],
        input_alternative_key: str | None = None,
        output_alternative_key: str | None = None,
        graph: ops.Graph | None = None,
        config: ConfigProto | None = None,
    ):
        self._graph = graph or ops.Graph()
        with self._graph.as_default():
            training_util.get_or_create_global_step(self._graph)
            features, labels, inputs = prediction_input_fn()
            model = estimator._call_model_fn(
                features, labels, contrib_model.ModeKeys.INFER
            )
            self._session = _session(estimator, model.scaffold, config)
        if input_alternative_key is not None:
            inputs = inputs[input_alternative_key]
        self._feed_tensors = dict(inputs)
        found = model.predictions
        if output_alternative_key is not None:
            heads = model.output_alternatives or {}
            if output_alternative_key not in heads:
                raise ValueError(f"output_alternative_key {output_alternative_key!r} is not among {sorted(heads)}")  # fmt: skip # noqa: E501
            found = heads[output_alternative_key][1]
        self._fetch_tensors = found if isinstance(found, dict) else {"output": found}
