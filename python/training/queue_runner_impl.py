# SPDX-License-Identifier: Apache-2.0
"""Queue runners: threads that fill a queue by running its enqueue operations."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.core.protobuf import queue_runner_pb2
from tensorwright.python.client import session as session_lib
from tensorwright.python.framework import errors, ops
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.ops import data_flow_ops
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import coordinator

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._data_flow.data_flow_ops_queue_base import QueueBase


class QueueRunner:
    """Runs enqueue operations of a queue, each in a thread of its own.

    A thread runs its operation until it fails.  If the last thread fails because its input
    has ended (an exception of `queue_closed_exception_types`), the queue is closed, and
    dequeues get the elements that are left.  Any other exception goes to the coordinator.
    """

    # Whether the coordinator's `join` waits for the threads; if not, closing the session ends them.
    _is_waited_for = True

    def __init__(
        self,
        queue: data_flow_ops.QueueBase | None = None,
        enqueue_ops: Sequence[ops.Operation] | None = None,
        close_op: ops.Operation | None = None,
        cancel_op: ops.Operation | None = None,
        queue_closed_exception_types: tuple[type[errors.OpError], ...] | None = None,
        queue_runner_def: queue_runner_pb2.QueueRunnerDef | None = None,
        import_scope: str | None = None,
    ):
        """A runner of a queue, or the one that a proto describes.

        Args:
            queue: to fill.
            enqueue_ops: one for each thread; one operation may stand here several times.
            close_op: run at the end of the input; None: closes the queue.
            cancel_op: run when the coordinator stops; None: closes the queue, and
                cancels waiting enqueues.
            queue_closed_exception_types: the errors of an enqueue operation at the end
                of its input; None: OutOfRangeError.
            queue_runner_def: a proto, instead of all of the above; its names are of the
                default graph.
            import_scope: put in front of the proto's names.

        Raises:
            ValueError: if both or neither of queue and proto are given, or no operation.
            TypeError: if an exception type is none of tf.errors.
        """
        self._lock = threading.Lock()
        # Threads that still run, by session.
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = (
            weakref.WeakKeyDictionary()
        )
        self._exceptions_raised: list[BaseException] = []
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._init_from_proto(queue_runner_def, import_scope)
        else:
            self._init_from_args(
                queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types
            )

    def _init_from_args(
        self, queue: Any, enqueue_ops: Any, close_op: Any, cancel_op: Any, types: Any
    ) -> None:
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        if cancel_op is None:
            cancel_op = queue.close(cancel_pending_enqueues=True)
        self._cancel_op = cancel_op
        if types is None:
            types = (errors.OutOfRangeError,)
        elif (
            not isinstance(types, tuple)
            or not types
            or not all(
                isinstance(t, type) and issubclass(t, errors.OpError) for t in types
            )
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of "
                f"tf.errors types, got {types}"
            )
        self._queue_closed_exception_types = types

    def _init_from_proto(
        self, proto: queue_runner_pb2.QueueRunnerDef, import_scope: str | None
    ) -> None:
        if not isinstance(proto, queue_runner_pb2.QueueRunnerDef):
            raise TypeError(f"queue_runner_def must be a QueueRunnerDef, got {proto!r}")
        graph = ops.get_default_graph()

        def find(name: str) -> Any:
            return graph.as_graph_element(ops.prepend_name_scope(name, import_scope))

        self._queue = find(proto.queue_name)
        self._enqueue_ops = [find(name) for name in proto.enqueue_op_name]
        self._close_op = find(proto.close_op_name)
        self._cancel_op = find(proto.cancel_op_name)
        self._queue_closed_exception_types = tuple(
            errors.exception_type_from_error_code(code)
            for code in proto.queue_closed_exception_types
        ) or (errors.OutOfRangeError,)

    @property
    def queue(self) -> QueueBase | Tensor:
        """The queue; of a runner that was made from a proto, its handle."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[ops.Operation]:
        return self._enqueue_ops

    @property
    def close_op(self) -> ops.Operation:
        return self._close_op

    @property
    def cancel_op(self) -> ops.Operation:
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The exceptions of threads that ran without a coordinator, since these threads were made."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._queue.name

    def _enqueuer(self, sess: Any, enqueue_op: ops.Operation) -> Callable[[], Any]:
        """Returns the function that a thread calls again and again."""
        return sess.make_callable(enqueue_op)

    def _run(
        self,
        sess: Any,
        enqueue_op: ops.Operation,
        coord: coordinator.Coordinator | None = None,
    ) -> None:
        """A thread: runs the operation until it fails, or until the coordinator stops."""
        closed = False
        try:
            enqueue = self._enqueuer(sess, enqueue_op)
            while not (coord and coord.should_stop()):
                enqueue()
        except self._queue_closed_exception_types:
            closed = True
        except Exception as error:
            if coord is not None and coord.should_stop() and not self._is_waited_for:
                logging.vlog(1, "%s ended with its session: %s", self.name, error)
            elif coord is not None:
                coord.request_stop(error)
            else:
                logging.error("Exception in QueueRunner: %s", error)
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
        finally:
            with self._lock:
                self._runs_per_session[sess] -= 1
                last = self._runs_per_session[sess] == 0
        if closed and last:
            self._run_quietly(sess, self._close_op)

    def _close_on_stop(
        self, sess: Any, cancel_op: ops.Operation, coord: coordinator.Coordinator
    ) -> None:
        """Runs in a thread: cancels waiting operations when the coordinator stops."""
        coord.wait_for_stop()
        self._run_quietly(sess, cancel_op)

    @staticmethod
    def _run_quietly(sess: Any, op: ops.Operation) -> None:
        """The queue, or the session, may be closed already."""
        try:
            sess.run(op)
        except Exception as error:
            logging.vlog(1, "Ignored exception: %s", error)

    def create_threads(
        self,
        sess: SessionLike,
        coord: coordinator.Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Threads that run the enqueue operations in a session.

        Args:
            sess: the session.
            coord: tells the threads to stop, and is told of their exceptions; one
                more thread waits for it to cancel what is blocked then.
            daemon: the threads do not keep the program from ending.
            start: the threads are started.

        Returns:
            The threads; none if those of an earlier call still run in the session.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                name=f"QueueRunnerThread-{self.name}-{op.name}",
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            threads.append(
                threading.Thread(
                    target=self._close_on_stop,
                    args=(sess, self._cancel_op, coord),
                    name=f"QueueRunnerThread-{self.name}-close_on_stop",
                )
            )
        for thread in threads:
            if coord is not None and self._is_waited_for:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def to_proto(
        self, export_scope: str | None = None
    ) -> queue_runner_pb2.QueueRunnerDef | None:
        """The names of queue and operations, less `export_scope`; None outside of it."""
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def name(op: Any) -> str:
            return ops.strip_name_scope(op.name, export_scope)

        return queue_runner_pb2.QueueRunnerDef(
            queue_name=name(self.queue),
            enqueue_op_name=[name(op) for op in self._enqueue_ops],
            close_op_name=name(self._close_op),
            cancel_op_name=name(self._cancel_op),
            queue_closed_exception_types=[
                cast(Any, errors.error_code_from_exception_type(t))
                for t in self._queue_closed_exception_types
            ],
        )

    @staticmethod
    def from_proto(
        queue_runner_def: queue_runner_pb2.QueueRunnerDef,
        import_scope: str | None = None,
    ) -> QueueRunner:
        """The runner that a proto describes."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(
    qr: QueueRunner, collection: str = ops.GraphKeys.QUEUE_RUNNERS
) -> None:
    """Adds a runner to a collection of the default graph, for `start_queue_runners`."""
    ops.add_to_collection(collection, qr)


def start_queue_runners(
    sess: SessionLike | None = None,
    coord: coordinator.Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = ops.GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all runners in a collection of the session's graph.

    Args:
        sess: the session; None: the default one.
        coord: as in `QueueRunner.create_threads`, like `daemon` and `start`.
        daemon: ...
        start: ...
        collection: the collection of the runners.

    Returns:
        The threads.

    Raises:
        ValueError: if there is no session.
        TypeError: if `sess` is none.
    """
    if sess is None:
        sess = ops.get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, session_lib.SessionInterface):
        raise TypeError(
            f"sess must be a `tf.Session` object. Given class: {type(sess)}"
        )
    with sess.graph.as_default():
        runners = ops.get_collection(collection)
        if not runners:
            logging.warning(
                "`tf.train.start_queue_runners()` was called when no queue runners "
                "were defined. You can safely remove the call."
            )
        threads: list[threading.Thread] = []
        for runner in runners:
            threads.extend(
                runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
            )
    return threads


ops.register_proto_function(
    ops.GraphKeys.QUEUE_RUNNERS,
    proto_type=queue_runner_pb2.QueueRunnerDef,
    to_proto=QueueRunner.to_proto,
    from_proto=QueueRunner.from_proto,
)
