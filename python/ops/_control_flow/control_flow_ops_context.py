# SPDX-License-Identifier: Apache-2.0
"""ControlFlowContext: the context of operations inside a branch or a loop body.

While a context is entered, the graph tells it of every operation that is added
(`AddOp`).  The context replaces inputs from outside by ops that bring them inside (a
Switch for a branch, an Enter for a loop).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorwright.core.protobuf.control_flow_pb2 import (
        CondContextDef,
        WhileContextDef,
    )
    from tensorwright.python.ops._control_flow.control_flow_ops_while_context import (
        WhileContext,
    )
    from tensorwright.python.ops._control_flow.control_flow_state_loop import (
        GradLoopState,
    )


_EXITS = ("Exit", "RefExit")
_SWITCHES = ("Switch", "RefSwitch")
_ENTERS = ("Enter", "RefEnter")


def is_switch(op: ops.Operation) -> bool:
    return op.type in _SWITCHES


def is_loop_exit(op: ops.Operation) -> bool:
    return op.type in _EXITS


def is_loop_switch(op: ops.Operation) -> bool:
    """Whether `op` is the Switch of a loop variable, which has a gradient of its own."""
    return is_switch(op) and is_loop_merge(op.inputs[0].op)


def is_loop_merge(op: ops.Operation) -> bool:
    """Whether `op` is the Merge of a loop variable."""
    if op.type not in ("Merge", "RefMerge"):
        return False
    context = op._get_control_flow_context()
    return (
        context is not None
        and context.IsWhileContext()
        and op.inputs[0].op.type in _ENTERS
    )


def loop_constant_enter(value: ops.Tensor) -> ops.Operation | None:
    """The Enter of a loop invariant that `value` is, through identities; else None."""
    op = value.op
    while op.type in ("Switch", "Identity", "RefIdentity", "RefSwitch"):
        op = op.inputs[0].op
    if op.type in _ENTERS and op.get_attr("is_constant"):
        return op
    return None


def output_context(op: ops.Operation) -> ControlFlowContext | None:
    """The context that the outputs of `op` belong to: an Exit's is outside its loop."""
    context = op._get_control_flow_context()
    if context is not None and is_loop_exit(op):
        context = context.outer_context
    return context


def while_context_of(op: ops.Operation) -> WhileContext | None:
    """The innermost loop around `op`, or None."""
    context = op._get_control_flow_context()
    return None if context is None else context.GetWhileContext()


class ControlFlowContext:
    """Base class of CondContext and WhileContext.

    `_values` are the tensors that can be used inside as they are; `_external_values` maps
    tensors from outside to their counterparts inside.
    """

    def __init__(self) -> None:
        self._outer_context = ops.get_default_graph()._get_control_flow_context()
        self._context_stack: list = []
        self._nested_contexts: list[ControlFlowContext] = []
        self._values: set[ops.Tensor] = set()
        self._external_values: dict[ops.Tensor, ops.Tensor] = {}
        self._name = ""

    @property
    def name(self) -> str:
        return self._name

    @property
    def outer_context(self) -> ControlFlowContext | None:
        return self._outer_context

    @property
    def grad_state(self) -> GradLoopState | None:
        """The state of a gradient's loop, which knows the forward loop; None for any other context."""
        raise NotImplementedError("Abstract method")

    @property
    def back_prop(self) -> bool:
        raise NotImplementedError("Abstract method")

    def GetWhileContext(self) -> WhileContext | None:
        """The innermost loop that this is or is in."""
        if self._outer_context is not None:
            return self._outer_context.GetWhileContext()
        return None

    def GetControlPivot(self) -> ops.Tensor | None:
        """A tensor that is alive exactly when the context runs."""
        return None

    def IsWhileContext(self) -> bool:
        return False

    def IsCondContext(self) -> bool:
        return False

    def IsXLAContext(self) -> bool:
        return False

    def Enter(self) -> None:
        """Makes the graph add operations to this context from now on."""
        graph = ops.get_default_graph()
        self._context_stack.append(graph._get_control_flow_context())
        graph._set_control_flow_context(self)

    def Exit(self) -> None:
        """Goes back to the context before `Enter`."""
        graph = ops.get_default_graph()
        graph._set_control_flow_context(self._context_stack.pop())

    def __enter__(self) -> ControlFlowContext:
        self.Enter()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.Exit()

    def CheckUse(
        self,
        name: str,
        op_type: str,
        input_op: ops.Operation,
        user: ControlFlowContext | None,
    ) -> None:
        """Raises ValueError unless an operation in `user` may use `input_op`, which is in this context.

        Only the iterations of a loop, and its gradient, may use the loop's tensors.  Operations outside a conditional
        may use its tensors, which are dead if the other branch ran.
        """
        made_in = output_context(input_op)
        loop = None if made_in is None else made_in.GetWhileContext()
        if loop is None:
            return
        using = None if user is None else user.GetWhileContext()
        if using is None:
            # While a loop is built, its first and last ops are made outside.
            if op_type not in (*_ENTERS, *_SWITCHES):
                raise ValueError(
                    f"Cannot use '{input_op.name}' as input to '{name}' because "
                    f"'{input_op.name}' is in a while loop. Only what tf.while_loop "
                    "returns can be used outside."
                )
            return
        if using._is_inside(loop):
            return
        state = using.grad_state
        if state is not None:
            forward = state.forward_context
            if forward._is_inside(loop) or loop.outer_context is forward:
                return
        raise ValueError(
            f"Cannot use '{input_op.name}' as input to '{name}' because they are in "
            "different while loops."
        )

    def _is_inside(self, other: ControlFlowContext) -> bool:
        """Whether this context is `other` or inside it."""
        context: ControlFlowContext | None = self
        while context is not None:
            if context is other:
                return True
            context = context.outer_context
        return False

    def _join_outer(self) -> None:
        """Makes the context around this one know it, for `to_proto`."""
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)

    def AddValue(self, val: ops.Tensor) -> ops.Tensor:
        """Returns the tensor that stands for `val` inside this context."""
        raise NotImplementedError("Abstract method")

    def AddOp(self, op: ops.Operation) -> None:
        """Takes a new operation into the context."""
        raise NotImplementedError("Abstract method")

    def own(self, *tensors: ops.Tensor | ops.IndexedSlices | None) -> None:
        """Makes tensors (or IndexedSlices) values of this context."""
        for value in tensors:
            if isinstance(value, ops.IndexedSlices):
                self.own(value.values, value.indices)
                if value.dense_shape is not None:
                    self.own(value.dense_shape)
            elif value is not None:
                self._values.add(value)

    def ExitResult(
        self, result: Iterable[ops.Tensor | ops.IndexedSlices | None]
    ) -> None:
        """Tells the context outside of the results it gets."""
        if self._outer_context is not None:
            self._outer_context.own(*result)

    def _contains(self, op: ops.Operation) -> bool:
        """Whether the outputs of `op` belong to this context or one inside it."""
        context = output_context(op)
        while context is not None:
            if context is self:
                return True
            context = context.outer_context
        return False

    def _may_wait_for(self, op: ops.Operation) -> bool:
        """Whether a control edge from `op` may lead into this context."""
        return self._contains(op)

    def _drop_external_controls(self, op: ops.Operation) -> tuple[list, list]:
        """Removes control inputs from outside; (those kept, those removed)."""
        inputs = op.control_inputs
        kept = [c for c in inputs if self._may_wait_for(c)]
        dropped = [c for c in inputs if c not in kept]
        if dropped:
            op._remove_all_control_inputs()
            op._add_control_inputs(kept)
        return kept, dropped

    def _wait_for(self, op: ops.Operation, external: list) -> None:
        """Makes `op` wait for operations outside, through identities inside."""
        if not external:
            return
        with ops.control_dependencies(None), self:
            inside = [
                array_ops.identity(x.outputs[0]).op for x in external if x.outputs
            ]
        op._add_control_inputs(inside)

    def _hide(self, op: ops.Operation) -> None:
        """Keeps runs from fetching or feeding tensors of this context."""
        if self._outer_context is None and is_loop_exit(op):
            return
        op.graph.prevent_fetching(op)
        for output in op.outputs:
            op.graph.prevent_feeding(output)


def nested_from_proto(
    context: ControlFlowContext,
    context_def: CondContextDef | WhileContextDef,
    import_scope: str | None,
) -> None:
    """Reads the contexts inside a context."""
    with context:
        for nested in context_def.nested_contexts:
            kind = nested.WhichOneof("ctxt")
            if kind is None:
                raise ValueError(f"A context inside {context.name} is of no known kind")
            _CLASSES[kind].from_proto(getattr(nested, kind), import_scope)


@contextlib.contextmanager
def outside_of(context: ControlFlowContext) -> Iterator[None]:
    """Leaves a context that operations are added to, and enters it again, whatever happens between."""
    context.Exit()
    try:
        yield
    finally:
        context.Enter()


def inside(
    context: ControlFlowContext | None,
) -> contextlib.nullcontext[None] | ControlFlowContext:
    """`with inside(context)`: operations are added to a context; to the present one if it is None."""
    return contextlib.nullcontext() if context is None else context


# Field of a ControlFlowContextDef -> class.  Each class adds itself.
_CLASSES: dict[str, Any] = {}


def add_class(field: str, context_class: type[ControlFlowContext]) -> None:
    """Says which class a field of a ControlFlowContextDef is read as."""
    _CLASSES[field] = context_class


class XLAControlFlowContext(ControlFlowContext):
    """Base class of contexts that mark operations for one compilation, as programs that ask for XLA derive them.

    Operations inside take their tensors as they are.  This package enters no such context by itself.
    """

    def __init__(self) -> None:
        super().__init__()
        self._name = "XLAControlFlowContext"

    @property
    def grad_state(self) -> GradLoopState | None:
        return None

    @property
    def back_prop(self) -> bool:
        """As in the context around this one."""
        return self._outer_context is not None and self._outer_context.back_prop

    def IsXLAContext(self) -> bool:
        return True

    def AddValue(self, val: ops.Tensor) -> ops.Tensor:
        """Returns `val`, as the context around this one gives it."""
        return val if self._outer_context is None else self._outer_context.AddValue(val)

    def AddOp(self, op: ops.Operation) -> None:
        """Takes a new operation into the context and the one around it."""
        if self._outer_context is not None:
            self._outer_context.AddOp(op)

    def to_control_flow_context_def(
        self, context_def: object, export_scope: str | None = None
    ) -> None:
        """Writes nothing: meta graphs do not have such contexts."""
