# SPDX-License-Identifier: Apache-2.0
"""Estimators: they train, evaluate and use the model of a model function, in a folder."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.learn.python.learn import monitors as learn_monitors
from tensorwright.contrib.learn.python.learn.estimators import data_inputs
from tensorwright.contrib.learn.python.learn.estimators.model_fn import (
    ModeKeys,
    ModelFnOps,
)
from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
from tensorwright.contrib.learn.python.learn.estimators.sk_compat import SKCompat
from tensorwright.contrib.learn.python.learn.estimators.trainable import (
    Evaluable,
    Trainable,
)
from tensorwright.contrib.learn.python.learn.metric_spec import MetricSpec
from tensorwright.contrib.learn.python.learn.utils import saved_model_export_utils
from tensorwright.contrib.training.python.training import evaluation
from tensorwright.python.estimator import (
    estimator_results as results_lib,
    estimator_runs as runs,
    util,
)
from tensorwright.python.framework import ops, random_seed
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.ops import metrics as metrics_lib
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import (
    basic_session_run_hooks as hooks_lib,
    checkpoint_management,
    checkpoint_utils,
    summary_io,
    training_util,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import FeedDict
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["Estimator", "Evaluable", "SKCompat", "Trainable"]


class Estimator(Trainable, Evaluable):
    """A model that is trained, evaluated and used; its checkpoints are in a folder.

    Args:
        model_fn: `f(features, labels)`, and, where it has these arguments, `mode`, `params`, `config` and `model_dir`;
            gives ModelFnOps, or (predictions, loss, train_op).
        model_dir: the folder; None: that of `config`, or a new one.
        config: a RunConfig.
        params: for the model function.
        feature_engineering_fn: `f(features, labels)`, which gives both changed.
    """

    def __init__(
        self,
        model_fn: Callable[..., object] | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Mapping[str, object] | None = None,
        feature_engineering_fn: Callable[
            [TensorTree, TensorTree], tuple[TensorTree, TensorTree]
        ]
        | None = None,
    ):
        if model_fn is None:
            raise ValueError("model_fn must be given")
        self._config = config or RunConfig()
        self._model_dir = model_dir or self._config.model_dir or tempfile.mkdtemp()
        self._model_fn = model_fn
        self._arguments = set(inspect.signature(model_fn).parameters)
        if params is not None and "params" not in self._arguments:
            raise ValueError(f"Estimator's model_fn ({model_fn}) has less than 4 arguments, but not None params ({params}) are passed.")  # fmt: skip
        self.params = dict(params or {})
        self._feature_engineering_fn = feature_engineering_fn or (lambda f, l: (f, l))  # noqa: E741

    @property
    def config(self) -> RunConfig:
        return self._config

    @property
    def model_dir(self) -> str:
        return self._model_dir

    # --- The model ------------------------------------------------------------------

    def _call_model_fn(self, features: Any, labels: Any, mode: str) -> ModelFnOps:
        features, labels = self._feature_engineering_fn(features, labels)
        offered = {
            "mode": mode,
            "params": self.params,
            "config": self._config,
            "model_dir": self._model_dir,
        }
        given = {k: v for k, v in offered.items() if k in self._arguments}
        found = self._model_fn(features, labels, **given)
        if isinstance(found, ModelFnOps):
            return found
        if not isinstance(found, tuple) or len(found) != 3:
            raise ValueError(f"Unrecognized value returned by model_fn, please return ModelFnOps: {found}")  # fmt: skip
        predictions, loss, train_op = found
        return ModelFnOps(mode, predictions, loss, train_op)

    def _session_config(self) -> Any:
        return self._config.session_config or self._config.tf_config

    def get_variable_names(self) -> list[str]:
        """Returns the names of the variables in the latest checkpoint."""
        return [name for name, _ in checkpoint_utils.list_variables(self._model_dir)]

    def get_variable_value(self, name: str) -> np.ndarray:
        """A value of the latest checkpoint."""
        return checkpoint_utils.load_variable(self._model_dir, name)

    # --- Training -------------------------------------------------------------------

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], object] | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Sequence[SessionRunHook] | None = None,
        max_steps: int | None = None,
    ) -> Estimator:
        """Trains, and goes on from the latest checkpoint of the folder.

        Args:
            x, y: arrays of examples and targets; or
            input_fn: gives (features, labels), tensors or dicts of them.
            steps: how many more; or
            max_steps: at which one it ends; neither: until the input does.
            batch_size: the size of `x`.
            monitors: hooks.

        Raises:
            ValueError: both or neither form of input, or both `steps` and `max_steps`.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        if steps is not None and steps <= 0:
            raise ValueError(f"steps must be positive, got {steps}")
        source = data_inputs.source(x, y, input_fn, batch_size, shuffle=True, epochs=None)  # fmt: skip
        if max_steps is not None and runs.trained_steps(self._model_dir) >= max_steps:
            logging.info("Skipping training since max_steps has already saved.")
            return self
        self._train(source, list(monitors or ()), steps, max_steps)
        return self

    def partial_fit(
        self,
        x: TensorLike | None = None,
        y: TensorLike | None = None,
        input_fn: Callable[..., object] | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Sequence[SessionRunHook] | None = None,
    ) -> Estimator:
        """`fit` of a part of the data, one step by default."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def _train(self, source: Any, hooks: list[Any], steps: Any, max_steps: Any) -> None:
        config = self._config
        with ops.Graph().as_default() as graph:
            random_seed.set_random_seed(config.tf_random_seed)
            step = training_util.create_global_step(graph)
            features, labels, feed_fn = source()
            model = self._call_model_fn(features, labels, ModeKeys.TRAIN)
            for hook in hooks:
                if isinstance(hook, learn_monitors.ValidationMonitor):
                    hook.set_estimator(self)
            if feed_fn is not None:
                hooks.append(hooks_lib.FeedFnHook(feed_fn))
            if steps is not None or max_steps is not None:
                hooks.append(hooks_lib.StopAtStepHook(steps, max_steps))
            runs.train(
                model,
                step,
                config,
                self._model_dir,
                self._session_config(),
                hooks,
            )
        summary_io.SummaryWriterCache.clear()

    # --- Evaluation -----------------------------------------------------------------

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], object] | None = None,
        feed_fn: Callable[[], FeedDict] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: dict[str, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Returns the values of metrics, and "loss" and "global_step", by name.

        Args:
            x, y, input_fn, batch_size: as in `fit`; arrays are gone through once.
            feed_fn: a function that returns the feeds of each run.
            steps: how many batches; None: until the input ends.
            metrics: MetricSpecs by name, besides those of the model.
            name: the end of the name of the summaries' folder, which begins with "eval_".
            checkpoint_path: None: the latest.
            hooks: called around the runs.
            log_progress: whether it is logged.

        Raises:
            ValueError: there is no checkpoint; or as in `fit`.
        """
        source = data_inputs.source(x, y, input_fn, batch_size, shuffle=False, epochs=1)
        path = checkpoint_path or checkpoint_management.latest_checkpoint(self._model_dir)  # fmt: skip
        if path is None:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        folder = f"{self._model_dir}/eval" + (f"_{name}" if name else "")
        with ops.Graph().as_default() as graph:
            random_seed.set_random_seed(self._config.tf_random_seed)
            step = training_util.create_global_step(graph)
            features, labels, own_feed = source()
            model = self._call_model_fn(features, labels, ModeKeys.EVAL)
            found = dict(model.eval_metric_ops)
            for key, metric in (metrics or {}).items():
                if not isinstance(metric, MetricSpec):
                    raise ValueError(f"metrics must be MetricSpecs, got {metric!r}")
                found[key] = metric.create_metric_ops(features, labels, model.predictions)  # fmt: skip
            if "loss" not in found:
                found["loss"] = metrics_lib.mean(model.loss)
            around = [evaluation.StopAfterNEvalsHook(steps, log_progress), *(hooks or ())]  # fmt: skip
            for feed in (feed_fn, own_feed):
                if feed is not None:
                    around.append(hooks_lib.FeedFnHook(feed))
            results = runs.evaluate(
                model.scaffold,
                found,
                step,
                self._config,
                self._session_config(),
                path,
                around,
            )
        results_lib.write_results(folder, results)
        return results

    # --- Use ------------------------------------------------------------------------

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], object] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predictions: one for each example, a value or a dict of them.

        Args:
            x: an array of examples; or
            input_fn: gives features, or (features, labels).
            batch_size: the size of `x`.
            outputs: the keys that are wanted; None: all.
            as_iterable: whether they come one by one; else as arrays.
            iterate_batches: whether batches come instead of examples.

        Raises:
            ValueError: there is no checkpoint; or a key that is not there.
        """
        source = data_inputs.source(x, None, input_fn, batch_size, shuffle=False, epochs=1)  # fmt: skip
        path = checkpoint_management.latest_checkpoint(self._model_dir)
        if path is None:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        batches = self._predicted(source, path, outputs, input_fn is not None)
        if not as_iterable:
            return data_inputs.together(list(batches))
        return batches if iterate_batches else data_inputs.each(batches)

    def _predicted(
        self, source: Any, path: str, outputs: Any, once: bool
    ) -> Iterator[Any]:
        with ops.Graph().as_default() as graph:
            random_seed.set_random_seed(self._config.tf_random_seed)
            training_util.create_global_step(graph)
            features, _, feed_fn = source()
            model = self._call_model_fn(features, None, ModeKeys.INFER)
            predictions = model.predictions
            if isinstance(predictions, dict):
                predictions = results_lib.wanted_predictions(predictions, outputs)
            # Input that is the same in each run would have no end.
            ends = feed_fn is not None or util.input_has_end(graph)
            hooks = [hooks_lib.FeedFnHook(feed_fn)] if feed_fn is not None else []
            session = runs.prediction_session(
                model.scaffold, path, self._session_config(), hooks
            )
        with session:
            while not session.should_stop():
                yield session.run(predictions)
                if once and not ends:
                    return

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes a SavedModel with the latest checkpoint's variables; returns its folder.

        Args:
            export_dir_base: where the folder is made; its name is the time in seconds.
            serving_input_fn: gives InputFnOps.
            default_output_alternative_key, assets_extra, as_text, strip_default_attrs: see
                `saved_model_export_utils.write_saved_model`.
            checkpoint_path: None: the latest.

        Raises:
            ValueError: no function, no checkpoint, or as in `write_saved_model`.
        """
        if serving_input_fn is None:
            raise ValueError("serving_input_fn must be defined.")
        path = checkpoint_path or checkpoint_management.latest_checkpoint(self._model_dir)  # fmt: skip
        if not path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        with ops.Graph().as_default() as graph:
            training_util.create_global_step(graph)
            features, labels, inputs = serving_input_fn()
            model = self._call_model_fn(features, labels, ModeKeys.INFER)
            return saved_model_export_utils.write_saved_model(
                export_dir_base, inputs, model, path, self._session_config(),
                default_output_alternative_key, assets_extra, as_text,
                strip_default_attrs,
            )  # fmt: skip
