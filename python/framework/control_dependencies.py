# SPDX-License-Identifier: Apache-2.0
"""Control dependencies that apply to operations while they are added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.indexed_slices import IndexedSlices
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import GraphElement

if TYPE_CHECKING:
    from tensorwright.python.framework.graph import Graph


class ControlDependenciesController:
    """One `with graph.control_dependencies(...)`.

    With `control_inputs` None it sets aside the controllers and the control-flow
    context that are in effect outside.
    """

    def __init__(self, graph: Graph, control_inputs: list[Operation] | None):
        self._graph = graph
        self._new_stack = control_inputs is None
        self._control_inputs = control_inputs or []
        self._seen_nodes: set[Operation] = set()
        self._old_stack: list = []
        self._old_control_flow_context: Any = None

    @property
    def control_inputs(self) -> list[Operation]:
        return self._control_inputs

    def __enter__(self) -> None:
        graph = self._graph
        if self._new_stack:
            self._old_stack = graph._control_dependencies_stack
            graph._control_dependencies_stack = []
            self._old_control_flow_context = graph._get_control_flow_context()
            graph._set_control_flow_context(None)
        graph._push_control_dependencies_controller(self)

    def __exit__(self, *exc_info: object) -> None:
        graph = self._graph
        graph._pop_control_dependencies_controller(self)
        if self._new_stack:
            graph._control_dependencies_stack = self._old_stack
            graph._set_control_flow_context(self._old_control_flow_context)

    def add_op(self, op: Operation) -> None:
        """Notes that `op` was added inside."""
        self._seen_nodes.add(op)

    def op_in_group(self, op: Operation) -> bool:
        return op in self._seen_nodes


def make_controller(
    graph: Graph, control_inputs: Iterable[GraphElement] | None
) -> ControlDependenciesController:
    """Returns a controller for Operations, Tensors and objects that stand for them."""
    if control_inputs is None:
        return ControlDependenciesController(graph, None)
    current = graph._current_control_dependencies()
    ops = []
    for item in control_inputs:
        op = _as_operation(graph, item)
        if op.graph is not graph:
            continue  # An operation outside the function has run before the call.
        if op not in current:
            current.add(op)
            ops.append(op)
    return ControlDependenciesController(graph, ops)


def _as_operation(graph: Any, item: Any) -> Operation:
    # The operation of a variable behind a handle, or of its update, needs no read of it.
    is_resource = hasattr(item, "_handle") and hasattr(item, "op")
    if isinstance(item, IndexedSlices) or is_resource:
        return item.op
    if graph._captures and isinstance(item, (Tensor, Operation)):
        return item if isinstance(item, Operation) else item.op
    element = graph.as_graph_element(item)
    if isinstance(element, Tensor):
        return element.op
    if not isinstance(element, Operation):
        raise TypeError(f"Control input must be Operation or Tensor: {item}")
    return element


def for_inputs(controllers: list, inputs: Iterable[Tensor]) -> list[Operation]:
    """The control inputs of an operation with these input tensors.

    A controller is left out where an input was made inside it: that input waits
    for it already.
    """
    input_ops = {t.op for t in inputs}
    result: list[Operation] = []
    for controller in controllers:
        if any(controller.op_in_group(op) for op in input_ops):
            continue
        result.extend(c for c in controller.control_inputs if c not in input_ops)
    return result
