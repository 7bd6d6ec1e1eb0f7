# SPDX-License-Identifier: Apache-2.0
"""An estimator with its input for training and evaluation, which `learn_runner` runs."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import estimator_runs
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import (
    basic_session_run_hooks as hooks_lib,
    checkpoint_management,
    server_lib,
    session_run_hook,
    training_util,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorwright.contrib.learn.python.learn.export_strategy import ExportStrategy
    from tensorwright.contrib.learn.python.learn.metric_spec import MetricSpec
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["Experiment"]


class _EvaluateHook(session_run_hook.SessionRunHook):
    """Calls a function when the folder has a new checkpoint, which it looks for every `steps` steps."""

    def __init__(self, folder: str, steps: int, evaluate: Callable[[], Any]):
        self._folder, self._steps, self._evaluate = folder, steps, evaluate
        self._seen = checkpoint_management.latest_checkpoint(folder)
        self._looked_at = 0

    def begin(self) -> None:
        self._step = training_util.get_global_step()

    def before_run(self, run_context: Any) -> Any:
        return session_run_hook.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results)
        if step - self._looked_at < self._steps:
            return
        self._looked_at = step
        path = checkpoint_management.latest_checkpoint(self._folder)
        if path is not None and path != self._seen:
            self._seen = path
            self._evaluate()


class Experiment:
    """All that a program needs to train a model, and to measure and export it.

    Args:
        estimator: an Estimator of `tf.contrib.learn` or `tf.estimator`.
        train_input_fn, eval_input_fn: give features and labels.
        eval_metrics: MetricSpecs by name, for an estimator of `tf.contrib.learn`.
        train_steps: at which step training ends; None: when the input does.
        eval_steps: batches of an evaluation; None: until the input ends.
        train_monitors: hooks of training.
        eval_hooks: hooks of evaluations.
        local_eval_frequency: the older name of `min_eval_frequency`.
        eval_delay_secs: how long evaluations wait before the first.
        continuous_eval_throttle_secs: how far apart they are at least.
        min_eval_frequency: after how many steps training looks for a new checkpoint to evaluate; 0: never, None: 1.
        delay_workers_by_global_step: whether workers start one after another by steps instead of seconds.
        export_strategies: an ExportStrategy or several, which export after evaluations.
        train_steps_per_iteration: steps between evaluations of `continuous_train_and_eval`.

    Raises:
        ValueError: an estimator of another kind, or metrics for one of `tf.estimator`.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., object],
        eval_input_fn: Callable[..., object],
        eval_metrics: Mapping[str, MetricSpec] | None = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Sequence[SessionRunHook] | None = None,
        eval_hooks: Sequence[SessionRunHook] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: ExportStrategy | Iterable[ExportStrategy] | None = None,
        train_steps_per_iteration: int | None = None,
    ):
        self._learn = hasattr(estimator, "fit")
        if not self._learn and not hasattr(estimator, "train"):
            raise ValueError(
                "`estimator` must be an Estimator of tf.contrib.learn or tf.estimator, "
                f"got {type(estimator).__name__}"
            )
        if not self._learn and eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. "
                "Use `eval_metric_ops` in `EstimatorSpec`."
            )
        if min_eval_frequency is None:
            min_eval_frequency = local_eval_frequency
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._train_monitors = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._eval_delay_secs = eval_delay_secs
        self._throttle_secs = continuous_eval_throttle_secs
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency  # fmt: skip
        self._delay_by_step = delay_workers_by_global_step
        self._train_steps_per_iteration = train_steps_per_iteration
        self.reset_export_strategies(export_strategies)

    @property
    def estimator(self) -> Any:
        return self._estimator

    @property
    def eval_metrics(self) -> Mapping[str, MetricSpec] | None:
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Sequence[SessionRunHook]) -> None:
        """Adds hooks of training."""
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(
        self,
        new_export_strategies: ExportStrategy | Iterable[ExportStrategy] | None = None,
    ) -> list[ExportStrategy]:
        """Sets the strategies; returns those before."""
        before = getattr(self, "_export_strategies", [])
        new = new_export_strategies
        if new is None:
            new = []
        self._export_strategies: list[Any] = (
            [new] if hasattr(new, "export_fn") else list(new)
        )
        return before

    # --- Parts ----------------------------------------------------------------------

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains up to `train_steps`; returns the estimator.

        In a cluster the server of this task is started, and workers begin 5 seconds apart, or `delay_secs` after now.
        """
        config = self._estimator.config
        if config.cluster_spec and config.cluster_spec.jobs and config.master:
            self._start_server()
        hooks = list(self._train_monitors)
        if self._delay_by_step and not config.is_chief:
            wait = int(5500 * math.log(1 + config.task_id))
            hooks.append(hooks_lib.GlobalStepWaiterHook(wait))
            delay_secs = 0
        if delay_secs is None:
            delay_secs = min(60, 5 * config.task_id) if config.task_id else 0
        if delay_secs > 0:
            logging.info("Waiting %d secs before starting training.", delay_secs)
            time.sleep(delay_secs)
        return self._train(self._train_steps, hooks)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the latest checkpoint after `eval_delay_secs`; returns the metrics by name."""
        self._wait(delay_secs)
        return self._evaluate(name or "one_pass")

    def _wait(self, delay_secs: float | None) -> None:
        delay = self._eval_delay_secs if delay_secs is None else delay_secs
        if delay > 0:
            logging.info("Waiting %d secs before starting eval.", delay)
            time.sleep(delay)

    def _train(self, max_steps: int | None, hooks: list[Any]) -> Any:
        if self._learn:
            return self._estimator.fit(input_fn=self._train_input_fn, max_steps=max_steps, monitors=hooks)  # fmt: skip
        return self._estimator.train(self._train_input_fn, max_steps=max_steps, hooks=hooks)  # fmt: skip

    def _evaluate(
        self, name: str, checkpoint_path: str | None = None, steps: Any = None
    ) -> Any:
        given: dict[str, Any] = {"metrics": self._eval_metrics} if self._learn else {}
        return self._estimator.evaluate(
            input_fn=self._eval_input_fn,
            steps=self._eval_steps if steps is None else steps,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=self._eval_hooks,
            **given,
        )

    def _export(self, result: Any, checkpoint_path: str | None = None) -> list[Any]:
        """Exports by all strategies; where the exports are."""
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            s.export(
                self._estimator,
                os.path.join(folder, s.name),
                checkpoint_path=checkpoint_path,
                eval_result=result,
            )
            for s in self._export_strategies
        ]

    # --- Schedules ------------------------------------------------------------------

    def train_and_evaluate(self) -> tuple[Any, list[Any]]:
        """Trains, evaluates new checkpoints meanwhile, then evaluates and exports: (metrics, exports)."""
        hooks = list(self._train_monitors)
        if self._min_eval_frequency:
            hooks.append(
                _EvaluateHook(
                    self._estimator.model_dir,
                    self._min_eval_frequency,
                    lambda: self._evaluate("one_pass"),
                )
            )
        self._train(self._train_steps, hooks)
        result = self._evaluate("one_pass")
        return result, self._export(result)

    def local_run(self) -> tuple[Any, list[Any]]:
        """The same as `train_and_evaluate`, by its older name."""
        return self.train_and_evaluate()

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[[Any], bool] | None = None,
    ) -> None:
        """Evaluates new checkpoints, and exports, until one is of step `train_steps`.

        Args:
            delay_secs: how long it waits at first; None: `eval_delay_secs`.
            throttle_delay_secs: how far apart evaluations begin; None: `continuous_eval_throttle_secs`.
            evaluate_checkpoint_only_once: whether a checkpoint that was evaluated is left out.
            continuous_eval_predicate_fn: gets the metrics of the last evaluation, None at first; False ends it.
        """
        self._continuous(
            self._eval_input_fn, "continuous", delay_secs, throttle_delay_secs,
            evaluate_checkpoint_only_once, continuous_eval_predicate_fn, True,
        )  # fmt: skip

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[[Any], bool] | None = None,
    ) -> None:
        """As `continuous_eval`, on the training data, and without exports."""
        self._continuous(
            self._train_input_fn, "continuous_on_train_data", delay_secs,
            throttle_delay_secs, True, continuous_eval_predicate_fn, False,
        )  # fmt: skip

    def _continuous(
        self,
        input_fn: Any,
        name: str,
        delay_secs: float | None,
        throttle: float | None,
        once: bool,
        goes_on: Callable[[Any], bool] | None,
        exports: bool,
    ) -> None:
        self._wait(delay_secs)
        throttle = self._throttle_secs if throttle is None else throttle
        before, result = None, None
        while goes_on is None or goes_on(result):
            start = time.time()
            path = checkpoint_management.latest_checkpoint(self._estimator.model_dir)
            if path is None:
                logging.warning("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.")  # fmt: skip # noqa: E501
            elif not (once and path == before):
                given = self._eval_input_fn
                self._eval_input_fn = input_fn
                try:
                    result = self._evaluate(name, path)
                finally:
                    self._eval_input_fn = given
                if exports:
                    self._export(result, path)
                before = path
            last = result is not None and self._train_steps is not None
            if last and int(result["global_step"]) >= self._train_steps:
                return
            time.sleep(max(0, throttle - (time.time() - start)))

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[[Any], bool] | None = None
    ) -> tuple[Any, list[Any]]:
        """Trains some steps and evaluates, in turn, until step `train_steps`: (metrics, exports).

        Some are `train_steps_per_iteration`, or a tenth of `train_steps`, at least `min_eval_frequency`.

        Args:
            continuous_eval_predicate_fn: gets the metrics of the last evaluation, None at first; False ends it.

        Raises:
            ValueError: no `train_steps` and no `train_steps_per_iteration`.
        """
        some = self._train_steps_per_iteration
        if some is None:
            if self._train_steps is None:
                raise ValueError("train_steps_per_iteration or train_steps must be set")
            some = max(self._min_eval_frequency, self._train_steps // 10, 1)
        result: Any = None
        exports: list[Any] = []
        goes_on = continuous_eval_predicate_fn
        while goes_on is None or goes_on(result):
            done = self._trained_steps()
            if self._train_steps is not None and done >= self._train_steps:
                break
            until = done + some
            if self._train_steps is not None:
                until = min(until, self._train_steps)
            self._train(until, list(self._train_monitors))
            result = self._evaluate("continuous")
            exports = self._export(result)
        if result is None:
            result = self._evaluate("continuous")
        return result, exports

    def _trained_steps(self) -> int:
        return estimator_runs.trained_steps(self._estimator.model_dir)

    def test(self) -> Any:
        """Trains and evaluates one step each, to see that the program holds: the metrics."""
        self._train(1, list(self._train_monitors))
        result = self._evaluate("one_pass", steps=1)
        self._export(result)
        return result

    # --- Clusters -------------------------------------------------------------------

    def run_std_server(self) -> None:
        """Starts the server of this task and serves until the process ends."""
        self._start_server().join()

    def _start_server(self) -> Any:
        config = self._estimator.config
        if not config.cluster_spec or not config.cluster_spec.jobs or not config.master:
            raise ValueError(
                "Could not start server; be sure to specify cluster_spec and master in "
                "RunConfig or set the TF_CONFIG environment variable."
            )
        server = server_lib.Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=getattr(config, "tf_config", None),
            start=False,
        )
        server.start()
        self._server = server
        return server
