# SPDX-License-Identifier: Apache-2.0
"""Sessions around a session: one that recovers, one that threads can stop, one with hooks.

A monitored session is made of them, from the outside in:

    RecoverableSession   makes a new session when the old one is lost
      CoordinatedSession   stops when a thread does; joins threads when it is closed
        HookedSession        calls the hooks around each run
          session.Session      runs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.framework import errors, ops
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.framework.type_aliases import FeedDict, Fetches, T
    from tensorwright.python.training._monitored.scaffold import SessionCreator
    from tensorwright.python.training.coordinator import Coordinator

# A lost process of the cluster raises these: the session is made again.
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


class WrappedSession:
    """Passes everything on to a session."""

    def __init__(self, sess: SessionLike):
        self._sess: Any = sess
        self._wrapped_is_stoppable = isinstance(sess, WrappedSession)

    @property
    def graph(self) -> ops.Graph:
        return self._sess.graph

    @property
    def sess_str(self) -> str:
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether the loop is over."""
        if self._check_stop():
            return True
        if self._sess is not None:
            return self._wrapped_is_stoppable and self._sess.should_stop()
        return True

    def _check_stop(self) -> bool:
        return False

    def close(self) -> None:
        if self._sess is None:
            return
        try:
            self._sess.close()
        except PREEMPTION_ERRORS as error:
            logging.warning(
                "An error occurred when attempting to close the session. This may be "
                "due to a preemption in a connected worker or parameter server. "
                "Error: %s",
                error,
            )
        finally:
            self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return self._sess.run(*args, **kwargs)

    def run_step_fn(
        self,
        step_fn: Callable[[StepContext], T],
        raw_session: SessionLike,
        run_with_hooks: Callable[..., object] | None,
    ) -> T:
        """Calls `step_fn` with a StepContext of the session inside."""
        # A session with hooks runs them; this one has none.
        run_with_hooks = run_with_hooks or self.run
        return step_fn(StepContext(raw_session, run_with_hooks))


class StepContext:
    """The argument of a step function of `run_step_fn`."""

    def __init__(self, session: SessionLike, run_with_hooks_fn: Callable[..., object]):
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> SessionLike:
        """The session; its runs call no hooks."""
        return self._session

    def run_with_hooks(self, *args: object, **kwargs: object) -> Any:
        """As `MonitoredSession.run`."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the loop: raises StopIteration."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class RecoverableSession(WrappedSession):
    """Makes a new session if one is lost, and runs the failed step again."""

    def __init__(self, sess_creator: SessionCreator):
        """`sess_creator.create_session()` gives a session."""
        self._sess_creator: Any = sess_creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        while True:
            try:
                return self._sess_creator.create_session()
            except PREEMPTION_ERRORS as error:
                logging.info(
                    "An error was raised while a session was being created. This may "
                    "be due to a preemption of a connected worker or parameter "
                    "server. A new session will be created. Error: %s",
                    error,
                )

    def _lost(self, error: Exception) -> None:
        logging.info(
            "An error was raised. This may be due to a preemption in a connected "
            "worker or parameter server. The current session will be closed and a new "
            "session will be created. Error: %s",
            error,
        )
        try:
            self.close()
        except PREEMPTION_ERRORS:
            self._sess = None

    def _check_stop(self) -> bool:
        try:
            return True if self._sess is None else self._sess._check_stop()
        except PREEMPTION_ERRORS as error:
            self._lost(error)
            self._sess = self._create_session()
            return False
        except Exception as error:  # noqa: BLE001 - closing raises it.
            logging.error("A thread has failed: %s", error)
            return True

    def _retry(self, act: Callable[[Any], Any]) -> Any:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._create_session()
                return act(self._sess)
            except PREEMPTION_ERRORS as error:
                self._lost(error)

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> Any:
        return self._retry(
            lambda sess: sess.run(
                fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata
            )
        )

    def run_step_fn(
        self,
        step_fn: Callable[[StepContext], T],
        raw_session: SessionLike,
        run_with_hooks: Callable[..., object] | None,
    ) -> T:
        # After a recovery the raw session is another one: the creator knows it.
        return self._retry(
            lambda sess: sess.run_step_fn(
                step_fn, self._sess_creator.tf_sess, run_with_hooks
            )
        )


class CoordinatedSession(WrappedSession):
    """Stops when its coordinator does; closing it ends the coordinator's threads."""

    def __init__(
        self, sess: SessionLike, coord: Coordinator, stop_grace_period_secs: float = 120
    ):
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        # A failed thread fails the loop, too.
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs,
                ignore_live_threads=True,
            )
        finally:
            try:
                super().close()
            except Exception as error:  # noqa: BLE001 - what join raises comes first.
                logging.warning("Closing the session failed: %s", error)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._sess.run(*args, **kwargs)
        except PREEMPTION_ERRORS:
            raise
        except Exception as error:
            # A run may fail because a thread has: its error is the cause.
            try:
                self._coord.raise_requested_exception()
            except Exception as cause:
                if cause is not error:
                    raise cause from error
            raise


class HookedSession(WrappedSession):
    """Calls hooks around each run."""

    def __init__(self, sess: SessionLike, hooks: Sequence[SessionRunHook]):
        super().__init__(sess)
        self._hooks = list(hooks)
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> Any:
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(
            SessionRunArgs(fetches, feed_dict, options), self._sess
        )
        asked, feeds, options = self._ask_hooks(context, fetches, feed_dict, options)
        if options is not None and run_metadata is None:
            run_metadata = config_pb2.RunMetadata()
        results = self._sess.run(
            asked, feed_dict=feeds, options=options, run_metadata=run_metadata
        )
        if run_metadata is None:
            run_metadata = config_pb2.RunMetadata()
        for hook in self._hooks:
            hook.after_run(
                context, SessionRunValues(results.get(hook), options, run_metadata)
            )
        self._should_stop = self._should_stop or context.stop_requested
        return results["caller"]

    def _ask_hooks(
        self, context: SessionRunContext, fetches: Any, feed_dict: Any, options: Any
    ) -> tuple[dict[Any, Any], dict[Any, Any] | None, Any]:
        """Returns fetches, feeds and options, with those that hooks add."""
        asked: dict[Any, Any] = {"caller": fetches}
        feeds: dict[Any, Any] | None = dict(feed_dict) if feed_dict else None
        for_hooks: dict[Any, Any] = {}
        merged = None
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                asked[hook] = request.fetches
            if request.feed_dict:
                _refuse_twice(
                    for_hooks, request.feed_dict, "Same tensor is fed by two hooks."
                )
                for_hooks.update(request.feed_dict)
            if request.options is not None:
                if merged is None:
                    merged = config_pb2.RunOptions()
                    if options is not None:
                        merged.CopyFrom(options)
                _merge_options(merged, request.options)
        if for_hooks:
            if feeds is None:
                feeds = for_hooks
            else:
                _refuse_twice(
                    feeds, for_hooks, "Same tensor is fed by the user and hooks."
                )
                feeds.update(for_hooks)
        return asked, feeds, options if merged is None else merged


def _refuse_twice(feeds: Any, more: Any, message: str) -> None:
    if not feeds.keys().isdisjoint(more.keys()):
        raise RuntimeError(message)


def _merge_options(options: Any, more: Any) -> None:
    """Merges options: the stronger tracing, the longer timeout, all watched tensors."""
    options.trace_level = max(options.trace_level, more.trace_level)
    options.timeout_in_ms = max(options.timeout_in_ms, more.timeout_in_ms)
    options.inter_op_thread_pool = max(
        options.inter_op_thread_pool, more.inter_op_thread_pool
    )
    options.output_partition_graphs |= more.output_partition_graphs
    options.debug_options.debug_tensor_watch_opts.extend(
        more.debug_options.debug_tensor_watch_opts
    )
