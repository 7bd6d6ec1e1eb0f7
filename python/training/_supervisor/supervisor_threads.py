# SPDX-License-Identifier: Apache-2.0
"""The threads beside a supervised loop: summaries, steps a second, checkpoints."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework.summary_pb2 import Summary
from tensorwright.core.util.event_pb2 import SessionLog
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import coordinator, training_util

if TYPE_CHECKING:
    from tensorwright.python.training.supervisor import Supervisor


class _ServiceThread(coordinator.LooperThread):
    """A thread that serves a supervisor's session at an interval of the supervisor's."""

    # The supervisor's attribute that says after how many seconds it is the thread's turn.
    _INTERVAL = "save_summaries_secs"

    def __init__(self, sv: Any, sess: Any):
        super().__init__(sv.coord, getattr(sv, self._INTERVAL))
        self._sv = sv
        self._sess = sess

    def _step(self) -> int:
        return training_util.global_step(self._sess, self._sv.global_step)


class SVSummaryThread(_ServiceThread):
    """Runs the summary op every save_summaries_secs, and writes the summaries."""

    def run_loop(self) -> None:
        fetches = {"summary": self._sv.summary_op}
        if self._sv.global_step is not None:
            # One run fetches both, so the summary belongs to that step.
            fetches["step"] = self._sv.global_step
        values = self._sess.run(fetches)
        writer = self._sv.summary_writer
        if writer:
            writer.add_summary(values["summary"], values.get("step"))


class SVStepCounterThread(_ServiceThread):
    """Logs and summarizes steps a second, every save_summaries_secs."""

    def __init__(self, sv: Supervisor, sess: SessionLike):
        super().__init__(sv, sess)
        self._summary_tag = f"{sv.global_step.op.name}/sec"

    def start_loop(self) -> None:
        self._last_time = time.monotonic()
        self._last_step = self._step()

    def run_loop(self) -> None:
        step, now = self._step(), time.monotonic()
        elapsed = now - self._last_time
        steps_per_sec = (step - self._last_step) / elapsed if elapsed > 0 else 0.0
        self._last_time, self._last_step = now, step
        if self._sv.summary_writer:
            value = Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
            self._sv.summary_writer.add_summary(Summary(value=[value]), step)
        logging.info("%s: %g", self._summary_tag, steps_per_sec)


class SVTimerCheckpointThread(_ServiceThread):
    """Saves a checkpoint every save_model_secs, and notes it among the events."""

    _INTERVAL = "save_model_secs"

    def run_loop(self) -> None:
        prefix = self._sv.save_path
        saved = self._sv.saver.save(
            self._sess, prefix, global_step=self._sv.global_step
        )
        logging.info("Supervisor: saved %s", saved)
        if self._sv.global_step is None or not self._sv.summary_writer:
            return
        event = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=prefix)
        self._sv.summary_writer.add_session_log(event, self._step())
