# SPDX-License-Identifier: Apache-2.0
"""train_and_evaluate: training that is measured, and exported, at its checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.estimator import (
    cluster_task,
    estimator as estimator_lib,
    run_config,
    util,
)
from tensorwright.python.estimator.exporter import Exporter
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import basic_session_run_hooks, session_run_hook
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorwright.python.training._hooks.saving_hooks import CheckpointSaverListener
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["EvalSpec", "TrainSpec", "train_and_evaluate"]

_ARGUMENTS = frozenset({"params", "config", "mode", "self", "input_context"})


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")
    unknown = sorted(set(util.fn_args(input_fn)) - _ARGUMENTS)
    if unknown:
        raise ValueError(f"input_fn ({input_fn}) has unexpected arguments: {unknown}")


def _checked_hooks(hooks: Any) -> tuple[Any, ...]:
    found = tuple(hooks or ())
    for hook in found:
        if not isinstance(hook, session_run_hook.SessionRunHook):
            raise TypeError(
                f"All hooks must be `SessionRunHook` instances, given: {hook}"
            )
    return found


class _TrainSpec(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: int | None
    hooks: tuple[Any, ...]
    saving_listeners: tuple[Any, ...]


class TrainSpec(_TrainSpec):
    """Says how a model is trained; the arguments are those of `Estimator.train`.

    Raises:
        ValueError: `max_steps` is not positive, or the input function has parameters that it must not have.
        TypeError: the input function is no function, or a hook is no hook.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., object],
        max_steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> TrainSpec:
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        listeners = tuple(saving_listeners or ())
        return super().__new__(
            cls, input_fn, max_steps, _checked_hooks(hooks), listeners
        )


class _EvalSpec(NamedTuple):
    input_fn: Callable[..., Any]
    steps: int | None
    name: str | None
    hooks: tuple[Any, ...]
    exporters: tuple[Exporter, ...]
    start_delay_secs: float
    throttle_secs: float


class EvalSpec(_EvalSpec):
    """Says how a model is evaluated, and how it is exported afterwards.

    Args:
        input_fn, steps, name, hooks: as in `Estimator.evaluate`; `steps` is 100 batches by default, None for all.
        exporters: Exporters, called after each evaluation.
        start_delay_secs: how long an evaluating process waits at first.
        throttle_secs: the least number of seconds between the beginnings of evaluations; without a new checkpoint there
            is no evaluation.

    Raises:
        ValueError: a number is not positive, or exporters share a name.
        TypeError: the input function is no function, a hook no hook, or an exporter no exporter.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., object],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        exporters: Exporter | Iterable[Exporter] | None = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> EvalSpec:
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        if start_delay_secs < 0:
            raise ValueError(
                f"Must specify start_delay_secs >= 0, given: {start_delay_secs}"
            )
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            _checked_hooks(hooks),
            _checked_exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def _checked_exporters(exporters: Any) -> tuple[Exporter, ...]:
    if exporters is None:
        return ()
    found = (exporters,) if isinstance(exporters, Exporter) else tuple(exporters)
    names: set[str] = set()
    for exporter in found:
        if not isinstance(exporter, Exporter):
            raise TypeError(f"`exporters` must be Exporters, given: {exporter}")
        if not exporter.name:
            raise ValueError(
                f"An Exporter cannot have a name that is `None` or empty. Given: {exporter}"
            )
        if exporter.name in names:
            raise ValueError(
                "`exporters` must have unique names. Such a name cannot be repeated: "
                f"{exporter.name}"
            )
        names.add(exporter.name)
    return found


def train_and_evaluate(
    estimator: estimator_lib.Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict[str, Any] | None, list[Any]] | None:
    """Trains a model in this process, and evaluates it at its checkpoints and at the end.

    The RunConfig says how often checkpoints are written; `eval_spec.throttle_secs` limits how often they are
    evaluated.  In a cluster each process calls this, and TF_CONFIG says which one it is: chief and workers train, a
    "ps" keeps variables and serves until it is ended, an evaluator evaluates the checkpoints that the chief writes until
    `train_spec.max_steps`, and a master trains as a chief does and evaluates too.

    Returns:
        The metrics and the exports of the last evaluation; None for a chief, a worker or an evaluator.

    Raises:
        TypeError: an argument is no Estimator, TrainSpec or EvalSpec.
        ImportError: the process belongs to a cluster, and the wheel of clusters is not installed.

    Example:
        train = tf.estimator.TrainSpec(train_input_fn, max_steps=1000)
        evaluate = tf.estimator.EvalSpec(eval_input_fn, steps=None, throttle_secs=60)
        tf.estimator.train_and_evaluate(estimator, train, evaluate)
    """
    for name, value, kind in (
        ("estimator", estimator, estimator_lib.Estimator),
        ("train_spec", train_spec, TrainSpec),
        ("eval_spec", eval_spec, EvalSpec),
    ):
        if not isinstance(value, kind):
            raise TypeError(
                f"`{name}` must have type `tf.estimator.{kind.__name__}`, given {type(value)}"
            )
    config = estimator.config
    if config.task_type == run_config.TaskType.EVALUATOR:
        _run_evaluator(estimator, train_spec, eval_spec)
        return None
    if config.cluster_spec.jobs:
        return _run_task(estimator, train_spec, eval_spec)
    return _run_local(estimator, train_spec, eval_spec)


def _run_task(
    estimator: Any, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[Any, list[Any]] | None:
    """The part of a cluster's task that is no evaluator."""
    config = estimator.config
    server = cluster_task.start_server(config)
    if config.task_type == run_config.TaskType.PS:
        server.join()
        return None
    if config.task_type == run_config.TaskType.MASTER:
        return _run_local(estimator, train_spec, eval_spec)
    cluster_task.wait_for_turn(config)
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=list(train_spec.hooks),
        saving_listeners=list(train_spec.saving_listeners),
    )
    return None


class _Evaluator:
    """Evaluates the newest checkpoint and exports it, unless that was done."""

    def __init__(self, estimator: Any, eval_spec: EvalSpec, max_steps: int | None):
        self._estimator, self._spec, self._max_steps = estimator, eval_spec, max_steps
        self._seen: str | None = None
        self.last: tuple[Any, list[Any]] = (None, [])
        self.ended = False

    def evaluate(self, final: bool = False) -> bool:
        """Evaluates, and returns whether there was anything new; `final`: training has ended."""
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._seen:
            return False
        spec = self._spec
        result = self._estimator.evaluate(
            input_fn=spec.input_fn,
            steps=spec.steps,
            name=spec.name,
            checkpoint_path=path,
            hooks=list(spec.hooks),
        )
        if not result:
            logging.warn("Estimator evaluate returns empty result.")
            return False
        step = int(result["global_step"])
        self.ended = self._max_steps is not None and step >= self._max_steps
        self._seen = path
        exports = self.export(result, path, final or self.ended)
        self.last = (result, exports)
        return True

    def export(self, result: Any, path: str, final: bool) -> list[Any]:
        base = os.path.join(compat.as_str_any(self._estimator.model_dir), "export")
        return [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(base, exporter.name),
                checkpoint_path=path,
                eval_result=result,
                is_the_final_export=final,
            )
            for exporter in self._spec.exporters
        ]

    def finish(self) -> None:
        """Evaluates a new checkpoint; one that was evaluated before training ended is exported as final, too."""
        path = self._estimator.latest_checkpoint()
        if path is not None and path == self._seen and not self.ended:
            result, made = self.last
            again = self.export(result, path, True) if self._spec.exporters else []
            self.last = (result, [new or old for new, old in zip(again, made)])
            return
        self.evaluate(final=True)


class _EvaluatesCheckpoints(basic_session_run_hooks.CheckpointSaverListener):
    """Evaluates a checkpoint when it is saved, unless the last evaluation was just before."""

    def __init__(self, evaluator: _Evaluator, throttle_secs: float):
        self._evaluator, self._throttle_secs = evaluator, throttle_secs
        self._first = True
        self._last = time.monotonic()

    def after_save(self, session: Any, global_step_value: int) -> None:
        del session, global_step_value
        if self._first:
            # The state before the first step of this training.
            self._first = False
            return
        if time.monotonic() - self._last < self._throttle_secs:
            logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )
            return
        self._evaluator.evaluate()
        self._last = time.monotonic()


def _run_local(
    estimator: Any, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[Any, list[Any]]:
    logging.info("Running training and evaluation in this process.")
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    config = estimator.config
    listeners = list(train_spec.saving_listeners)
    if config.save_checkpoints_secs or config.save_checkpoints_steps:
        listeners.append(_EvaluatesCheckpoints(evaluator, eval_spec.throttle_secs))
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=list(train_spec.hooks),
        saving_listeners=listeners,
    )
    evaluator.finish()
    return evaluator.last


def _run_evaluator(estimator: Any, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    if eval_spec.start_delay_secs:
        logging.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)  # fmt: skip
        time.sleep(eval_spec.start_delay_secs)
    while not evaluator.ended:
        if _is_finished(estimator, train_spec):
            evaluator.evaluate(final=True)
            return
        started = time.monotonic()
        evaluator.evaluate()
        if not evaluator.ended:
            left = eval_spec.throttle_secs - (time.monotonic() - started)
            time.sleep(max(left, 0.1))


def _is_finished(estimator: Any, train_spec: TrainSpec) -> bool:
    steps = train_spec.max_steps
    return steps is not None and estimator._trained_steps() >= steps
