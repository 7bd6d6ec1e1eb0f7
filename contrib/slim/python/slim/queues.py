# SPDX-License-Identifier: Apache-2.0
"""Queue runners for the time of a `with`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.training import coordinator

if TYPE_CHECKING:
    from tensorwright.python.client.session import BaseSession

__all__ = ["NestedQueueRunnerError", "QueueRunners"]


class NestedQueueRunnerError(Exception):
    """The queue runners of a session are started twice."""


_running: set[int] = set()


@contextlib.contextmanager
def QueueRunners(session: BaseSession) -> Iterator[None]:
    """Starts all queue runners of the graph of a session, and stops them at the end.

    Raises:
        NestedQueueRunnerError: inside of another of the same session.
    """
    if id(session) in _running:
        raise NestedQueueRunnerError(
            "QueueRunners are running for this session already"
        )
    _running.add(id(session))
    coord = coordinator.Coordinator()
    threads: list[Any] = []
    try:
        with session.graph.as_default():
            runners = ops.get_collection(ops.GraphKeys.QUEUE_RUNNERS)
        for runner in runners:
            threads += runner.create_threads(session, coord=coord, daemon=True, start=True)  # fmt: skip
        yield
    finally:
        coord.request_stop()
        try:
            coord.join(threads, stop_grace_period_secs=120)
        except RuntimeError:
            session.close()
        _running.discard(id(session))
