# SPDX-License-Identifier: Apache-2.0
"""The threads beside a supervised loop: summaries, steps a second, checkpoints."""

from __future__ import annotations

import time
from typing import Any

from tensorwright.core.framework.summary_pb2 import Summary
from tensorwright.core.util.event_pb2 import SessionLog
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import coordinator, training_util


class SVSummaryThread(coordinator.LooperThread):
    """Runs the summary op every save_summaries_secs, and writes what it gives."""

    def __init__(self, sv: Any, sess: Any):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        if self._sv.global_step is not None:
            summary, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        else:
            summary, step = self._sess.run(self._sv.summary_op), None
        if self._sv.summary_writer:
            logging.info("Recording summary at step %s.", step)
            self._sv.summary_writer.add_summary(summary, step)


class SVStepCounterThread(coordinator.LooperThread):
    """Logs and summarizes steps a second, every save_summaries_secs."""

    def __init__(self, sv: Any, sess: Any):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._summary_tag = f"{sv.global_step.op.name}/sec"

    def start_loop(self) -> None:
        self._last_time = time.monotonic()
        self._last_step = training_util.global_step(self._sess, self._sv.global_step)

    def run_loop(self) -> None:
        step = training_util.global_step(self._sess, self._sv.global_step)
        now = time.monotonic()
        elapsed = now - self._last_time
        steps_per_sec = (step - self._last_step) / elapsed if elapsed > 0 else 0.0
        self._last_time, self._last_step = now, step
        if self._sv.summary_writer:
            value = Summary.Value(tag=self._summary_tag, simple_value=steps_per_sec)
            self._sv.summary_writer.add_summary(Summary(value=[value]), step)
        logging.info("%s: %g", self._summary_tag, steps_per_sec)


class SVTimerCheckpointThread(coordinator.LooperThread):
    """Saves a checkpoint every save_model_secs."""

    def __init__(self, sv: Any, sess: Any):
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        logging.info("Saving checkpoint to path %s", self._sv.save_path)
        self._sv.saver.save(
            self._sess, self._sv.save_path, global_step=self._sv.global_step
        )
        if self._sv.summary_writer and self._sv.global_step is not None:
            step = training_util.global_step(self._sess, self._sv.global_step)
            self._sv.summary_writer.add_session_log(
                SessionLog(
                    status=SessionLog.CHECKPOINT, checkpoint_path=self._sv.save_path
                ),
                step,
            )
