# SPDX-License-Identifier: Apache-2.0
"""Coordinator: several threads end together, and the first error reaches the thread that waits for them."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType

from tensorwright.python.framework import errors
from tensorwright.python.platform import tf_logging as logging

_ExcInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None]
    | tuple[None, None, None]
)
# Between two looks at threads that should end soon: doubled up to the second.
_FIRST_LOOK_SECS, _LAST_LOOK_SECS = 0.001, 0.1


class Coordinator:
    """Lets several threads stop together; any of them may ask for it.

    A thread works while `not coord.should_stop()`.  A thread that is done, or fails, calls
    `request_stop`; the thread that started the others calls `join`, which waits for all of
    them and raises the first exception that was reported.  Thread-safe.

        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        try:
            while not coord.should_stop():
                session.run(train)
        except tf.errors.OutOfRangeError:
            pass  # All epochs are over.
        finally:
            coord.request_stop()
        coord.join(threads)
    """

    def __init__(
        self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None
    ):
        """A coordinator; exceptions of these types (OutOfRangeError) ask for a stop and are not raised."""
        clean = clean_stop_exception_types
        self._clean_stop_exception_types: tuple[type[BaseException], ...] = (
            (errors.OutOfRangeError,) if clean is None else tuple(clean)
        )
        self._stop_event = threading.Event()
        self._joined = False
        # Code that reads or sets the exception or the threads holds the lock.
        self._lock = threading.Lock()
        self._exception: BaseException | None = None
        self._registered_threads: set[threading.Thread] = set()

    def _reported(self, ex: BaseException | _ExcInfo | None) -> BaseException | None:
        """The exception of `ex`, unless it means a clean stop."""
        found = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(ex, tuple) and found is not None:
            found = found.with_traceback(ex[2])
        return None if isinstance(found, self._clean_stop_exception_types) else found

    def request_stop(self, ex: BaseException | _ExcInfo | None = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: an exception, or the result of `sys.exc_info()`.  `join` raises the first
                one; after `join`, this call raises any.
        """
        with self._lock:
            ex = self._reported(ex)
            if self._joined:
                if ex is not None:
                    raise ex
                return
            if self._stop_event.is_set():
                return
            if ex is not None:
                logging.info("Error reported to Coordinator: %s, %s", type(ex), ex)
                self._exception = ex
            self._stop_event.set()

    def clear_stop(self) -> None:
        """Makes the coordinator as good as new; threads may be started again."""
        with self._lock:
            self._joined = False
            self._exception = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Whether somebody asked for a stop."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context; an exception in it is given to `request_stop` and goes no further."""
        try:
            yield
        except:  # noqa: E722 - what ends a thread ends all of them.
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until somebody asks for a stop, at most `timeout` seconds; returns whether somebody has."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended.

        Args:
            threads: to wait for, besides those that are registered.
            stop_grace_period_secs: how long a thread may go on after somebody has
                asked for a stop.
            ignore_live_threads: threads that go on longer are left alone.

        Raises:
            RuntimeError: if threads go on longer, and no exception was reported.
            Exception: the first that was given to `request_stop`.
        """
        with self._lock:
            waited_for = set(threads or ()) | self._registered_threads
        while any(t.is_alive() for t in waited_for) and not self.wait_for_stop(
            _LAST_LOOK_SECS
        ):
            pass
        end = time.monotonic() + stop_grace_period_secs
        pause = _FIRST_LOOK_SECS
        while any(t.is_alive() for t in waited_for) and time.monotonic() < end:
            time.sleep(pause)
            pause = min(2 * pause, _LAST_LOOK_SECS)
        alive = sorted(t.name for t in waited_for if t.is_alive())
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            exception = self._exception
        if exception is not None:
            raise exception
        if not alive:
            return
        message = f"Coordinator stopped with threads still running: {' '.join(alive)}"
        if not ignore_live_threads:
            raise RuntimeError(message)
        logging.info(message)

    @property
    def joined(self) -> bool:
        """Whether `join` has ended since the last `clear_stop`."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the first exception that was given to `request_stop`, if there is one."""
        with self._lock:
            if self._exception is not None:
                raise self._exception


class LooperThread(threading.Thread):
    """A thread that calls something again and again until a coordinator stops.

    An error that `run_loop` raises goes to the coordinator.  The thread is a daemon and is
    registered with the coordinator.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None = None,
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
    ):
        """A thread, to be started.

        Args:
            coord: says when to stop.
            timer_interval_secs: from the start of one call to that of the next; None:
                no pause.
            target: called by `run_loop`, with `args` and `kwargs`.
            args: the arguments of `target`.
            kwargs: the keyword arguments of `target`.

        Raises:
            ValueError: if `coord` is no Coordinator, or there are arguments and no
                target.
        """
        if not isinstance(coord, Coordinator):
            raise ValueError(
                f"LooperThread: coord must be a Coordinator, got {coord!r}"
            )
        super().__init__()
        self.daemon = True
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        if target is None and (args or kwargs):
            raise ValueError(
                "LooperThread: args and kwargs are those of a target, and target is None"
            )
        self._looper_target = target
        self._looper_args = tuple(args or ())
        self._looper_kwargs = dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
    ) -> LooperThread:
        """A thread of these arguments, started."""
        looper = LooperThread(
            coord, timer_interval_secs, target=target, args=args, kwargs=kwargs
        )
        looper.start()
        return looper

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            for _ in self._turns():
                self.run_loop()
            self.stop_loop()

    def _turns(self) -> Iterator[None]:
        """Yields each time that `run_loop` is due; ends when the coordinator stops."""
        interval = self._timer_interval_secs
        if interval is None:
            while not self._coord.should_stop():
                yield
            return
        due = time.monotonic()
        while not self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
            yield
            due += interval

    def start_loop(self) -> None:
        """Called once, in the thread, before all calls; to be overridden."""

    def stop_loop(self) -> None:
        """Called once, in the thread, after all calls; to be overridden."""

    def run_loop(self) -> None:
        """Called again and again: calls the target."""
        if self._looper_target is not None:
            self._looper_target(*self._looper_args, **self._looper_kwargs)
