# SPDX-License-Identifier: Apache-2.0
"""FuncGraph: the graph in which a function's body is built."""

from __future__ import annotations

import contextlib
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes
from tensorwright.python.framework.graph import Graph
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    ShapeLike,
    TensorLike,
)

# Collections that hold what belongs to the outer graph: a body starts with copies.
_NOT_INHERITED = ("while_context", "cond_context")


class CaptureError(ValueError):
    """An operation with a state cannot be copied into a function.

    `users`: the operations that lead from the captured tensor to it, each an input of the one before.
    """

    def __init__(self, op: Operation, users: list[Operation]):
        super().__init__(f"Cannot capture {op.name!r} by value: {op.type} is stateful.")
        self.op = op
        self.users = users


class FuncGraph(Graph):
    """The body of a function.

    A tensor of the outer graph that an operation here uses becomes one more argument
    of the function: a Placeholder stands for it, and calls pass the tensor along.

    `inputs` are the Placeholders of the declared arguments, `captured` maps outer
    tensors to the Placeholders of the others, in the order of their first use.
    """

    def __init__(self, outer: Graph | None, capture_by_value: bool = False):
        super().__init__()
        self._outer_graph = outer
        self._building_function = True
        self._captures = True
        self._capture_by_value = capture_by_value
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.captured: dict[Tensor, Tensor] = {}
        self._copies: dict[Operation, Operation] = {}
        self.extra_vars: list[Any] = []
        if outer is not None:
            self._seed = outer.seed
            for key, values in outer._collections.items():
                if key not in _NOT_INHERITED:
                    self._collections[key] = list(values)

    @property
    def outer_graph(self) -> Graph | None:
        """The graph that the function is built for."""
        return self._outer_graph

    @property
    def extra_inputs(self) -> list[Tensor]:
        """The captured tensors of the outer graph."""
        return list(self.captured)

    @property
    def extra_args(self) -> list[Tensor]:
        """The placeholders that stand in this body for captured tensors."""
        return list(self.captured.values())

    @property
    def external_captures(self) -> list[Tensor]:
        """The captured tensors of the outer graph."""
        return list(self.captured)

    @property
    def internal_captures(self) -> list[Tensor]:
        """The placeholders that stand in this body for captured tensors."""
        return list(self.captured.values())

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """(outer tensor, its placeholder) of each captured tensor."""
        return list(self.captured.items())

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """The tensor that stands for `tensor` in this body: itself if it is of this graph.

        `name` is not used: the placeholder of an outer tensor has its name.
        """
        del name
        return tensor if tensor.graph is self else self._capture(tensor)

    def colocate_with(
        self, op: Operation | TensorLike, ignore_existing: bool = False
    ) -> contextlib.AbstractContextManager[None]:
        """As a graph's; an operation outside of the function has no say in it."""
        other = getattr(op, "op", op)
        if isinstance(other, Operation) and other.graph is not self:
            return contextlib.nullcontext()
        return super().colocate_with(op, ignore_existing)

    def add_argument(
        self, dtype: DTypeLike, name: str | None, shape: ShapeLike | None = None
    ) -> Tensor:
        """A Placeholder for a declared argument."""
        argument = self._placeholder(dtypes.as_dtype(dtype), name, shape)
        self.inputs.append(argument)
        return argument

    def _placeholder(self, dtype: dtypes.DType, name: str | None, shape: Any) -> Tensor:
        scope, self._scope = self._scope, ""
        controllers = self._control_dependencies_stack
        self._control_dependencies_stack = []
        context = self._get_control_flow_context()
        self._set_control_flow_context(None)
        try:
            attrs: dict[str, Any] = {"dtype": dtype.base_dtype}
            if shape is not None:
                attrs["shape"] = shape
            op = _pywrap.create_op(self, "Placeholder", [], name or "arg", attrs)
        finally:
            self._scope = scope
            self._control_dependencies_stack = controllers
            self._set_control_flow_context(context)
        return op.outputs[0]

    def _capture(self, tensor: Tensor) -> Tensor:
        """Returns the tensor that stands in this graph for a tensor of another one.  The core calls this."""
        found = self.captured.get(tensor)
        if found is not None:
            return found
        outer: Any = self._outer_graph
        source = tensor
        if outer is not None and tensor.graph is not outer:
            if not outer._captures:
                raise ValueError(
                    f"{tensor!r} is neither of this function nor of the graph around it."
                )
            source = outer._capture(tensor)
            if source in self.captured:
                return self.captured[source]
        if self._capture_by_value:
            return self._copy_in(tensor.op, []).outputs[tensor.value_index]
        argument = self._placeholder(
            source.dtype.base_dtype, source.op.name.split("/")[-1], source.shape
        )
        data = getattr(source, "_handle_data", None)
        if data is not None:
            setattr(argument, "_handle_data", data)
        self.captured[source] = argument
        return argument

    def _copy_in(self, op: Operation, users: list[Operation]) -> Operation:
        """A copy of an outer operation, and of all that it needs; `users` lead to it."""
        found = self._copies.get(op)
        if found is not None:
            return found
        if _has_state(op):
            raise CaptureError(op, users)
        users = [*users, op]
        inputs = [
            self.captured[t]
            if t in self.captured
            else self._copy_in(t.op, users).outputs[t.value_index]
            for t in op.inputs
        ]
        before = [self._copy_in(c, users) for c in op.control_inputs]
        node = op.node_def
        scope, self._scope = self._scope, ""
        try:
            with self.control_dependencies(before):
                copy = _pywrap.create_op(
                    self, op.type, inputs, op.name, {k: node.attr[k] for k in node.attr}
                )
        finally:
            self._scope = scope
        self._copies[op] = copy
        return copy


# They count as stateful, so that none is left out or merged; a copy does what they do.
_COPIED = ("Assert", "MatchingFiles")


def _has_state(op: Operation) -> bool:
    """Says whether a copy of the operation would behave differently; that of a dataset would not."""
    makes_dataset = bool(op.outputs) and all(
        t.dtype.base_dtype == dtypes.variant for t in op.outputs
    )
    return op.op_def.is_stateful and not makes_dataset and op.type not in _COPIED


def current_function_graph() -> FuncGraph | None:
    """The default graph, if it is a function's body."""
    graph = _pywrap.get_default_graph()
    return graph if isinstance(graph, FuncGraph) else None
