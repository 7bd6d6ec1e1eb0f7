# SPDX-License-Identifier: Apache-2.0
"""Lists of operations and tensors, and placeholders in their stead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops as tf_ops
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike
from tensorwright.python.ops import array_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor


_PREFIX = "geph"


def unique(items: Iterable[object]) -> list:
    """`items`, each where it comes first."""
    return list(dict.fromkeys(items))


def get_unique_graph(tops: object, none_if_empty: bool = False) -> Graph | None:
    """The graph of operations or tensors; ValueError where there are several, or none."""
    if isinstance(tops, tf_ops.Graph):
        return tops
    graphs = {t.graph for t in flatten(tops)}
    if len(graphs) > 1:
        raise ValueError("operations and tensors do not belong to one graph")
    if not graphs and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graphs.pop() if graphs else None


def flatten(tree: object) -> list:
    """The leaves of nested lists, tuples, sets and dicts."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, (list, tuple, set, frozenset)):
        return [leaf for part in tree for leaf in flatten(part)]
    return [tree]


def _as_list(
    given: Any, kind: type, other: type, check_graph: bool, ignore_other: bool
) -> list:
    items = [given] if isinstance(given, (kind, other)) else list(given or ())
    found = []
    for item in items:
        if isinstance(item, kind):
            found.append(item)
        elif not (ignore_other and isinstance(item, other)):
            raise TypeError(f"Expected a {kind.__name__}, got: {type(item)}")
    if check_graph:
        get_unique_graph(found, none_if_empty=True)
    return found


def make_list_of_op(
    ops: Graph | Operation | Iterable[Operation],
    check_graph: bool = True,
    allow_graph: bool = True,
    ignore_ts: bool = False,
) -> list:
    """Returns operations as a list.

    Args:
        ops: an operation, an iterable of operations, or a Graph, which stands for all of its operations.
        check_graph: whether they must belong to one graph.
        allow_graph: whether `ops` may be a Graph.
        ignore_ts: whether tensors among them are left out; if not, they raise TypeError.
    """
    if isinstance(ops, tf_ops.Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a Graph.")
        return ops.get_operations()
    return _as_list(ops, tf_ops.Operation, tf_ops.Tensor, check_graph, ignore_ts)


def get_tensors(graph: Graph) -> list:
    """All tensors of a graph; TypeError where it is none."""
    if not isinstance(graph, tf_ops.Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [t for op in graph.get_operations() for t in op.outputs]


def make_list_of_t(
    ts: Tensor | Iterable[Tensor],
    check_graph: bool = True,
    allow_graph: bool = True,
    ignore_ops: bool = False,
) -> list:
    """Tensors as a list; arguments as in `make_list_of_op`."""
    if isinstance(ts, tf_ops.Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a Graph.")
        return get_tensors(ts)
    return _as_list(ts, tf_ops.Tensor, tf_ops.Operation, check_graph, ignore_ops)


def get_generating_ops(ts: Tensor | Iterable[Tensor]) -> list:
    """The operations that make tensors."""
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Tensor | Iterable[Tensor]) -> list:
    """The operations that take tensors, each once."""
    return unique(
        op for t in make_list_of_t(ts, allow_graph=False) for op in t.consumers()
    )


class ControlOutputs:
    """Knows which operations of a graph wait for which: the reverse of `op.control_inputs`."""

    def __init__(self, graph: Graph):
        if not isinstance(graph, tf_ops.Graph):
            raise TypeError(f"Expected a graph, got: {type(graph)}")
        self._graph = graph
        self._outputs: dict[Any, list] = {}
        self.update()

    def update(self) -> ControlOutputs:
        """Looks at the graph again."""
        self._outputs = {}
        for op in self._graph.get_operations():
            for before in op.control_inputs:
                after = self._outputs.setdefault(before, [])
                if op not in after:
                    after.append(op)
        return self

    def get_all(self) -> dict:
        """{operation: those after it}."""
        return self._outputs

    def get(self, op: Operation) -> tuple:
        """Returns the operations that run after `op`."""
        return tuple(self._outputs.get(op, ()))

    @property
    def graph(self) -> Graph:
        return self._graph


def scope_finalize(scope: str) -> str:
    """A scope's name with "/" at its end, "" for none."""
    return scope if not scope or scope.endswith("/") else scope + "/"


def placeholder_name(t: Tensor | None = None, scope: str | None = None) -> str:
    """The name of a placeholder in the stead of a tensor: scope/geph__op_index, of the tensor's scope if absent.

    Raises TypeError where `t` is no tensor.
    """
    if scope is not None:
        scope = scope_finalize(scope)
    if t is None:
        return f"{scope or ''}{_PREFIX}"
    if not isinstance(t, tf_ops.Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    folder, slash, base = t.op.name.rpartition("/")
    if scope is None:
        scope = folder + slash
    if base.startswith(f"{_PREFIX}__"):
        return scope + base
    return f"{scope}{_PREFIX}__{base}_{t.value_index}"


def make_placeholder_from_tensor(t: Tensor, scope: str | None = None) -> Tensor:
    """A placeholder of dtype and shape of a tensor."""
    return array_ops.placeholder(
        dtype=t.dtype.base_dtype, shape=t.get_shape(), name=placeholder_name(t, scope)
    )


def make_placeholder_from_dtype_and_shape(
    dtype: DTypeLike, shape: ShapeLike | None = None, scope: str | None = None
) -> Tensor:
    """A placeholder named by `placeholder_name`."""
    return array_ops.placeholder(
        dtype=dtype, shape=shape, name=placeholder_name(scope=scope)
    )
