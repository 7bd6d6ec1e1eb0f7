# SPDX-License-Identifier: Apache-2.0
"""Context: what a function knows of the task that it runs in."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import TYPE_CHECKING, Any

import tensorwright as tf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.training.monitored_session import MonitoredSession


class Reports:
    """Keeps the progress that a task reports.  Any thread may set and read it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, Any] = {}

    def set(self, values: Mapping[str, object]) -> None:
        with self._lock:
            self._values = {**self._values, **values}

    def get(self) -> dict[str, Any]:
        with self._lock:
            return dict(self._values)


class _ProgressHook(tf.train.SessionRunHook):
    """Reports the global step, and a loss, once a second."""

    def __init__(self, context: Context, total: int | None, loss: tf.Tensor | None):
        self._context, self._total, self._loss = context, total, loss
        self._next = 0.0

    def begin(self) -> None:
        self._step = tf.train.get_or_create_global_step()

    def before_run(self, run_context: Any) -> Any:
        if time.monotonic() < self._next:
            return None
        fetches = {"step": self._step}
        if self._loss is not None:
            fetches["loss"] = self._loss
        return tf.train.SessionRunArgs(fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results is None:
            return
        self._next = time.monotonic() + 1
        values = {k: v.item() for k, v in run_values.results.items()}
        self._context.report(total=self._total, **values)

    def end(self, session: Any) -> None:
        # Reports the last step, which no other report may have shown.
        step = int(session.run(self._step))
        self._context.report(step=step, total=self._total)


@dataclasses.dataclass
class Context:
    """The task that a function runs in.

    Attributes:
        job, index: its name in the cluster.
        cluster: the ClusterSpec.
        server: its tf.train.Server; None where the program that runs makes its own.
        checkpoint_dir: where checkpoints are to be, the same for all tasks; None if nobody said and the tasks are on
            several machines.
        attempt: how many times the function was called in this task before, by processes that died.
    """

    job: str
    index: int
    cluster: tf.train.ClusterSpec
    server: tf.train.Server | None
    checkpoint_dir: str | None
    attempt: int
    _reports: Reports

    @property
    def is_chief(self) -> bool:
        """Whether it is the worker that makes variables and saves them."""
        return self.job == "worker" and self.index == 0

    @property
    def num_workers(self) -> int:
        return self.cluster.num_tasks("worker")

    @property
    def target(self) -> str:
        """The target with which a Session is made to use this task's server."""
        if self.server is None:
            raise ValueError("Context: this task has no server of its own")
        return self.server.target

    def device_setter(self, **arguments: Any) -> Any:
        """Returns a device function for tf.device: variables go to the parameter servers, all else to this task.

        Without parameter servers, everything goes to this task.  `arguments` are replica_device_setter's.
        """
        here = f"/job:{self.job}/task:{self.index}"
        if "ps" not in self.cluster.jobs:
            return here
        return tf.train.replica_device_setter(
            cluster=self.cluster, worker_device=here, **arguments
        )

    def config(self) -> ConfigProto:
        """A ConfigProto by which the end of another worker is not this one's business."""
        return tf.ConfigProto(
            device_filters=["/job:ps", f"/job:{self.job}/task:{self.index}"]
        )

    def session(
        self,
        total: int | None = None,
        loss: tf.Tensor | None = None,
        hooks: Sequence[tf.train.SessionRunHook] = (),
        **arguments: Any,
    ) -> MonitoredSession:
        """A MonitoredTrainingSession on this task's server, which reports its progress.

        Args:
            total: the step that training ends at, if it is known; it is only shown.
            loss: a scalar to show.
            hooks: as those of MonitoredTrainingSession, like all `arguments`.
        """
        arguments.setdefault("config", self.config())
        arguments.setdefault("checkpoint_dir", self.checkpoint_dir)
        return tf.train.MonitoredTrainingSession(
            self.target,
            is_chief=self.is_chief,
            hooks=[*hooks, _ProgressHook(self, total, loss)],
            **arguments,
        )

    def progress_hook(
        self, total: int | None = None, loss: tf.Tensor | None = None
    ) -> tf.train.SessionRunHook:
        """A hook for sessions of one's own that reports as those of `session` do."""
        return _ProgressHook(self, total, loss)

    def report(self, **values: object) -> None:
        """Says how far this task is: `step`, `total` and `loss` make the cluster's progress line.

        Costs nothing: what was said last is asked for about once a second.
        """
        self._reports.set({k: v for k, v in values.items() if v is not None})
