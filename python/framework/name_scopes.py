# SPDX-License-Identifier: Apache-2.0
"""Name scopes, and the graph that a list of inputs belongs to."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap

if TYPE_CHECKING:
    from tensorwright.python.framework.graph import Graph


class GraphNameScope:
    """`with graph.name_scope(name) as full_name:`"""

    __slots__ = ("_graph", "_name", "_outer")

    def __init__(self, graph: Graph, name: str | None):
        self._graph = graph
        self._name = name

    def __enter__(self) -> str:
        self._outer = self._graph._scope
        return self._graph._enter_scope(self._name)

    def __exit__(self, *exc_info: object) -> None:
        self._graph._scope = self._outer


class name_scope:
    """A scope for the operations of one function.

    Args:
        name: the name the caller gave, or None.
        default_name: the name where `name` is None.
        values: the inputs; the scope is one of their graph, which also becomes the
            default graph.

    Example:
        def my_op(a, b, name=None):
            with tf.name_scope(name, "MyOp", [a, b]) as scope:
                ...
                return tf.add(a, b, name=scope)
    """

    __slots__ = ("_name", "_default_name", "_values", "_graph", "_outer", "_pushed")

    def __init__(
        self,
        name: str | None,
        default_name: str | None = None,
        values: Iterable[object] | None = None,
    ):
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values

    @property
    def name(self) -> str | None:
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._values is not None:
            raise ValueError(
                f"At least one of name ({self._name}) and default_name "
                f"({self._default_name}) must be provided."
            )
        default = _pywrap.get_default_graph()
        graph = get_graph_from_inputs(self._values) if self._values else default
        self._pushed = graph is not default
        if self._pushed:
            _pywrap.push_default_graph(graph)
        self._graph = graph
        self._outer = graph._scope
        try:
            return graph._enter_scope(self._name)
        except ValueError:
            self.__exit__()
            raise

    def __exit__(self, *exc_info: object) -> None:
        self._graph._scope = self._outer
        if self._pushed:
            _pywrap.pop_default_graph(self._graph)


@contextlib.contextmanager
def op_scope(
    values: Iterable[object], name: str | None, default_name: str | None = None
) -> Iterator[str]:
    """`name_scope` with its arguments in an older order."""
    with name_scope(name, default_name=default_name, values=values) as scope:
        yield scope


def get_name_scope() -> str:
    """The name scope of the default graph, without the final "/"."""
    return _pywrap.get_default_graph().get_name_scope()


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """`name` without `export_scope/` (after ^ or loc:@, if it has one of them)."""
    if not export_scope:
        return name
    return re.sub(
        rf"([\^]|loc:@|^){re.escape(export_scope)}[\/]+(.*)", r"\1\2", name, count=1
    )


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """`name` with `import_scope/` in front (after ^ or loc:@)."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    return re.sub(r"([\^]|loc:@|^)(.*)", rf"\1{scope}/\2", name, count=1)


def get_graph_from_inputs(
    op_input_list: Iterable[object], graph: Graph | None = None
) -> Any:
    """The graph of the first input that has one, else the default graph.

    Raises ValueError where another input has a different graph, unless the default
    graph is a function's body, which captures it.
    """
    if graph is None and _pywrap.get_default_graph()._captures:
        return _pywrap.get_default_graph()
    found, origin = graph, None
    for value in op_input_list:
        own = getattr(value, "graph", None)
        if not isinstance(own, _pywrap.GraphCore):
            continue
        if found is None:
            found, origin = own, value
        elif own is not found:
            if origin is None:
                raise ValueError(f"{value!r} is not from the passed-in graph.")
            raise ValueError(f"{value!r} must be from the same graph as {origin!r}.")
    return found if found is not None else _pywrap.get_default_graph()
