# SPDX-License-Identifier: Apache-2.0
"""A QueueRunner whose threads feed the values that they enqueue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import errors
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.training import queue_runner_impl

if TYPE_CHECKING:
    from typing import NoReturn

    from tensorwright.python.training.coordinator import Coordinator


__all__ = ["FeedingQueueRunner"]


class FeedingQueueRunner(queue_runner_impl.QueueRunner):
    """Runs each enqueue operation with the feeds that its function returns.

    Args:
        queue: to fill.
        enqueue_ops: one for each thread.
        close_op, cancel_op, queue_closed_exception_types: as in `tf.train.QueueRunner`.
        feed_fns: for each operation a function that gives a feed dict; StopIteration ends the input.

    Raises:
        ValueError: not as many functions as operations.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        feed_fns: Sequence[Callable[[], Any]] | None = kwargs.pop("feed_fns", None)
        super().__init__(*args, **kwargs)
        if feed_fns is None:
            self._feed_fns: list[Any] = [None] * len(self._enqueue_ops)
        elif len(feed_fns) != len(self._enqueue_ops):
            raise ValueError(
                "If feed_fns is not None, it must have the same number of elements as "
                "enqueue_ops."
            )
        else:
            self._feed_fns = list(feed_fns)

    def _fed(self, sess: Any, op: Any, feed_fn: Any, coord: Any) -> None:
        """The life of one thread."""
        try:
            while coord is None or not coord.should_stop():
                try:
                    feed = None if feed_fn is None else feed_fn()
                    sess.run(op, feed_dict=feed)
                except (StopIteration, *self._queue_closed_exception_types):
                    break
        except errors.CancelledError:
            pass
        except Exception as error:
            if coord is None:
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
            coord.request_stop(error)
        finally:
            with self._lock:
                self._left -= 1
                last = self._left == 0
            if last:
                self._close(sess)

    def _close(self, sess: Any) -> None:
        try:
            sess.run(self._close_op)
        except (errors.OpError, RuntimeError):
            # The session is closed: nothing waits for the queue any more.
            return

    def create_threads(
        self,
        sess: SessionLike,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Threads that run the operations; see `tf.train.QueueRunner.create_threads`."""
        self._left = len(self._enqueue_ops)
        threads = [
            threading.Thread(target=self._fed, args=(sess, op, feed_fn, coord))
            for op, feed_fn in zip(self._enqueue_ops, self._feed_fns, strict=True)
        ]
        if coord is not None:
            threads.append(
                threading.Thread(
                    target=self._close_on_stop, args=(sess, self._cancel_op, coord)
                )
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> NoReturn:
        """NotImplementedError: functions have no form as a proto."""
        raise NotImplementedError("FeedingQueueRunner cannot be serialized")
