# SPDX-License-Identifier: Apache-2.0
"""Estimator: trains, evaluates, uses and exports the model of a model function, in a folder."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.estimator import (
    cluster_task,
    estimator_results as results_lib,
    estimator_runs as runs,
    estimator_settings as settings,
    model_fn as model_fn_lib,
    run_config,
    saved_model_export,
    util,
)
from tensorwright.python.framework import ops, random_seed
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import (
    basic_session_run_hooks as hooks_lib,
    checkpoint_management,
    checkpoint_utils,
    evaluation,
    session_run_hook,
    training_util,
    warm_starting_util,
)

if TYPE_CHECKING:
    from tensorwright.python.estimator.export.export import ServingInputReceiver
    from tensorwright.python.estimator.model_fn import EstimatorSpec
    from tensorwright.python.framework.type_aliases import PathLike
    from tensorwright.python.training._hooks.saving_hooks import CheckpointSaverListener
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["Estimator", "WarmStartSettings"]

WarmStartSettings = settings.WarmStartSettings
ModeKeys = model_fn_lib.ModeKeys

# A subclass may override these.
_OVERRIDABLE = frozenset({"_call_input_fn", "_create_global_step"})


class Estimator:
    """A model that is trained, measured, used and exported; its checkpoints and summaries are in a folder.

    Each call makes a graph and a session of its own.  Subclasses give a model function to the constructor, and override
    nothing.

    Args:
        model_fn: a function that returns an EstimatorSpec for `features` and, if it has these arguments, `labels`,
            `mode`, `params` and `config`.
        model_dir: the folder; None: that of `config`, or a new one in the folder of temporary files.
        config: a RunConfig.
        params: a dict for the model function.
        warm_start_from: a folder or checkpoint with the variables that a training starts with, or WarmStartSettings.

    Raises:
        ValueError: the model function lacks `features`, or has an unknown argument; it takes no params although some
            are given; or there are two folders.

    Example:
        def model_fn(features, labels, mode):
            predictions = tf.layers.dense(features["x"], 1)
            loss = tf.losses.mean_squared_error(labels, predictions)
            optimizer = tf.train.GradientDescentOptimizer(0.1)
            train_op = optimizer.minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op)

        estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
        estimator.train(input_fn, steps=100)
    """

    def __init__(
        self,
        model_fn: Callable[..., object],
        model_dir: PathLike | None = None,
        config: run_config.RunConfig | None = None,
        params: Mapping[str, object] | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
    ):
        self._check_members()
        self._config = settings.with_folder(config, model_dir)
        self._model_dir: str = self._config.model_dir or ""
        logging.info("Using config: %s", vars(self._config))
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        settings.check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params: Any = copy.deepcopy(params or {})
        self._warm_start = settings.warm_start_settings(warm_start_from)
        self._session_config = cluster_task.session_config_of(self._config)
        self._device_fn = self._config.device_fn or settings.device_setter_of(
            self._config
        )

    def _check_members(self) -> None:
        own = {name for name in vars(Estimator) if not name.startswith("__")}
        has = {
            name
            for kind in type(self).__mro__
            if kind not in Estimator.__mro__ and issubclass(kind, Estimator)
            for name in vars(kind)
        }
        overridden = sorted((own & has) - _OVERRIDABLE)
        if overridden:
            raise ValueError(
                "Subclasses of Estimator cannot override members of Estimator. "
                f"{type(self)} does override {overridden}"
            )

    @property
    def model_dir(self) -> str:
        return self._model_dir

    @property
    def config(self) -> run_config.RunConfig:
        """A copy of the settings."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> dict[str, Any]:
        """A copy of the parameters that the model function gets."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model function, with `params` given: `f(features, labels, mode, config)`."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def get_variable_value(self, name: str) -> np.ndarray:
        """A value of the latest checkpoint; ValueError without one."""
        self._check_trained()
        with ops.Graph().as_default():
            return checkpoint_utils.load_variable(self._model_dir, name)

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint; ValueError without one."""
        self._check_trained()
        with ops.Graph().as_default():
            return [n for n, _ in checkpoint_utils.list_variables(self._model_dir)]

    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint; None if there is none."""
        return checkpoint_management.latest_checkpoint(self._model_dir)

    def _check_trained(self) -> str:
        path = self.latest_checkpoint()
        if not path:
            raise ValueError(
                f"Could not find trained model in model_dir: {self._model_dir}."
            )
        return path

    # --- Functions of the user -------------------------------------------------------

    def _call_input_fn(self, input_fn: Callable[..., Any], mode: str) -> Any:
        offered = {"mode": mode, "params": self.params, "config": self.config}
        takes = util.fn_args(input_fn)
        given = {name: value for name, value in offered.items() if name in takes}
        with ops.device("/cpu:0"):
            return input_fn(**given)

    def _inputs(self, input_fn: Any, mode: str) -> tuple[Any, Any, list[Any]]:
        return util.parse_input_fn_result(self._call_input_fn(input_fn, mode))

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, config: Any
    ) -> model_fn_lib.EstimatorSpec:
        takes = util.fn_args(self._model_fn)
        any_name = util.has_kwargs(self._model_fn)
        given: dict[str, Any] = {}
        if "labels" in takes or any_name:
            given["labels"] = labels
        elif labels is not None:
            raise ValueError(
                "model_fn does not take labels, but input_fn returns labels."
            )
        offered = {"mode": mode, "params": self.params, "config": config}
        given.update((k, v) for k, v in offered.items() if k in takes or any_name)
        logging.info("Calling model_fn.")
        spec = self._model_fn(features=features, **given)
        logging.info("Done calling model_fn.")
        if not isinstance(spec, model_fn_lib.EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _create_global_step(self, graph: ops.Graph) -> Any:
        """The count of steps, an integer variable of the graph."""
        return training_util.get_or_create_global_step(graph)

    def _checked_global_step(self, graph: ops.Graph) -> Any:
        step = self._create_global_step(graph)
        assert step is training_util.get_global_step()
        assert step.dtype.is_integer
        return step

    # --- Training --------------------------------------------------------------------

    def train(
        self,
        input_fn: Callable[..., object],
        hooks: Sequence[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> Estimator:
        """Trains, and goes on from the latest checkpoint of the folder.

        Args:
            input_fn: gives a dataset, or (features, labels); takes `mode`, `params` and `config` where it has these
                arguments.
            hooks: SessionRunHooks.
            steps: how many more; or
            max_steps: at which one it ends.  Neither: until the input does.
            saving_listeners: CheckpointSaverListeners.

        Raises:
            ValueError: both `steps` and `max_steps`, or a number that is not positive.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        settings.check_positive(steps=steps, max_steps=max_steps)
        if max_steps is not None and self._trained_steps() >= max_steps:
            logging.info("Skipping training since max_steps has already saved.")
            return self
        around = settings.checked_list(hooks, "hooks", session_run_hook.SessionRunHook)  # fmt: skip
        listeners = settings.checked_list(
            saving_listeners, "saving_listeners", hooks_lib.CheckpointSaverListener
        )
        if steps is not None or max_steps is not None:
            around.append(hooks_lib.StopAtStepHook(steps, max_steps))
        self._train_model(input_fn, around, listeners)
        return self

    def _trained_steps(self) -> int:
        return runs.trained_steps(self._model_dir)

    def _train_model(self, input_fn: Any, hooks: list[Any], listeners: Any) -> Any:
        config = self._config
        with ops.Graph().as_default() as graph, graph.device(self._device_fn):
            random_seed.set_random_seed(config.tf_random_seed)
            step = self._checked_global_step(graph)
            features, labels, input_hooks = self._inputs(input_fn, ModeKeys.TRAIN)
            spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
            if self._warm_start is not None:
                warm_starting_util.warm_start(*self._warm_start)
            return runs.train(
                spec,
                step,
                config,
                self._model_dir,
                self._session_config,
                [*input_hooks, *hooks],
                listeners,
            )

    # --- Evaluation ------------------------------------------------------------------

    def evaluate(
        self,
        input_fn: Callable[..., object],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Returns the values of the model's metrics, "loss" and "global_step", by name; also writes them as summaries.

        "loss" is the mean of the batches' losses.

        Args:
            input_fn: as in `train`.
            steps: the number of batches; None: until the input ends.
            hooks: SessionRunHooks.
            checkpoint_path: None: the latest.  Without a checkpoint the model is measured as it is initialized.
            name: summaries are in the folder "eval_" and this, or in "eval".

        Raises:
            ValueError: `steps` is not positive, or a metric is called "loss" or "global_step".
        """
        settings.check_positive(steps=steps)
        around = settings.checked_list(hooks, "hooks", session_run_hook.SessionRunHook)  # fmt: skip
        around.append(evaluation._StopAfterNEvalsHook(steps))
        path = checkpoint_path or self.latest_checkpoint()
        if path is None:
            logging.info(
                "Could not find trained model in model_dir: %s, running initialization to evaluate.",
                self._model_dir,
            )
        alone = cluster_task.evaluates_alone(self._config)
        place = None if alone else self._device_fn
        with ops.Graph().as_default() as graph, graph.device(place):
            random_seed.set_random_seed(self._config.tf_random_seed)
            step = self._checked_global_step(graph)
            features, labels, input_hooks = self._inputs(input_fn, ModeKeys.EVAL)
            spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self.config)
            if self._warm_start is not None and path is None:
                warm_starting_util.warm_start(*self._warm_start)
            results = runs.evaluate(
                spec.scaffold,
                results_lib.metrics_of(spec),
                step,
                self._config,
                self._config.session_config if alone else self._session_config,
                path,
                [*input_hooks, *around, *spec.evaluation_hooks],
            )
        results_lib.write_results(self.eval_dir(name), results)
        return results

    def eval_dir(self, name: str | None = None) -> str:
        """The folder of the summaries of evaluations of that name."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    # --- Use -------------------------------------------------------------------------

    def predict(
        self,
        input_fn: Callable[..., object],
        predict_keys: str | Sequence[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields the model's predictions, until the input ends.

        Args:
            input_fn: as in `train`, or gives features alone.
            predict_keys: the names of the predictions that are wanted; None: all.
            hooks: SessionRunHooks.
            checkpoint_path: None: the latest.  Without a checkpoint the model is used as it is initialized.
            yield_single_examples: whether examples come one by one; else as batches.

        Raises:
            ValueError: a name is of no prediction, or predictions have batches of different lengths.
        """
        around = settings.checked_list(hooks, "hooks", session_run_hook.SessionRunHook)  # fmt: skip
        path = checkpoint_path or self.latest_checkpoint()
        if path is None:
            logging.info(
                "Could not find trained model in model_dir: %s, running initialization to predict.",
                self._model_dir,
            )
        with ops.Graph().as_default() as graph, graph.device(self._device_fn):
            random_seed.set_random_seed(self._config.tf_random_seed)
            self._checked_global_step(graph)
            features, _, input_hooks = self._inputs(input_fn, ModeKeys.PREDICT)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            if not util.input_has_end(graph):
                logging.warn(
                    "Input graph does not use tf.data.Dataset or contain a QueueRunner. "
                    "That means predict yields forever. This is probably a mistake."
                )
            wanted = results_lib.wanted_predictions(spec.predictions, predict_keys)
            session = runs.prediction_session(
                spec.scaffold,
                path,
                self._session_config,
                [*input_hooks, *around, *spec.prediction_hooks],
                self._config.master,
            )
        with session:
            while not session.should_stop():
                batch = session.run(wanted)
                if yield_single_examples:
                    yield from results_lib.examples(batch)
                else:
                    yield batch

    def export_savedmodel(
        self,
        export_dir_base: str | os.PathLike,
        serving_input_receiver_fn: Callable[[], ServingInputReceiver],
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes a SavedModel with the graph for PREDICT and the latest checkpoint's variables; returns its folder.

        Args:
            export_dir_base: where the folder is made; its name is the time in seconds.
            serving_input_receiver_fn: gives a ServingInputReceiver.
            assets_extra: files by their name in the folder's `assets.extra`.
            as_text: whether the description is text.
            checkpoint_path: None: the latest.
            strip_default_attrs: see `export_meta_graph`.

        Raises:
            ValueError: no function, no checkpoint, or a model without `export_outputs`.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("serving_input_receiver_fn must be defined.")
        path = checkpoint_path or self.latest_checkpoint()
        if not path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        with ops.Graph().as_default() as graph:
            self._checked_global_step(graph)
            random_seed.set_random_seed(self._config.tf_random_seed)
            receiver = serving_input_receiver_fn()
            features = receiver.features
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            return saved_model_export.write(
                export_dir_base,
                receiver,
                spec,
                path,
                self._session_config,
                assets_extra,
                as_text,
                strip_default_attrs,
            )

    export_saved_model = export_savedmodel
