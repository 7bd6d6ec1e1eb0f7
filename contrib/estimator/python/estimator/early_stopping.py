# SPDX-License-Identifier: Apache-2.0
"""Hooks that end a training when evaluations have measured certain values."""

from __future__ import annotations

import collections
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.platform import gfile, tf_logging as logging
from tensorwright.python.training import (
    basic_session_run_hooks,
    checkpoint_management,
    checkpoint_utils,
    session_run_hook,
    summary_io,
    training_util,
)

if TYPE_CHECKING:
    from tensorwright.python.estimator.estimator import Estimator


__all__ = [
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "read_eval_metrics",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]


def read_eval_metrics(eval_dir: str) -> collections.OrderedDict[int, dict[str, float]]:
    """The metrics of each evaluation, by their step, of the event files of a folder."""
    found: dict[int, dict[str, float]] = {}
    for path in gfile.Glob(os.path.join(eval_dir, "*tfevents*")):
        for event in summary_io.summary_iterator(path):
            values = {v.tag: v.simple_value for v in event.summary.value if v.HasField("simple_value")}  # fmt: skip # noqa: E501
            if values:
                found.setdefault(event.step, {}).update(values)
    return collections.OrderedDict(sorted(found.items()))


class _StopHook(session_run_hook.SessionRunHook):
    """Asks a function now and then whether to stop."""

    def __init__(self, should_stop_fn: Callable[[], bool], secs: Any, steps: Any):
        self._should_stop_fn = should_stop_fn
        self._timer = basic_session_run_hooks.SecondOrStepTimer(
            every_secs=secs, every_steps=steps
        )

    def begin(self) -> None:
        self._step = training_util.get_or_create_global_step()
        self._timer.reset()

    def before_run(self, run_context: Any) -> Any:
        del run_context
        return session_run_hook.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results)
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop_fn():
            logging.info("Requesting early stopping at global step %d", step)
            run_context.request_stop()


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> session_run_hook.SessionRunHook:
    """A hook that ends a training when a function says so.

    Args:
        estimator: that is trained.
        should_stop_fn: a function without arguments that says whether to stop.
        run_every_secs: how often it is asked; or
        run_every_steps: ... in steps.

    Raises:
        TypeError: `should_stop_fn` cannot be called.
        ValueError: both `run_every_secs` and `run_every_steps`, or neither.

    Example:
        hook = tf.contrib.estimator.stop_if_no_decrease_hook(estimator, "loss", 1000)
        tf.estimator.train_and_evaluate(estimator, tf.estimator.TrainSpec(input_fn, hooks=[hook]), eval_spec)
    """
    if not callable(should_stop_fn):
        raise TypeError("`should_stop_fn` must be callable")
    if (run_every_secs is None) == (run_every_steps is None):
        raise ValueError("Exactly one of `run_every_secs` and `run_every_steps` must be set.")  # fmt: skip # noqa: E501
    del estimator
    return _StopHook(should_stop_fn, run_every_secs, run_every_steps)


def _threshold_hook(
    estimator: Any, metric_name: str, fits: Callable[[float], bool], eval_dir: Any, min_steps: int, secs: Any, steps: Any
) -> Any:  # fmt: skip
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step >= min_steps and metric_name in metrics and fits(metrics[metric_name]):  # fmt: skip # noqa: E501
                logging.info("Metric %s is %s at step %d.", metric_name, metrics[metric_name], step)  # fmt: skip # noqa: E501
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, secs, steps)


def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> session_run_hook.SessionRunHook:
    """A hook that ends a training when an evaluation's metric is above a number.

    Args:
        estimator: that is trained.
        metric_name: "accuracy" and the like.
        threshold: the number.
        eval_dir: the folder of evaluations; None: the estimator's.
        min_steps: evaluations before that step do not count.
        run_every_secs, run_every_steps: as in `make_early_stopping_hook`.
    """
    return _threshold_hook(estimator, metric_name, lambda v: v > threshold, eval_dir, min_steps, run_every_secs, run_every_steps)  # fmt: skip # noqa: E501


def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> session_run_hook.SessionRunHook:
    """A hook that ends a training when an evaluation's metric is below a number; arguments as in `stop_if_higher_hook`."""
    return _threshold_hook(estimator, metric_name, lambda v: v < threshold, eval_dir, min_steps, run_every_secs, run_every_steps)  # fmt: skip # noqa: E501


def _progress_hook(
    estimator: Any, metric_name: str, most: int, better: Callable[[float, float], bool], eval_dir: Any, min_steps: int, secs: Any, steps: Any
) -> Any:  # fmt: skip
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        best, best_step, last = None, 0, None
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps or metric_name not in metrics:
                continue
            value, last = metrics[metric_name], step
            if best is None or better(value, best):
                best, best_step = value, step
        if last is None or last - best_step < most:
            return False
        logging.info("No better %s for %d steps than %s at step %d.", metric_name, last - best_step, best, best_step)  # fmt: skip # noqa: E501
        return True

    return make_early_stopping_hook(estimator, should_stop, secs, steps)


def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> session_run_hook.SessionRunHook:
    """A hook that ends a training when the greatest metric of evaluations is so many steps old.

    Args:
        max_steps_without_increase: so many.
        estimator, metric_name, eval_dir, min_steps, run_every_secs, run_every_steps: as in `stop_if_higher_hook`.
    """
    return _progress_hook(estimator, metric_name, max_steps_without_increase, lambda new, old: new > old, eval_dir, min_steps, run_every_secs, run_every_steps)  # fmt: skip # noqa: E501


def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> session_run_hook.SessionRunHook:
    """A hook that ends a training when the least metric of evaluations is so many steps old.

    Args:
        max_steps_without_decrease: so many.
        estimator, metric_name, eval_dir, min_steps, run_every_secs, run_every_steps: as in `stop_if_higher_hook`.
    """
    return _progress_hook(estimator, metric_name, max_steps_without_decrease, lambda new, old: new < old, eval_dir, min_steps, run_every_secs, run_every_steps)  # fmt: skip # noqa: E501


class _StopAtCheckpointStepHook(session_run_hook.SessionRunHook):
    """Asks for the end at a step, once a checkpoint of that step is there."""

    def __init__(self, model_dir: str, last_step: int, wait_secs: float):
        if last_step is None:
            raise ValueError("last_step must be specified.")
        if model_dir is None:
            raise ValueError("model_dir must be specified.")
        self._model_dir, self._last_step = model_dir, last_step
        self._wait_secs = wait_secs

    def begin(self) -> None:
        self._step = training_util.get_or_create_global_step()

    def before_run(self, run_context: Any) -> Any:
        return session_run_hook.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        # The fetched value may be from before the update.
        if run_values.results + 1 < self._last_step:
            return
        if run_context.session.run(self._step) < self._last_step:
            return
        while self._saved_step() < self._last_step:
            logging.info("Waiting for a checkpoint of step %d", self._last_step)
            time.sleep(self._wait_secs)
        run_context.request_stop()

    def _saved_step(self) -> int:
        path = checkpoint_management.latest_checkpoint(self._model_dir)
        if path is None:
            return -1
        reader = checkpoint_utils.load_checkpoint(path)
        return int(reader.get_tensor(self._step.op.name))


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> session_run_hook.SessionRunHook:
    """A hook that ends a training at a step: of the chief then, of other workers when its checkpoint is there.

    So no worker ends before the chief has saved the model.

    Args:
        estimator: its config says who the chief is, and its folder has the checkpoints.
        last_step: the step.
        wait_after_file_check_secs: the time between two looks for the checkpoint.

    Raises:
        ValueError: `last_step` is None.
    """
    if estimator.config.is_chief:
        return basic_session_run_hooks.StopAtStepHook(last_step=last_step)
    return _StopAtCheckpointStepHook(
        estimator.model_dir, last_step, wait_after_file_check_secs
    )
