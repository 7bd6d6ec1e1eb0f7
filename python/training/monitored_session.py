# SPDX-License-Identifier: Apache-2.0
"""Monitored sessions: a training loop's session, with hooks, threads and recovery.

Scaffold and the makers of sessions are in _monitored/scaffold, the sessions inside in _monitored/wrapped_sessions.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import errors, ops
from tensorwright.python.training import (
    basic_session_run_hooks,
    coordinator,
    queue_runner,
)
from tensorwright.python.training._monitored.scaffold import (
    ChiefSessionCreator,
    Scaffold,
    SessionCreator,
    WorkerSessionCreator,
)
from tensorwright.python.training._monitored.wrapped_sessions import (
    PREEMPTION_ERRORS as _PREEMPTION_ERRORS,
    CoordinatedSession as _CoordinatedSession,
    HookedSession as _HookedSession,
    RecoverableSession as _RecoverableSession,
    StepContext as _StepContext,
    WrappedSession as _WrappedSession,
)
from tensorwright.python.training.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from types import TracebackType

    from google.protobuf.message import Message

    from tensorwright.python.framework.type_aliases import FeedDict, Fetches

# Stands for an argument that was not given, where None says something else.
USE_DEFAULT: Any = object()


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float | None = USE_DEFAULT,
    save_summaries_steps: float | None = USE_DEFAULT,
    save_summaries_secs: float | None = USE_DEFAULT,
    config: Message | None = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: float | None = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A session for training: restores, initializes, saves, summarizes, counts.

    Args:
        master: the target.
        is_chief: makes the model ready and writes files; others wait for it.
        checkpoint_dir: where checkpoints are restored from and saved to.
        scaffold: the operations around the model; a plain one by default.
        hooks: called around steps, after those that this makes.
        chief_only_hooks: only if `is_chief`.
        save_checkpoint_secs: how often; 600 by default, None or 0 for never.
        save_summaries_steps: how often; 100 by default, None or 0 for never.
        save_summaries_secs: how often instead.
        config: the config of the session.
        stop_grace_period_secs: how long threads have to stop in the end.
        log_step_count_steps: how often steps a second are logged; None for never.
        max_wait_secs: how long a worker waits for the chief.
        save_checkpoint_steps: how often instead.
        summary_dir: the folder of the event file; `checkpoint_dir` by default.
        save_graph_def: write the graph, too.

    Example:
        with tf.train.MonitoredTrainingSession(checkpoint_dir=d, hooks=hooks) as sess:
            while not sess.should_stop():
                sess.run(train_op)
    """
    summaries_steps, summaries_secs = _steps_and_secs(
        save_summaries_steps, save_summaries_secs, (100, None)
    )
    checkpoint_steps, checkpoint_secs = _steps_and_secs(
        save_checkpoint_steps, save_checkpoint_secs, (None, 600)
    )
    scaffold = scaffold or Scaffold()
    if not is_chief:
        return MonitoredSession(
            session_creator=WorkerSessionCreator(
                scaffold=scaffold,
                master=master,
                config=config,
                max_wait_secs=max_wait_secs,
            ),
            hooks=hooks,
            stop_grace_period_secs=stop_grace_period_secs,
        )
    all_hooks = list(chief_only_hooks or ())
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and log_step_count_steps and log_step_count_steps > 0:
        all_hooks.append(
            basic_session_run_hooks.StepCounterHook(
                output_dir=summary_dir, every_n_steps=log_step_count_steps
            )
        )
    if summary_dir and ((summaries_steps or 0) > 0 or (summaries_secs or 0) > 0):
        all_hooks.append(
            basic_session_run_hooks.SummarySaverHook(
                scaffold=scaffold,
                save_steps=summaries_steps,
                save_secs=summaries_secs,
                output_dir=summary_dir,
            )
        )
    if checkpoint_dir and ((checkpoint_secs or 0) > 0 or (checkpoint_steps or 0) > 0):
        all_hooks.append(
            basic_session_run_hooks.CheckpointSaverHook(
                checkpoint_dir,
                save_steps=checkpoint_steps,
                save_secs=checkpoint_secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    return MonitoredSession(
        session_creator=ChiefSessionCreator(
            scaffold=scaffold,
            checkpoint_dir=checkpoint_dir,
            master=master,
            config=config,
        ),
        hooks=[*all_hooks, *(hooks or ())],
        stop_grace_period_secs=stop_grace_period_secs,
    )


def _steps_and_secs(
    steps: Any, secs: Any, default: tuple[Any, Any]
) -> tuple[int | None, float | None]:
    """Returns how often: the default if neither is given."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default
    return (
        None if steps is USE_DEFAULT else steps,
        None if secs is USE_DEFAULT else secs,
    )


class _CoordinatedSessionCreator(SessionCreator):
    """Makes sessions with threads for the queue runners, and tells the hooks."""

    def __init__(
        self,
        session_creator: Any,
        hooks: Sequence[SessionRunHook],
        stop_grace_period_secs: float,
    ):
        self._session_creator = session_creator
        self._hooks = hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        self.coord: coordinator.Coordinator | None = None
        self.tf_sess: Any = None

    def create_session(self) -> Any:
        session = self.tf_sess = self._session_creator.create_session()
        # The loop must see any exception of a thread.
        coord = self.coord = coordinator.Coordinator(clean_stop_exception_types=())
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(session.close)
            on_failure.callback(coord.request_stop)
            self._start(session, coord)
            on_failure.pop_all()
        hooked = _HookedSession(session, self._hooks)
        return _CoordinatedSession(hooked, coord, self._stop_grace_period_secs)

    def _start(self, session: Any, coord: coordinator.Coordinator) -> None:
        """Starts the threads that fill queues, then lets each hook see the session."""
        if ops.get_collection(ops.GraphKeys.QUEUE_RUNNERS):
            queue_runner.start_queue_runners(session, coord)
        for hook in self._hooks:
            hook.after_create_session(session, coord)


class _MonitoredSession:
    """The base of MonitoredSession and SingularMonitoredSession."""

    StepContext = _StepContext

    def __init__(
        self,
        session_creator: Any,
        hooks: Sequence[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ):
        self._graph_was_finalized = ops.get_default_graph().finalized
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._coordinated_creator = _CoordinatedSessionCreator(
            session_creator or ChiefSessionCreator(),
            self._hooks,
            stop_grace_period_secs,
        )
        self._sess: Any = (
            _RecoverableSession(self._coordinated_creator)
            if should_recover
            else self._coordinated_creator.create_session()
        )

    @property
    def graph(self) -> ops.Graph | None:
        """The graph; None when this is closed."""
        tf_sess = self._tf_sess()
        return None if tf_sess is None else tf_sess.graph

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> Any:
        """Runs a step, with the hooks around it; arguments as in `tf.Session.run`.

        Raises RuntimeError when this is closed, or a hook has asked for the end.
        """
        self._check_open()
        return self._sess.run(
            fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata
        )

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function that makes the runs of one step, with and without hooks.

        Args:
            step_fn: takes `step_context`; or, of a class, `self` and that.

        Returns what it returns.  Raises StopIteration if it asks for a stop, ValueError
        for a function with other arguments.
        """
        parameters = tuple(inspect.signature(step_fn).parameters)
        if parameters not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                f"`step_context` arguments if it's an instance method. Got {parameters} "
                "instead."
            )
        self._check_open()
        return self._sess.run_step_fn(step_fn, self._tf_sess(), self.run)

    def should_stop(self) -> bool:
        """Whether the loop is over: a hook or a thread has asked for it, or this is closed.

        Raises the error with which a thread has failed.
        """
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Ends: hooks, threads, session."""
        self._close_internal()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        # Input ends with these errors.
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _check_open(self) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")

    def _is_closed(self) -> bool:
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Any:
        return self._coordinated_creator.tf_sess

    def _close_internal(
        self, exception_type: type[BaseException] | None = None
    ) -> None:
        # Ctrl-C ends the loop in order: the progress so far is saved.
        in_order = exception_type is None or issubclass(
            exception_type, KeyboardInterrupt
        )
        try:
            if in_order and self._coordinated_creator.tf_sess is not None:
                for hook in self._hooks:
                    hook.end(self._coordinated_creator.tf_sess)
        finally:
            try:
                self._check_open()
                self._sess.close()
            finally:
                graph = self.graph
                self._sess = None
                self._coordinated_creator.tf_sess = None
                self._coordinated_creator.coord = None
                if not self._graph_was_finalized and graph is not None:
                    graph._unsafe_unfinalize()


class MonitoredSession(_MonitoredSession):
    """A session that calls hooks, stops threads, and recovers when a process is lost.

    At the start hooks begin, the graph is finalized, the model restored or initialized,
    queue runners are started.  After AbortedError or UnavailableError it makes all that
    anew and goes on.  At the end hooks end, threads and session are closed.

    A with statement closes it, and takes OutOfRangeError and StopIteration for the end
    of the loop.  After Ctrl-C hooks end, too, so that the last checkpoint is written.  It is no tf.Session: it cannot be the default session, and not save;
    hooks get the session for that.
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ):
        """Makes the session.

        Args:
            session_creator: makes sessions; a ChiefSessionCreator by default.
            hooks: called around steps.
            stop_grace_period_secs: how long threads have to stop in the end.
        """
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A MonitoredSession that does not recover; `raw_session` is the session in it."""

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Message | None = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ):
        """Makes the session.

        Args:
            hooks: called around steps.
            scaffold: the operations around the model.
            master: the target.
            config: the config of the session.
            checkpoint_dir: where checkpoints are, or
            checkpoint_filename_with_path: the one to restore.
            stop_grace_period_secs: how long threads have to stop in the end.
        """
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session; None when this is closed."""
        return self._tf_sess()


__all__ = [
    "USE_DEFAULT",
    "ChiefSessionCreator",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "Scaffold",
    "SessionCreator",
    "SingularMonitoredSession",
    "WorkerSessionCreator",
    "_CoordinatedSession",
    "_HookedSession",
    "_PREEMPTION_ERRORS",
    "_RecoverableSession",
    "_WrappedSession",
]
