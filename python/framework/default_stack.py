# SPDX-License-Identifier: Apache-2.0
"""Stacks of defaults, one a thread: sessions here, graphs in `_pywrap`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework.type_aliases import SessionLike

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.type_aliases import T

get_default_graph = _pywrap.get_default_graph


class DefaultStack(threading.local):
    """Objects entered with `get_controller`, innermost last."""

    def __init__(self):
        super().__init__()
        # Whether only the innermost may leave; otherwise any may.
        self.enforce_nesting = True
        self.stack: list[Any] = []

    def get_default(self) -> Any:
        return self.stack[-1] if self.stack else None

    def is_cleared(self) -> bool:
        return len(self.stack) == 0

    def reset(self) -> None:
        self.stack.clear()

    def push(self, default: object) -> None:
        self.stack.append(default)

    def pop(self, default: object) -> None:
        if self.enforce_nesting:
            if not self.stack or self.stack[-1] is not default:
                raise AssertionError(
                    f"Nesting violated for default stack of {type(default)} objects"
                )
            self.stack.pop()
        elif default in self.stack:
            self.stack.remove(default)

    @contextlib.contextmanager
    def get_controller(self, default: T) -> Iterator[T]:
        self.push(default)
        try:
            yield default
        finally:
            self.pop(default)


class DefaultGraphStack:
    """The graph stack behind the interface of `DefaultStack`."""

    def get_default(self) -> Graph:
        return _pywrap.get_default_graph()

    def reset(self) -> None:
        _pywrap.reset_default_graph()

    def is_cleared(self) -> bool:
        return not _pywrap.default_graph_depth()

    @contextlib.contextmanager
    def get_controller(self, default: T) -> Iterator[T]:
        _pywrap.push_default_graph(default)
        try:
            yield default
        finally:
            _pywrap.pop_default_graph(default)


_default_session_stack = DefaultStack()
_default_graph_stack = DefaultGraphStack()


def default_session(session: SessionLike):
    """A context in which `session` is the default session of this thread."""
    return _default_session_stack.get_controller(session)


def get_default_session() -> Any:
    """The innermost session entered on this thread, or None."""
    return _default_session_stack.get_default()


def reset_default_graph() -> None:
    """Forgets the global default graph: the next op starts an empty one.

    AssertionError inside a `with graph.as_default():`.
    """
    if not _default_graph_stack.is_cleared():
        raise AssertionError(
            "tf.reset_default_graph() was called inside a `with graph.as_default():`. "
            "Leave it first, or enter a tf.Graph() of its own."
        )
    _default_graph_stack.reset()


def session_for(
    session: SessionInterface | None, graph: Graph, what: str, call: str
) -> SessionInterface:
    """The session to run an element of `graph` in, for `Tensor.eval` and the like.

    Raises ValueError where there is no default session or it has another graph.
    """
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError(
                f"Cannot {what} using `{call}()`: No default session is registered. "
                f"Enter one (`with sess.as_default():`) or say `{call}(session=sess)`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {what}: it runs another graph. "
                f"One of that graph can be given: `{call}(session=sess)`"
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {what}: it runs another graph"
        )
    return session
