# SPDX-License-Identifier: Apache-2.0
"""Supervisor: a training program's session, checkpoints, summaries and threads.

Monitored sessions (monitored_session.py) do the same with hooks; this is for programs that have it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.core.util.event_pb2 import SessionLog
from tensorwright.python.framework import graph_io, meta_graph, ops
from tensorwright.python.framework.type_aliases import (
    Fetches,
    GraphElement,
    SessionLike,
)
from tensorwright.python.ops import control_flow_ops, lookup_ops, variables
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary as summary_lib
from tensorwright.python.training import (
    coordinator,
    saver as saver_mod,
    session_manager as session_manager_mod,
    training_util,
)
from tensorwright.python.training._supervisor.supervisor_threads import (
    SVStepCounterThread,
    SVSummaryThread,
    SVTimerCheckpointThread,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from threading import Thread

    from google.protobuf.message import Message

    from tensorwright.python.client.session import Session
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import FeedDict
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training._saver.saver_saver import Saver
    from tensorwright.python.training.coordinator import LooperThread
    from tensorwright.python.training.queue_runner_impl import QueueRunner
    from tensorwright.python.training.session_manager import SessionManager


class Supervisor:
    """Makes a session with a ready model, and saves and summarizes beside the loop.

    The chief restores or initializes the model, and has threads that save checkpoints,
    write summaries and count steps; other workers wait for the model to be ready.

    Example:
        sv = tf.train.Supervisor(logdir="/tmp/mydir")
        with sv.managed_session() as sess:
            while not sv.should_stop():
                sess.run(train_op)
    """

    # Stands for an argument that was not given, where None says "none".
    USE_DEFAULT: Any = 0

    def __init__(
        self,
        graph: ops.Graph | None = None,
        ready_op: GraphElement | Sequence[GraphElement] | None = USE_DEFAULT,
        ready_for_local_init_op: GraphElement
        | Sequence[GraphElement]
        | None = USE_DEFAULT,
        is_chief: bool = True,
        init_op: GraphElement | Sequence[GraphElement] | None = USE_DEFAULT,
        init_feed_dict: FeedDict | None = None,
        local_init_op: GraphElement | Sequence[GraphElement] | None = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Fetches | None = USE_DEFAULT,
        saver: Saver | None = USE_DEFAULT,
        global_step: Variable | Tensor | None = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[SessionLike], object] | None = None,
        local_init_run_options: Message | None = None,
    ):
        """A supervisor; the graph is finalized by it.

        Each op that is not given is the first of its collection, or a default.

        Args:
            graph: the graph; the default graph if not given.
            ready_op: strings, the names of variables without a value.
            ready_for_local_init_op: the same, for the variables that `local_init_op` needs.
            is_chief: whether this process makes the model ready and writes files.
            init_op: gives variables their first values.
            init_feed_dict: fed to it.
            local_init_op: run in every session: local variables and tables.
            logdir: where checkpoints and event files go.
            summary_op: a serialized summary; None: the program computes summaries.
            saver: the saver of checkpoints; None for none.
            global_step: an integer [], put into names and events.
            save_summaries_secs: how often; 0 for never.
            save_model_secs: how often; 0 for never.
            recovery_wait_secs: between two looks at a model that the chief makes ready.
            stop_grace_secs: how long threads have to stop in the end.
            checkpoint_basename: what the names of checkpoints begin with.
            session_manager: makes sessions; one with these ops by default.
            summary_writer: a FileWriter; None for none.
            init_fn: called with the session, after `init_op`.
            local_init_run_options: RunOptions of `local_init_op`.
        """
        self._graph = ops.get_default_graph() if graph is None else graph
        with self._graph.as_default():
            self._init_ready_op(ready_op, ready_for_local_init_op)
            self._init_init_op(init_op, init_feed_dict)
            self._init_local_init_op(local_init_op)
            self._init_saver(saver)
            self._init_summary_op(summary_op)
            self._init_global_step(global_step)
        self._is_chief = is_chief
        self._coord = coordinator.Coordinator()
        self._recovery_wait_secs = recovery_wait_secs
        self._stop_grace_secs = stop_grace_secs
        self._init_fn = init_fn
        self._logdir = self._save_path = None
        self._save_model_secs: float | None = None
        self._save_summaries_secs: float | None = None
        self._summary_writer = None
        if is_chief:
            self._logdir = logdir
            self._save_model_secs = save_model_secs
            self._save_summaries_secs = save_summaries_secs
            if logdir:
                self._save_path = os.path.join(logdir, checkpoint_basename)
            if summary_writer is not Supervisor.USE_DEFAULT:
                self._summary_writer = summary_writer
            elif logdir:
                self._summary_writer = summary_lib.FileWriter(logdir)
        self._graph_added_to_summary = False
        self._session_manager = session_manager or (
            session_manager_mod.SessionManager(
                local_init_op=self._local_init_op,
                ready_op=self._ready_op,
                ready_for_local_init_op=self._ready_for_local_init_op,
                graph=self._graph,
                recovery_wait_secs=recovery_wait_secs,
                local_init_run_options=local_init_run_options,
            )
        )
        # The graph is complete: anything that adds to it from here on is a leak.
        self._graph.finalize()

    # Defaults. -------------------------------------------------------------------------------

    def _first(self, key: str, default: Callable[[], Any]) -> Any:
        """The first of a collection; made, and added, if there is none."""
        found = ops.get_collection(key)
        if found:
            return found[0]
        op = default()
        if op is not None:
            ops.add_to_collection(key, op)
        return op

    def _init_ready_op(self, ready_op: Any, ready_for_local_init_op: Any) -> None:
        keys = ops.GraphKeys
        if ready_op is Supervisor.USE_DEFAULT:
            ready_op = self._first(
                keys.READY_OP, variables.report_uninitialized_variables
            )
        self._ready_op = ready_op
        if ready_for_local_init_op is Supervisor.USE_DEFAULT:
            found = ops.get_collection(keys.READY_FOR_LOCAL_INIT_OP)
            ready_for_local_init_op = found[0] if found else None
        self._ready_for_local_init_op = ready_for_local_init_op

    def _init_init_op(self, init_op: Any, init_feed_dict: Any) -> None:
        if init_op is Supervisor.USE_DEFAULT:
            init_op = self._first(
                ops.GraphKeys.INIT_OP, variables.global_variables_initializer
            )
        self._init_op = init_op
        self._init_feed_dict = init_feed_dict

    def _init_local_init_op(self, local_init_op: Any) -> None:
        if local_init_op is Supervisor.USE_DEFAULT:
            local_init_op = self._first(
                ops.GraphKeys.LOCAL_INIT_OP,
                lambda: control_flow_ops.group(
                    variables.local_variables_initializer(),
                    lookup_ops.tables_initializer(),
                ),
            )
        self._local_init_op = local_init_op

    def _init_saver(self, saver: Any) -> None:
        if saver is Supervisor.USE_DEFAULT:
            saver = self._first(
                ops.GraphKeys.SAVERS,
                lambda: saver_mod.Saver() if variables.global_variables() else None,
            )
        self._saver = saver

    def _init_summary_op(self, summary_op: Any) -> None:
        if summary_op is Supervisor.USE_DEFAULT:
            summary_op = self._first(ops.GraphKeys.SUMMARY_OP, summary_lib.merge_all)
        self._summary_op = summary_op

    def _init_global_step(self, global_step: Any) -> None:
        if global_step is Supervisor.USE_DEFAULT:
            global_step = training_util.get_global_step(self._graph)
        self._global_step = global_step

    # Properties. -----------------------------------------------------------------------------

    @property
    def is_chief(self) -> bool:
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        return self._session_manager

    @property
    def coord(self) -> coordinator.Coordinator:
        """Stops the threads."""
        return self._coord

    @property
    def init_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._init_op

    @property
    def init_feed_dict(self) -> FeedDict | None:
        return self._init_feed_dict

    @property
    def ready_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        return self._summary_writer

    @property
    def summary_op(self) -> Fetches | None:
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float | None:
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        return self._global_step

    @property
    def saver(self) -> Any:
        return self._saver

    @property
    def save_model_secs(self) -> float | None:
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The path that the names of checkpoints begin with."""
        return self._save_path

    # Sessions. -------------------------------------------------------------------------------

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Message | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """A session with a ready model; on the chief, with the services started.

        Args:
            master: the target.
            config: the config of the session.
            wait_for_checkpoint: the chief waits for one, too.
            max_wait_secs: how long to wait for the model.
            start_standard_services: start checkpoints, summaries, step counts and queue
                runners.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._chief_session(
                master, config, wait_for_checkpoint, max_wait_secs
            )
        else:
            sess = self._session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(sess.close)
            if self._is_chief:
                self._write_graph()
            if start_standard_services:
                self._start_services(sess)
            on_failure.pop_all()
        return sess

    def _chief_session(
        self,
        master: str,
        config: Message | None,
        wait_for_checkpoint: bool,
        max_wait_secs: float,
    ) -> Any:
        """A session whose model this process has restored or initialized."""
        initialization = {
            "init_op": self._init_op,
            "init_feed_dict": self._init_feed_dict,
            "init_fn": self._init_fn,
        }
        return self._session_manager.prepare_session(
            master,
            checkpoint_dir=self._logdir,
            saver=self._saver,
            wait_for_checkpoint=wait_for_checkpoint,
            max_wait_secs=max_wait_secs,
            config=config,
            **initialization,
        )

    def _start_services(self, sess: Any) -> None:
        """Starts every thread that this process has to have beside its loop."""
        if self._is_chief:
            self.start_standard_services(sess)
        self.start_queue_runners(sess)

    def _write_graph(self) -> None:
        """The graph, as a file and for TensorBoard."""
        if self._logdir:
            graph_def = self._graph.as_graph_def(add_shapes=True)
            graph_io.write_graph(graph_def, self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            saver_def = self._saver.saver_def if self._saver else None
            self._summary_writer.add_meta_graph(
                meta_graph.create_meta_graph_def(
                    graph_def=self._graph.as_graph_def(add_shapes=True),
                    saver_def=saver_def,
                )
            )
            self._graph_added_to_summary = True

    def start_standard_services(self, sess: SessionLike) -> list[Thread] | None:
        """Starts the threads that summarize, count steps and save; the chief's only.

        Returns the threads; None without a log folder.  Raises RuntimeError if this is
        not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "start_standard_services: Only chief supervisors have standard services; "
                "this one was made with is_chief=False"
            )
        if not self._logdir:
            logging.warning(
                "Supervisor: without a logdir there are no summaries and no checkpoints"
            )
            return None
        step = self._current_step(sess)
        if step is not None and self._summary_writer:
            # At this event TensorBoard drops the later steps of a lost run.
            self._summary_writer.add_session_log(
                SessionLog(status=SessionLog.START), step
            )
        threads = [service(self, sess) for service in self._services()]
        for thread in threads:
            thread.start()
        return threads

    def _services(self) -> Iterator[Callable[[Supervisor, Any], Any]]:
        """The kinds of threads that have an interval, something to do and a place to write."""
        if self._summary_writer and self._save_summaries_secs:
            if self._summary_op is not None:
                yield SVSummaryThread
            if self._global_step is not None:
                yield SVStepCounterThread
        if self._saver and self._save_model_secs:
            yield SVTimerCheckpointThread

    def _current_step(self, sess: Any) -> int | None:
        """The value of the global step; None if the model has none."""
        if self._global_step is None:
            return None
        return training_util.global_step(sess, self._global_step)

    def start_queue_runners(
        self, sess: SessionLike, queue_runners: list[QueueRunner] | None = None
    ) -> list[Thread]:
        """Starts the threads of queue runners, of the collection by default."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(ops.GraphKeys.QUEUE_RUNNERS)
        options = {"coord": self._coord, "daemon": True, "start": True}
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, **options)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function again and again until the stop.

        Arguments as in `tf.train.LooperThread`.
        """
        looper = coordinator.LooperThread(
            self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs
        )
        looper.start()
        return looper

    # The end. --------------------------------------------------------------------------------

    def stop(
        self,
        threads: list[Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops the threads and waits for them.

        Args:
            threads: to wait for, besides those of the coordinator.
            close_summary_writer: else it is flushed.
            ignore_live_threads: those that do not stop in time are left alone.

        Raises what a thread has failed with; RuntimeError for one that does not stop.
        """
        with contextlib.ExitStack() as at_the_end:
            # The writer is seen to last, also if join raises what a thread has failed with.
            at_the_end.callback(self._end_summaries, close_summary_writer)
            self._coord.request_stop()
            self._coord.join(threads, self._stop_grace_secs, ignore_live_threads)

    def _end_summaries(self, close: bool) -> None:
        """Closes the event file behind a STOP event, or writes what it has so far."""
        if not self._summary_writer:
            return
        if not close:
            self._summary_writer.flush()
            return
        self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
        self._summary_writer.close()
        self._graph_added_to_summary = False

    def request_stop(self, ex: BaseException | tuple | None = None) -> None:
        """Asks all threads to stop; arguments as in `Coordinator.request_stop`."""
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Whether somebody asked for a stop."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """A context; an exception in it stops all threads."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until somebody asks for a stop."""
        self._coord.wait_for_stop()

    def summary_computed(
        self, sess: SessionLike, summary: Message, global_step: int | None = None
    ) -> None:
        """Writes a summary that the program has computed.

        Args:
            sess: a session, which provides the global step if `global_step` is None.
            summary: a serialized `Summary`.
            global_step: the step to write into the event.

        Raises TypeError if `summary` is not bytes, RuntimeError without a summary writer.
        """
        writer = self._summary_writer
        if not writer:
            raise RuntimeError(
                "summary_computed: this requires a summary writer, and the supervisor has "
                "none: it was given no logdir, or is not the chief"
            )
        step = self._current_step(sess) if global_step is None else global_step
        writer.add_summary(summary, step)

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Message | None = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A context with a session; at its end, all is stopped and closed.

        An exception in it, or of a thread, is raised at the end; OutOfRangeError is the
        end of input and is not.  After Ctrl-C a checkpoint is saved.

        Arguments as in `prepare_or_wait_for_session`; `close_summary_writer` as of
        `stop`.
        """
        sess = self.prepare_or_wait_for_session(
            master=master,
            config=config,
            start_standard_services=start_standard_services,
        )
        try:
            yield sess
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                self._save_last(sess)
            self.request_stop(error)
        finally:
            try:
                # `stop` raises the errors of threads; the session is closed in any case.
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                with contextlib.suppress(Exception):
                    sess.close()

    def _save_last(self, sess: Any) -> None:
        if self._is_chief and self.saver and self._save_path:
            self.saver.save(sess, self._save_path, global_step=self._global_step)

    # Names of TensorFlow's first versions.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed
