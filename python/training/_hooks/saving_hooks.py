# SPDX-License-Identifier: Apache-2.0
"""Hooks that write: checkpoints and summaries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.core.util.event_pb2 import SessionLog
from tensorwright.python.framework import graph_io, meta_graph, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary.writer.writer_cache import FileWriterCache
from tensorwright.python.training._hooks.hook_timers import (
    SecondOrStepTimer,
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
    from tensorwright.python.summary.writer.writer import FileWriter
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training._saver.saver_saver import Saver
    from tensorwright.python.training.coordinator import Coordinator


class CheckpointSaverListener:
    """Is told before and after a CheckpointSaverHook saves; overrides what it needs."""

    def begin(self) -> None:
        """Called before the session is made; may add to the graph."""

    def before_save(self, session: SessionInterface, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(
        self, session: SessionInterface, global_step_value: int
    ) -> bool | None:
        """Called after a checkpoint was written; True asks for the end of the loop."""

    def end(self, session: SessionInterface, global_step_value: int) -> None:
        """Called at the end of the loop, after the last save."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the start, every so many steps or seconds, and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs: how often.
        save_steps: how often instead; exactly one of the two, ValueError otherwise.
        saver: writes the checkpoints, or
        scaffold: has the saver; ValueError for both.  Neither: the saver of the
            collection SAVERS.
        checkpoint_basename: what the names of files begin with.
        listeners: CheckpointSaverListeners, called in order.
        save_graph_def: write graph.pbtxt, and the graph to the event file.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Scaffold | None = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ):
        if not (saver is None or scaffold is None):
            raise ValueError(
                "CheckpointSaverHook: saver and scaffold exclude each other, got both"
            )
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._saver, self._scaffold = saver, scaffold
        self._listeners = [] if listeners is None else list(listeners)
        self._save_graph_def = save_graph_def
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)

    def begin(self) -> None:
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = required_global_step("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(
        self, session: SessionInterface, coord: Coordinator
    ) -> None:
        global_step = int(session.run(self._global_step_tensor))
        if self._save_graph_def:
            graph = ops.get_default_graph()
            graph_def = graph.as_graph_def(add_shapes=True)
            graph_io.write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
            saver = self._get_saver()
            saver_def = saver.saver_def if saver else None
            self._summary_writer.add_graph(graph)
            self._summary_writer.add_meta_graph(
                meta_graph.create_meta_graph_def(
                    graph_def=graph_def, saver_def=saver_def
                )
            )
        # The first checkpoint holds the state before the first step.
        self._save(session, global_step)
        self._timer.update_last_triggered_step(global_step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._global_step_tensor)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        step = step_if_due(
            self._timer, run_context, run_values.results, self._global_step_tensor
        )
        if step is None:
            return
        self._timer.update_last_triggered_step(step)
        if self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: SessionInterface) -> None:
        step = int(session.run(self._global_step_tensor))
        saved_already = step == self._timer.last_triggered_step()
        if not saved_already:
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: SessionInterface, step: int) -> bool:
        """Saves; whether a listener asks for the end."""
        logging.info("CheckpointSaverHook: saving step %d as %s", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        self._summary_writer.add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path),
            step,
        )
        should_stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info(
                    "CheckpointSaverHook: the listener %s asks for the end of the loop",
                    listener,
                )
                should_stop = True
        return should_stop

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = ops.get_collection(ops.GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError(
                "CheckpointSaverHook: without saver or scaffold the collection SAVERS must "
                f"have one saver, got {len(savers)}"
            )
        self._saver = savers[0]
        return savers[0]


class SummarySaverHook(SessionRunHook):
    """Computes and writes summaries every so many steps or seconds.

    Args:
        save_steps: how often; the first step is among them.
        save_secs: how often instead; exactly one of the two, ValueError otherwise.
        output_dir: the folder of the event file, or
        summary_writer: a FileWriter.
        scaffold: has the op, or
        summary_op: serialized summaries, one tensor or a list; exactly one of these
            two, ValueError otherwise.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: FileWriter | None = None,
        scaffold: Scaffold | None = None,
        summary_op: TensorLike | Sequence[TensorLike] | None = None,
    ):
        require_one("SummarySaverHook", scaffold=scaffold, summary_op=summary_op)
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step_tensor = required_global_step("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._request_summary = (
            self._next_step is None
            or self._timer.should_trigger_for_step(self._next_step)
        )
        summaries = self._get_summary_ops() if self._request_summary else []
        return SessionRunArgs(
            {"global_step": self._global_step_tensor, "summaries": summaries}
        )

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        if self._summary_writer is None:
            return
        # The fetched step may be from before or from after the update: this may count one too many.
        step = int(run_values.results["global_step"]) + 1
        if (
            self._next_step is None
            or self._request_summary
            or self._timer.should_trigger_for_step(step + 1)
        ):
            step = int(run_context.session.run(self._global_step_tensor))
        if self._next_step is None:
            self._summary_writer.add_session_log(
                SessionLog(status=SessionLog.START), step
            )
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results["summaries"]:
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: SessionInterface | None = None) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _get_summary_ops(self) -> list[Any]:
        op: Any = self._summary_op
        if op is None:
            assert self._scaffold is not None, "the constructor asks for one"
            op = self._scaffold.summary_op
        if op is None:
            return []
        return list(op) if isinstance(op, (list, tuple)) else [op]
