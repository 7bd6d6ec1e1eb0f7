# SPDX-License-Identifier: Apache-2.0
"""Hooks that look at a run: log values, count steps, stop at NaN, profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.core.framework import summary_pb2
from tensorwright.core.protobuf import config_pb2
from tensorwright.python.client import timeline
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.platform import gfile, tf_logging as logging
from tensorwright.python.summary.writer.writer_cache import FileWriterCache
from tensorwright.python.training import training_util
from tensorwright.python.training._hooks.hook_timers import (
    NeverTriggerTimer,
    SecondOrStepTimer,
    as_graph_element,
    require_one,
    required_global_step,
    step_if_due,
)
from tensorwright.python.training.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.type_aliases import GraphElement
    from tensorwright.python.summary.writer.writer import FileWriter


class LoggingTensorHook(SessionRunHook):
    """Logs values of tensors every so many steps or seconds, or at the end.

    Args:
        tensors: a dict of labels -> tensors (or names), or tensors alone.
        every_n_iter: log at the first and then at every n-th step.
        every_n_secs: log at most every n seconds.  One of these two, or neither with
            `at_end`; ValueError otherwise.
        at_end: log in the end, too.
        formatter: a function of the dict of labels -> values that returns the text to log.
    """

    def __init__(
        self,
        tensors: Mapping[str, GraphElement] | Iterable[GraphElement],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end:
            require_one(
                "LoggingTensorHook, unless it logs at_end only",
                every_n_iter=every_n_iter,
                every_n_secs=every_n_secs,
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(
                f"LoggingTensorHook: invalid every_n_iter, it must be positive, got "
                f"{every_n_iter}"
            )
        if isinstance(tensors, Mapping):
            self._tensors: dict[Any, Any] = dict(tensors)
        else:
            self._tensors = {_label(t): t for t in tensors}
        self._formatter = formatter
        self._at_end = at_end
        self._timer: Any = (
            NeverTriggerTimer()
            if only_at_end
            else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )

    def begin(self) -> None:
        self._timer.reset()
        self._iter_count = 0
        self._current = {k: as_graph_element(t) for k, t in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current) if self._should_trigger else None

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        if self._should_trigger:
            self._log(run_values.results)
        self._iter_count += 1

    def end(self, session: SessionInterface) -> None:
        if self._at_end:
            self._log(session.run(self._current))

    def _log(self, values: dict[str, Any]) -> None:
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            logging.info(self._formatter(values))
            return
        with np.printoptions(suppress=True):
            # An f-string alone would show a float32 with the digits of a float64.
            text = ", ".join(f"{label} = {values[label]!s}" for label in self._tensors)
        logging.info("%s", text if elapsed is None else f"{text} ({elapsed:.3f} sec)")


def _label(tensor: Any) -> str:
    return tensor if isinstance(tensor, str) else tensor.name


class StepCounterHook(SessionRunHook):
    """Logs and summarizes how many steps are done a second.

    Args:
        every_n_steps: how often; 100 by default.
        every_n_secs: how often instead; one of the two, ValueError otherwise.
        output_dir: the folder of the event file, or
        summary_writer: a FileWriter.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: FileWriter | None = None,
    ):
        require_one(
            "StepCounterHook", every_n_steps=every_n_steps, every_n_secs=every_n_secs
        )
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._output_dir, self._summary_writer = output_dir, summary_writer

    def begin(self) -> None:
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = required_global_step("StepCounterHook")
        self._summary_tag = f"{training_util.get_global_step().op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def _log_and_record(
        self, elapsed_steps: int, elapsed_time: float, global_step: int
    ) -> None:
        steps_per_sec = elapsed_steps / max(elapsed_time, 1e-9)
        if self._summary_writer is not None:
            value = summary_pb2.Summary.Value(
                tag=self._summary_tag, simple_value=steps_per_sec
            )
            self._summary_writer.add_summary(
                summary_pb2.Summary(value=[value]), global_step
            )
        logging.info("%s: %g", self._summary_tag, steps_per_sec)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        step = step_if_due(
            self._timer, run_context, run_values.results, self._global_step_tensor
        )
        if step is None:
            return
        elapsed_time, steps = self._timer.update_last_triggered_step(step)
        if elapsed_time is not None and steps is not None:
            self._log_and_record(steps, elapsed_time, step)

    def end(self, session: SessionInterface | None = None) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()


class NanLossDuringTrainingError(RuntimeError):
    """The loss has become NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Watches a loss: NaN fails the loop, or ends it.

    Args:
        loss_tensor: a number [].
        fail_on_nan_loss: raise NanLossDuringTrainingError; False: ask for a stop.
    """

    def __init__(self, loss_tensor: TensorLike, fail_on_nan_loss: bool = True):
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss_tensor)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            logging.error(message)
            raise NanLossDuringTrainingError
        logging.warning(message)
        run_context.request_stop()


class ProfilerHook(SessionRunHook):
    """Traces a step every so many steps or seconds: a page of chrome://tracing each.

    Writes `<output_dir>/timeline-<step>.json`, and the RunMetadata to the event file.

    Args:
        save_steps: how often.
        save_secs: how often instead; exactly one of the two, ValueError otherwise.
        output_dir: the folder.
        show_dataflow: draw what flows from op to op.
        show_memory: show memory in use.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ):
        self._output_dir = output_dir
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        self._file_writer = FileWriterCache.get(self._output_dir or ".")
        self._next_step: int | None = None
        self._global_step_tensor = required_global_step("ProfilerHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._request = self._next_step is not None and (
            self._timer.should_trigger_for_step(self._next_step)
        )
        options = None
        if self._request:
            options = config_pb2.RunOptions(
                trace_level=config_pb2.RunOptions.FULL_TRACE
            )
        return SessionRunArgs(self._global_step_tensor, options=options)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        # The fetched step may be from before or from after the update: this may count one too many.
        step = int(run_values.results) + 1
        if (
            self._next_step is None
            or self._request
            or self._timer.should_trigger_for_step(step + 1)
        ):
            step = int(run_context.session.run(self._global_step_tensor))
        if self._next_step is None:
            # The first trace comes when the interval is over.
            self._timer.update_last_triggered_step(step - 1)
        if self._request:
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
        self._next_step = step + 1

    def _save(self, step: int, run_metadata: Any) -> None:
        name = self._output_file.format(step)
        logging.info("Saving timeline for %d into '%s'.", step, name)
        trace = timeline.Timeline(run_metadata.step_stats)
        with gfile.Open(name, "w") as f:
            f.write(
                trace.generate_chrome_trace_format(
                    show_dataflow=self._show_dataflow, show_memory=self._show_memory
                )
            )
        self._file_writer.add_run_metadata(run_metadata, f"step_{step}", step)
