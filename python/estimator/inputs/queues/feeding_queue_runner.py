# SPDX-License-Identifier: Apache-2.0
"""A queue's runner whose threads feed the results of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import errors
from tensorwright.python.training import queue_runner_impl

__all__ = ["_FeedingQueueRunner"]


class _FeedingQueueRunner(queue_runner_impl.QueueRunner):
    """Runs each enqueue operation in a thread of its own, with the feeds that its function returns.

    Args:
        queue, enqueue_ops, close_op, cancel_op: as in QueueRunner.
        feed_fns: functions that return the feeds of a run, one for each operation; at the end they raise
            OutOfRangeError.

    Raises:
        ValueError: not as many functions as operations.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Sequence[Callable[[], dict[Any, Any]]] | None = None,
    ):
        super().__init__(
            queue,
            enqueue_ops,
            close_op,
            cancel_op,
            queue_closed_exception_types=(
                errors.OutOfRangeError,
                errors.CancelledError,
            ),
        )
        if len(feed_fns or ()) != len(self.enqueue_ops):
            raise ValueError(
                "If feed_fns is not None, it must have the same length as enqueue_ops."
            )
        self._feed_fns = dict(zip(self.enqueue_ops, feed_fns or ()))

    def _enqueuer(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        feed_fn = self._feed_fns[enqueue_op]
        return lambda: sess.run(enqueue_op, feed_dict=feed_fn())
