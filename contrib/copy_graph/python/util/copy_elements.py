# SPDX-License-Identifier: Apache-2.0
"""Copies of variables and of operations, with all they depend on, in another graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.client import session as session_lib
from tensorwright.python.framework import ops
from tensorwright.python.ops import variables

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable

__all__ = ["copy_op_to_graph", "copy_variable_to_graph", "get_copied_op"]


def _scoped(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def copy_variable_to_graph(
    org_instance: variables.Variable, to_graph: ops.Graph, scope: str = ""
) -> variables.Variable:
    """A variable of `to_graph` that is trainable where `org_instance` is, of its collections, and starts with its value.

    A variable that is not initialized is copied with its initializer run once, so the copy's start is a constant.
    Its name has `scope/` in front.

    Raises:
        TypeError: `org_instance` is not a variable.
    """
    if not isinstance(org_instance, variables.Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    graph = org_instance.graph
    trainable = org_instance in graph.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES)
    collections = []
    for key in graph.get_all_collection_keys():
        if org_instance in graph.get_collection(key) and isinstance(key, str):
            collections.append(_scoped(key, scope) if _is_users(key) else key)
    # The graph may be finalized, so nothing is added to it.
    with session_lib.Session(graph=graph) as session:
        value = session.run(org_instance.initial_value)
    with to_graph.as_default(), ops.name_scope(None):
        return variables.Variable(
            value,
            trainable=trainable,
            name=_scoped(org_instance.op.name, scope),
            collections=collections,
            validate_shape=False,
        )


def _is_users(key: str) -> bool:
    """Whether a collection is none that the library knows."""
    return key not in vars(ops.GraphKeys).values()


def copy_op_to_graph(
    org_instance: Operation | Tensor,
    to_graph: ops.Graph,
    variables: list[Variable],
    scope: str = "",
) -> Variable | Operation | Tensor:
    """Finds a Tensor, an Operation or a Variable in `to_graph`, or copies it there with all it depends on.

    Args:
        org_instance: the Tensor, Operation or Variable.
        to_graph: the graph to copy to.
        variables: variables of `to_graph`, made by `copy_variable_to_graph`: they are used, not copied again.
        scope: the scope of the copies' names.

    Returns:
        A Tensor, Operation or Variable, as given.

    Raises:
        TypeError: `org_instance` is none of these.
    """
    copies = {v.op.name: v for v in variables}
    name = _scoped(_name(org_instance), scope)
    if name in copies:
        return copies[name]
    if isinstance(org_instance, ops.Operation):
        return _Copier(to_graph, scope).operation(org_instance)
    return _Copier(to_graph, scope).tensor(ops.convert_to_tensor(org_instance))


def get_copied_op(
    org_instance: Operation | Tensor, graph: ops.Graph, scope: str = ""
) -> Operation | Tensor:
    """The copy of an element, or of a variable's reference, that is in `graph`; KeyError if there is none."""
    name = _name(org_instance)
    if isinstance(org_instance, ops.Operation):
        return graph.get_operation_by_name(_scoped(name, scope))
    index = getattr(org_instance, "value_index", 0)
    return graph.get_tensor_by_name(f"{_scoped(name, scope)}:{index}")


def _name(element: Any) -> str:
    if isinstance(element, ops.Operation):
        return element.name
    if isinstance(element, (ops.Tensor, variables.Variable)):
        return element.op.name
    raise TypeError(f"{element!r} is no Tensor, Operation or Variable")


class _Copier:
    """Copies operations into one graph, each once: an element under the name counts as the copy."""

    def __init__(self, graph: ops.Graph, scope: str):
        self._graph = graph
        self._scope = scope

    def tensor(self, tensor: ops.Tensor) -> ops.Tensor:
        return self.operation(tensor.op).outputs[tensor.value_index]

    def operation(self, op: ops.Operation) -> ops.Operation:
        """Returns the copy of `op`; its inputs are copied first, without recursion: graphs are deep."""
        waiting, open_ops = [op], set()
        while waiting:
            now = waiting[-1]
            if self._there(now) is not None:
                waiting.pop()
                continue
            needs = [t.op for t in now.inputs] + list(now.control_inputs)
            missing = [n for n in needs if self._there(n) is None]
            if not missing:
                self._copy(waiting.pop())
            elif now in open_ops:
                raise ValueError(
                    f"{now.name} is in a loop: the operations of a tf.while_loop cannot "
                    "be copied one by one"
                )
            else:
                open_ops.add(now)
                waiting.extend(missing)
        found = self._there(op)
        assert found is not None
        return found

    def _there(self, op: ops.Operation) -> ops.Operation | None:
        try:
            return self._graph.get_operation_by_name(_scoped(op.name, self._scope))
        except KeyError:
            return None

    def _copy(self, op: ops.Operation) -> None:
        inputs = [self._there(t.op).outputs[t.value_index] for t in op.inputs]  # type: ignore[union-attr]
        attrs = {key: value for key, value in op.node_def.attr.items() if key != "_class"}  # fmt: skip # noqa: E501
        with (
            self._graph.as_default(),
            ops.name_scope(None),
            ops.control_dependencies([self._there(c) for c in op.control_inputs]),
            ops.device(op.device or None),
        ):
            self._graph.create_op(
                op.type,
                inputs,
                [t.dtype for t in op.outputs],
                name=_scoped(op.name, self._scope),
                attrs=attrs,
                op_def=op.op_def,
            )
