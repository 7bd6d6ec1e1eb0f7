# SPDX-License-Identifier: Apache-2.0
"""Session: runs the operations and evaluates the tensors of a graph."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from tensorwright.python import _pywrap
from tensorwright.python.client import fetch_mapper
from tensorwright.python.client.device_attributes import _DeviceAttributes
from tensorwright.python.client.partial_run_handle import _PartialRunHandle
from tensorwright.python.client.session_arguments import (
    _config_bytes,
    _options_bytes,
    _target_text,
    _wants_metadata,
)
from tensorwright.python.framework import (
    cluster_library,
    default_stack,
    ops,
    running_functions,
    tensor_handle,
)
from tensorwright.python.framework.type_aliases import FeedDict, Fetches, GraphElement
from tensorwright.python.util.lazy_protos import device_attributes_pb2

if TYPE_CHECKING:
    from types import TracebackType

    from google.protobuf.message import Message

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.python.client.policy import Policy

register_session_run_conversion_functions = (
    fetch_mapper.register_session_run_conversion_functions
)


class SessionInterface:
    """The interface that sessions and their wrappers share."""

    @property
    def graph(self) -> ops.Graph:
        raise NotImplementedError("graph")

    @property
    def sess_str(self) -> str:
        raise NotImplementedError("sess_str")

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> Any:
        raise NotImplementedError("run")


def _targets(graph: Any, mapper: fetch_mapper.FetchMapper) -> list:
    """The operations that a run of these fetches runs: those asked for, and the checks of the tensors."""
    checks = graph._fetch_checks
    if not checks:
        return mapper.operations
    outputs = [t for op in mapper.operations for t in op.outputs]
    found = [checks[t] for t in (*mapper.tensors, *outputs) if t in checks]
    return [*mapper.operations, *(c for c in found if c not in mapper.operations)]


class _LeftBehind:
    """Stands in a forked child for a session of the parent process, whose threads do not exist there."""

    def close(self) -> None:
        """Does nothing, since nothing is running in the child."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(
            "This Session belongs to the process that was forked, and cannot be used in "
            "its child: make a Session in the child, or start the child by spawn"
        )


_sessions: weakref.WeakSet[BaseSession] = weakref.WeakSet()
# Objects of the parent, which a child must not destroy: it would wait for the parent's threads.
_of_parent: list[Any] = []


def _leave_sessions() -> None:
    """Makes the parent's sessions raise an error in a forked child when they are used."""
    for session in list(_sessions):
        core = session._core
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(core))
        _of_parent.append(core)
        session._core = left = _LeftBehind()  # type: ignore[assignment]
        session._run_cached = lambda *_, left=left: left.run
    _sessions.clear()


os.register_at_fork(after_in_child=_leave_sessions)


class BaseSession(SessionInterface):
    """Runs a graph on the devices of this process, or where `target` says.

    Variables and other state belong to the session and end with it.  Several
    threads may call `run` at once.
    """

    def __init__(
        self,
        target: str = "",
        graph: ops.Graph | None = None,
        config: Message | None = None,
        policy: Policy | None = None,
    ):
        if graph is None:
            graph = ops.get_default_graph()
        elif not isinstance(graph, ops.Graph):
            raise TypeError(f"Session: graph must be a Graph, got {graph!r}")
        self._graph = graph
        self._config = config
        self._closed = False
        self._dead_handles: list[str] = []
        self._target = _target_text(target)
        cluster_library.load_for(self._target)
        self._core = _pywrap.SessionCore(
            graph, _config_bytes(config, policy), self._target
        )
        # Bound once: the path of every run.
        self._run_cached = self._core.run_cached
        _sessions.add(self)

    @property
    def graph(self) -> ops.Graph:
        """The graph this session runs."""
        return self._graph

    @property
    def graph_def(self) -> GraphDef:
        """The graph as a `GraphDef` proto."""
        return self._graph.as_graph_def(add_shapes=False)

    @property
    def sess_str(self) -> str:
        """The target."""
        return self._target

    def as_default(self):
        """A context in which this is the default session of the thread.

        It is not closed at the end.
        """
        return default_stack.default_session(self)

    def close(self) -> None:
        """Cancels what is running and frees devices and variables.

        Raises RuntimeError inside of a function of `py_func` that its graph has: the run would wait for itself.
        """
        if running_functions.is_inside(self._graph):
            raise RuntimeError(
                "A Session cannot be closed inside of its own run: this function is "
                "one of its graph's py_funcs"
            )
        self._closed = True
        self._core.close()

    def list_devices(self) -> list:
        """The devices, as objects with name, device_type and memory_limit_bytes."""
        parse = device_attributes_pb2.DeviceAttributes.FromString
        return [_DeviceAttributes(parse(b)) for b in self._core.list_devices()]

    @overload
    def run(
        self,
        fetches: ops.Operation,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> None: ...

    @overload
    def run(
        self,
        fetches: list[Any],
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> list[Any]: ...

    @overload
    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> Any: ...

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Message | None = None,
        run_metadata: Message | None = None,
    ) -> Any:
        """Runs what `fetches` needs and returns its values.

        Args:
            fetches: a Tensor, Operation, SparseTensor, IndexedSlices, name, or lists,
                tuples, namedtuples and dicts of them to any depth.
            feed_dict: tensors (or their names) -> values that replace them: numbers,
                strings, lists, arrays; tuples of such keys -> tuples of values.
            options: a `RunOptions` proto.
            run_metadata: a `RunMetadata` proto to fill.

        Returns:
            The same structure as `fetches` with arrays (NumPy scalars for scalar
            tensors, bytes for scalar strings) for tensors, None for operations.

        Raises:
            RuntimeError: for a closed session.
            TypeError: for fetches or feeds of the wrong kind.
            ValueError: for elements of another graph, or a value whose shape the
                tensor does not have.
            OpError: a subclass of it, for any failure in the run.
        """
        if options is None and run_metadata is None:
            result = self._run_cached(fetches, feed_dict)
            if result is not NotImplemented:
                return result
        return self._run(fetches, feed_dict, options, run_metadata)

    def _check_usable(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._graph.version == 0:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before "
                "calling run()."
            )

    def _run(self, fetches, feed_dict, options, run_metadata) -> Any:
        self._check_usable()
        wants_metadata = _wants_metadata(run_metadata)
        mapper = fetch_mapper.FetchMapper(self._graph, fetches)
        feed_tensors, values = fetch_mapper.resolve_feeds(self._graph, feed_dict)
        targets = _targets(self._graph, mapper)
        entry = self._core.prepare(feed_tensors, mapper.tensors, targets)
        if mapper.is_flat and len(feed_tensors) == len(feed_dict or ()):
            for leaf in (*mapper.leaf_objects, *(feed_dict or ())):
                if hasattr(leaf, "_as_graph_element"):
                    _pywrap.register_leaf_type(type(leaf))
            self._core.remember(fetches, feed_dict, entry, mapper.leaf_indices)
        arrays, metadata = self._core.run_entry(
            entry, values, _options_bytes(options), wants_metadata
        )
        if run_metadata is not None:
            run_metadata.ParseFromString(metadata)
        return mapper.build(self._with_handles(arrays, mapper))

    def _with_handles(
        self, arrays: list[Any], mapper: fetch_mapper.FetchMapper
    ) -> list[Any]:
        """`arrays` with TensorHandles in the place of handles."""
        if not mapper.handles:
            return arrays
        for place, dtype in mapper.handles.items():
            arrays[place] = tensor_handle.TensorHandle(arrays[place], dtype, self)
        if len(self._dead_handles) >= tensor_handle.DEAD_HANDLES_THRESHOLD:
            self._delete_dead_handles()
        return arrays

    def _register_dead_handle(self, handle: str) -> None:
        # Called by the collector, at any time, in any thread: nothing is run here.
        self._dead_handles.append(handle)

    def _delete_dead_handles(self) -> None:
        dead, self._dead_handles = self._dead_handles, []
        feeds, deleters = {}, []
        for number, handle in enumerate(dead):
            holder, deleter = tensor_handle.deleter_of(self._graph, number, handle)
            feeds[holder] = handle
            deleters.append(deleter)
        self.run(deleters, feeds)

    def partial_run_setup(
        self,
        fetches: Fetches,
        feeds: GraphElement | Sequence[GraphElement] | None = None,
    ) -> _PartialRunHandle:
        """Sets up a step whose feeds and fetches come in pieces.

        Args:
            fetches: all that will be fetched, as in `run`; operations in it run too.
            feeds: the tensors (or names) that will be fed, one or a list.

        Returns:
            A handle for `partial_run`.  Each node runs once, as soon as what it needs
            has been fed.

        Raises:
            RuntimeError, TypeError, ValueError, OpError: as `run` does.

        Example:
            step = sess.partial_run_setup([encoded, decoded], [image, code])
            found = sess.partial_run(step, encoded, feed_dict={image: pixels})
            back = sess.partial_run(step, decoded, feed_dict={code: round(found)})
        """
        self._check_usable()
        keys: Sequence[Any] = [] if feeds is None else [feeds]
        if isinstance(feeds, (list, tuple)):
            keys = feeds
        feed_tensors = fetch_mapper.resolve_feed_keys(self._graph, keys)
        mapper = fetch_mapper.FetchMapper(self._graph, fetches)
        handle = self._core.partial_run_setup(
            feed_tensors, mapper.tensors, _targets(self._graph, mapper)
        )
        return _PartialRunHandle(handle, feed_tensors, mapper.tensors)

    def partial_run(
        self,
        handle: _PartialRunHandle,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
    ) -> Any:
        """Goes on with a step: feeds `feed_dict` and waits for `fetches`.

        Args:
            handle: what `partial_run_setup` returned.
            fetches: as in `run`, but tensors only: some of those set up.
            feed_dict: as in `run`: values of some of the feeds set up.

        Returns:
            The values of `fetches`.

        Raises:
            InvalidArgumentError: for a feed or fetch that was not set up, that has been
                fed or fetched before, or for a fetch that needs a feed still to come.
            RuntimeError, TypeError, ValueError, OpError: as `run` does; a TypeError for
                another handle, a RuntimeError for operations among the fetches.
        """
        self._check_usable()
        if not isinstance(handle, _PartialRunHandle):
            raise TypeError(
                f"handle must come from partial_run_setup, but got {type(handle)}"
            )
        mapper = fetch_mapper.FetchMapper(self._graph, fetches)
        if mapper.operations:
            raise RuntimeError("partial_run() requires empty target_list.")
        feed_tensors, values = fetch_mapper.resolve_feeds(self._graph, feed_dict)
        arrays = self._core.partial_run(
            handle.core,
            [handle.place_of("feed", t) for t in feed_tensors],
            values,
            [handle.place_of("fetch", t) for t in mapper.tensors],
        )
        return mapper.build(self._with_handles(arrays, mapper))

    def make_callable(
        self,
        fetches: Fetches,
        feed_list: Sequence[object] | None = None,
        accept_options: bool = False,
    ) -> Callable[..., Any]:
        """A function that runs `fetches`, given the values of `feed_list` in order.

        With `accept_options` it also takes `options` and `run_metadata`.  It raises what
        `run` does, and a TypeError for another number of values.

        Raises:
            KeyError: `feed_list` has a name that the graph has not.
            RuntimeError, TypeError, ValueError: as `run` does.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f"feed_list must be a list, a tuple or None, got {feed_list!r}"
            )
        as_tensor = self._graph.as_graph_element
        feeds = [as_tensor(f, allow_operation=False) for f in feed_list or ()]
        mapper = fetch_mapper.FetchMapper(self._graph, fetches)
        targets = _targets(self._graph, mapper)
        entry = self._core.prepare(feeds, mapper.tensors, targets)
        run_entry, build = self._core.run_entry, mapper.build

        def build_with_handles(arrays: list[Any]) -> Any:
            return mapper.build(self._with_handles(arrays, mapper))

        if mapper.handles:
            build = build_with_handles

        def run_fetches(*feed_args: Any) -> Any:
            if len(feed_args) != len(feeds):
                raise TypeError(
                    f"Expected {len(feeds)} values to feed, got {len(feed_args)}"
                )
            return build(run_entry(entry, list(feed_args), None, False)[0])

        def run_with_options(
            *feed_args: Any, options: Any = None, run_metadata: Any = None
        ) -> Any:
            arrays, metadata = run_entry(
                entry,
                list(feed_args),
                _options_bytes(options),
                _wants_metadata(run_metadata),
            )
            if run_metadata is not None:
                run_metadata.ParseFromString(metadata)
            return build(arrays)

        return run_with_options if accept_options else run_fetches

    @staticmethod
    def reset(
        target: str,
        containers: Sequence[str] | None = None,
        config: Message | None = None,
    ) -> None:
        """Drops the state that sessions of a server share, and ends these; there is none in-process.

        Args:
            target: the server.
            containers: the names of the containers to drop; the default one if there are none.
            config: its `device_filters` say at which tasks; at all of them by default.

        Raises NotFoundError if no kind of session serves the target.
        """
        target = _target_text(target)
        cluster_library.load_for(target)
        _pywrap.reset_sessions(target, _config_bytes(config), list(containers or []))


class Session(BaseSession):
    """Runs operations of a graph and evaluates its tensors.

    Args:
        target: "" for the devices of this process; else an address, whose scheme ("grpc://")
            chooses the kind of session.
        graph: the graph; the default graph where it is not given.
        config: a `ConfigProto`.
        policy: a `tf.Policy`, which says what the graph may do; the config's `policy` by default.

    Example:
        with tf.Session(config=config) as session:
            energy = session.run(total, feed_dict={rows: [[3.0, 4.0]]})
    """

    def __init__(
        self,
        target: str = "",
        graph: ops.Graph | None = None,
        config: Message | None = None,
        policy: Policy | None = None,
    ):
        super().__init__(target, graph, config=config, policy=policy)
        # One pair of contexts a thread and nesting: with blocks may overlap.
        self._contexts = threading.local()

    def __enter__(self) -> "Session":
        contexts = getattr(self._contexts, "stack", None)
        if contexts is None:
            contexts = self._contexts.stack = []
        graph = self.graph.as_default()
        session = self.as_default()
        graph.__enter__()
        session.__enter__()
        contexts.append((graph, session))
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        graph, session = self._contexts.stack.pop()
        session.__exit__(exc_type, exc_value, traceback)
        graph.__exit__(exc_type, exc_value, traceback)
        self.close()


class InteractiveSession(BaseSession):
    """A session that is the default one from the start, until it is closed."""

    def __init__(
        self,
        target: str = "",
        graph: ops.Graph | None = None,
        config: Message | None = None,
        policy: Policy | None = None,
    ):
        super().__init__(target, graph, config=config, policy=policy)
        # Interactive use closes sessions in any order.
        default_stack._default_session_stack.enforce_nesting = False
        default_stack._default_session_stack.push(self)
        self._default_graph = None
        if graph is not None:
            self._default_graph = self.graph.as_default()
            self._default_graph.__enter__()

    def close(self) -> None:
        """Closes the session and takes it off the default stacks."""
        if self._closed:
            return
        super().close()
        default_stack._default_session_stack.pop(self)
        if self._default_graph is not None:
            self._default_graph.__exit__(None, None, None)
