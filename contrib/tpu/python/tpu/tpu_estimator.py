# SPDX-License-Identifier: Apache-2.0
"""Estimators of models that are written for TPUs, on a CPU."""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.tpu.python.tpu import tpu_config
from tensorwright.python.estimator import estimator, model_fn as model_fn_lib, util
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import Fetches, TensorLike
from tensorwright.python.training import session_run_hook

if TYPE_CHECKING:
    from tensorwright.python.estimator.estimator_settings import WarmStartSettings
    from tensorwright.python.estimator.export.export_output import ExportOutput
    from tensorwright.python.framework.type_aliases import TensorTree
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["TPUEstimator", "TPUEstimatorSpec"]

_ModeKeys = model_fn_lib.ModeKeys
_RESERVED = ("batch_size", "context", "use_tpu")


class TPUEstimatorSpec(
    collections.namedtuple(
        "TPUEstimatorSpec",
        [
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metrics",
            "export_outputs",
            "scaffold_fn",
            "host_call",
            "training_hooks",
            "evaluation_hooks",
            "prediction_hooks",
        ],
    )
):
    """The result of a model function for TPUs.

    Args:
        mode, predictions, loss, train_op, export_outputs: as in `tf.estimator.EstimatorSpec`.
        eval_metrics: (function, tensors): the function gets the tensors, a list or a dict, and gives metrics by name.
        scaffold_fn: gives a Scaffold.
        host_call: (function, tensors): called likewise; its operations run with each training step.
        training_hooks, evaluation_hooks, prediction_hooks: for the runs.

    Raises:
        ValueError: `eval_metrics` or `host_call` of another form.
    """

    def __new__(
        cls,
        mode: str,
        predictions: TensorLike | None = None,
        loss: TensorLike | None = None,
        train_op: Fetches | None = None,
        eval_metrics: tuple[Callable[..., object], TensorTree] | None = None,
        export_outputs: Mapping[str, ExportOutput] | None = None,
        scaffold_fn: Callable[..., object] | None = None,
        host_call: tuple[Callable[..., object], TensorTree] | None = None,
        training_hooks: Sequence[SessionRunHook] | None = None,
        evaluation_hooks: Sequence[SessionRunHook] | None = None,
        prediction_hooks: Sequence[SessionRunHook] | None = None,
    ) -> TPUEstimatorSpec:
        for name, pair in (("eval_metrics", eval_metrics), ("host_call", host_call)):
            _check_pair(name, pair)
        hooks = [tuple(h or ()) for h in (training_hooks, evaluation_hooks, prediction_hooks)]  # fmt: skip
        for hook in (hook for given in hooks for hook in given):
            if not isinstance(hook, session_run_hook.SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")  # fmt: skip
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metrics=eval_metrics,
            export_outputs=export_outputs,
            scaffold_fn=scaffold_fn,
            host_call=host_call,
            training_hooks=hooks[0],
            evaluation_hooks=hooks[1],
            prediction_hooks=hooks[2],
        )

    def as_estimator_spec(self) -> model_fn_lib.EstimatorSpec:
        """The same for a CPU: metrics and host calls are made here."""
        metrics = None
        if self.eval_metrics is not None and self.mode == _ModeKeys.EVAL:
            metrics = _called(self.eval_metrics)
        train_op = self.train_op
        if self.host_call is not None and self.mode == _ModeKeys.TRAIN:
            beside = _called(self.host_call)
            made = beside if isinstance(beside, (list, tuple)) else [beside]
            made = [m for m in made if m is not None]
            with ops.control_dependencies([*made, train_op]):
                train_op = ops.convert_to_tensor(self.loss) + 0.0
        return model_fn_lib.EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks,
            evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks,
        )


def _check_pair(name: str, pair: Any) -> None:
    if pair is None:
        return
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ValueError(f"{name} should be a tuple or list of a function and tensors")
    function, tensors = pair
    if not callable(function):
        raise ValueError(f"{name}[0] should be a function")
    if not isinstance(tensors, (tuple, list, dict)):
        raise ValueError(f"{name}[1] should be a tuple, list or dict of tensors")


def _called(pair: Any) -> Any:
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class TPUEstimator(estimator.Estimator):
    """An estimator whose input and model functions are written for TPUs; it trains, evaluates and predicts on a CPU.

    Both functions get `params["batch_size"]`, of the mode, if that size is given here.

    Args:
        model_fn: gives a TPUEstimatorSpec, or an EstimatorSpec.
        model_dir: the folder.
        config: a RunConfig of `tf.contrib.tpu`.
        params: for the functions.
        use_tpu: must be False: there is no TPU here.
        train_batch_size, eval_batch_size, predict_batch_size: the sizes that the functions get.
        batch_axis: axes along which TPUs cut input; nothing is cut here.
        eval_on_tpu, export_to_tpu, export_to_cpu: for TPUs, not used.
        warm_start_from: as in `tf.estimator.Estimator`.

    Raises:
        ValueError: `use_tpu`, params with a reserved name, settings of another kind, or as in `tf.estimator.Estimator`.

    Example:
        estimator = tf.contrib.tpu.TPUEstimator(
            model_fn, config=tf.contrib.tpu.RunConfig(model_dir="/tmp/m"), use_tpu=False, train_batch_size=32)
        estimator.train(lambda params: dataset.repeat().batch(params["batch_size"]), max_steps=1000)
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: tpu_config.RunConfig | None = None,
        params: Mapping[str, object] | None = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: int | None = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: str | WarmStartSettings | None = None,
    ):
        del batch_axis, eval_on_tpu, export_to_tpu, export_to_cpu
        if not isinstance(config, tpu_config.RunConfig):
            raise ValueError("`config` must be provided with type `tpu_config.RunConfig`")  # fmt: skip
        if use_tpu:
            raise ValueError(
                "TPUEstimator: use_tpu must be False, there is no TPU here"
            )
        taken = sorted(set(params or ()) & set(_RESERVED))
        if taken:
            raise ValueError(f"{taken} are reserved keys but existed in params {params}.")  # fmt: skip
        self._batch_sizes = {
            _ModeKeys.TRAIN: train_batch_size,
            _ModeKeys.EVAL: eval_batch_size,
            _ModeKeys.PREDICT: predict_batch_size,
        }
        self._given_model_fn = model_fn
        takes = () if model_fn is None else util.fn_args(model_fn)
        self._model_takes = set(takes)
        super().__init__(
            None if model_fn is None else self._for_cpu,
            model_dir,
            config,
            dict(params or {}),
            warm_start_from,
        )

    def _with_batch_size(self, params: Any, mode: str) -> Any:
        size = self._batch_sizes[mode]
        return params if size is None else {**params, "batch_size": size}

    def _for_cpu(self, features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:  # fmt: skip # noqa: E501
        """The model function that the estimator below calls."""
        offered = {
            "labels": labels,
            "mode": mode,
            "params": self._with_batch_size(params, mode),
            "config": config,
        }
        any_name = util.has_kwargs(self._given_model_fn)
        if labels is not None and "labels" not in self._model_takes and not any_name:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")  # fmt: skip # noqa: E501
        given = {k: v for k, v in offered.items() if k in self._model_takes or any_name}
        spec = self._given_model_fn(features=features, **given)  # type: ignore[misc]
        return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str) -> Any:
        takes = util.fn_args(input_fn)
        offered = {
            "mode": mode,
            "params": self._with_batch_size(self.params, mode),
            "config": self.config,
        }
        any_name = util.has_kwargs(input_fn)
        given = {k: v for k, v in offered.items() if k in takes or any_name}
        with ops.device("/cpu:0"):
            return input_fn(**given)
