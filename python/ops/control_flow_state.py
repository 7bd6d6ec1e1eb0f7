# SPDX-License-Identifier: Apache-2.0
"""Gradients through loops: the gradient's loop, and the values that it recalls of the forward one.

The gradient of a loop is a loop that runs as many iterations, in reverse.  A value of
a forward iteration that it needs is pushed onto a stack by the forward loop and
popped in the backward iteration.  The forward loop counts its iterations; each push
is a control input of the count, each pop one of the backward count, so that pushes
and pops stay in order however many iterations are under way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    array_ops,
)
from tensorwright.python.ops._control_flow import control_flow_ops_basic as basic
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    inside,
    is_loop_exit,
    is_loop_switch,
    is_switch,
    while_context_of,
)
from tensorwright.python.ops._control_flow.control_flow_ops_while import (
    WhileContext,
)
from tensorwright.python.ops._control_flow.control_flow_state_loop import (
    GradLoopState,
    _static_zeros,
)
from tensorwright.python.ops._resource_variable import (
    resource_variable_ops_handle as handles,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class ControlFlowState:
    """The gradient's loops of all the forward loops that gradients go through."""

    def __init__(self) -> None:
        self._map: dict[WhileContext, GradLoopState] = {}
        self._home = ops.get_default_graph()._get_control_flow_context()

    def state_of(self, op: ops.Operation, before: bool) -> GradLoopState | None:
        """The state of the loop around `op`; for an Exit, `before` means its own loop's
        gradient has not begun: the loop outside."""
        if before and is_loop_exit(op):
            own = op._get_control_flow_context()
            if own is None:
                raise ValueError(
                    f"tf.gradients: {op.name!r} is the end of a loop that came with a "
                    "GraphDef, which does not say what belongs to the loop. Build the "
                    "loop in this program (tf.while_loop), or its gradient before the "
                    "graph is exported"
                )
            context = own.outer_context
            context = None if context is None else context.GetWhileContext()
        else:
            context = while_context_of(op)
        return None if context is None else self._map.get(context)

    def loop_of(
        self, op: ops.Operation, before: bool
    ) -> AbstractContextManager[object]:
        """`with loop_of(op, before)`: operations are added to the gradient's loop for `op`, if there is one."""
        state = self.state_of(op, before)
        return inside(None if state is None else state.grad_context)

    def add(self, op: ops.Operation, between: list, between_set: set) -> None:
        """Makes the state of the loop that has `op`, and adds its exits to `between`."""
        context = while_context_of(op)
        if context is None or context in self._map:
            return
        around = context.outer_context
        around = None if around is None else around.GetWhileContext()
        outer = None if around is None else self._map.get(around)
        state = GradLoopState(context, outer, self._home)
        self._map[context] = state
        for exit_tensor in state.forward_loop_exits:
            if exit_tensor.op not in between_set:
                between_set.add(exit_tensor.op)
                between.append(exit_tensor.op)

    def unused_exits(self, pending: dict, targets: set) -> list:
        """Exits that no gradient reaches; those to start from with zeros.

        Also makes sure that the Enter of each loop variable is waited for.
        """
        ready = []
        for state in self._map.values():
            for y in state.forward_loop_exits:
                if pending.get(y.op, 0) == 0:
                    state.pending_exits_count -= 1
                    if y.op not in targets:
                        state.unused_exits.append(y)
                    if state.pending_exits_count == 0:
                        ready.extend(state.unused_exits)
            for enter in state.forward_context.loop_enters:
                if pending.get(enter.op, 0) == 0:
                    pending[enter.op] = 1
        return ready

    def zeros_like(self, op: ops.Operation, index: int) -> ops.Tensor | None:
        """Zeros for an output of `op` that has no gradient."""
        if is_loop_switch(op):
            return None
        state = None
        context = while_context_of(op)
        if context is not None:
            state = self._map.get(context)
        if state is None:
            return zeros_like_outside_loop(op, index)
        dead_branch = is_switch(op)
        value = op.outputs[index]
        context = op._get_control_flow_context()
        if handles.is_handle(value):
            result = handles.zeros_like(value)
        else:
            result = _static_zeros(value)
        if result is not None:
            if dead_branch:
                # Alive where the other branch ran.
                pred = state.recorded_pred(context)
                result = basic.switch_ref_or_tensor(result, pred)[1 - context.branch]
            return result
        if dead_branch:
            state.recorded_pred(context)
            around = context.outer_context
            with around:
                shape = array_ops.shape_internal(op.inputs[0], optimize=False)
        else:
            with context:
                shape = array_ops.shape_internal(value, optimize=False)
        real_shape = state.pop(state.push(shape), shape)
        result = array_ops.zeros(real_shape, value.dtype.base_dtype)
        result.set_shape(value.get_shape())
        if dead_branch:
            pred = state.recorded_pred(context)
            result = basic.switch_ref_or_tensor(result, pred)[1 - context.branch]
        return result

    def zeros_like_exit(self, value: ops.Tensor) -> ops.Tensor:
        """Zeros for a loop variable whose final value has no gradient."""
        around = value.op._get_control_flow_context().outer_context
        around = None if around is None else around.GetWhileContext()
        outer = None if around is None else self._map.get(around)
        if around is None or outer is None:
            zeros = _static_zeros(value)
            if zeros is None:
                zeros = array_ops.zeros_like(value, optimize=False)
            return zeros
        if value.get_shape().is_fully_defined():
            with outer.grad_context:
                zeros = _static_zeros(value)
            assert zeros is not None
            return zeros
        with around:
            shape = array_ops.shape_internal(value, optimize=False)
        history = outer.push(shape)
        with outer.grad_context:
            return array_ops.zeros(outer.pop(history, shape), value.dtype.base_dtype)

    def finish(self) -> None:
        """Closes the loop of gradients that the body does not depend on: they are
        zero from the second iteration on."""
        for state in self._map.values():
            for merged in state.switch_map.values():
                first, second = merged.op.inputs
                if first is not second:
                    continue
                context = state.grad_context
                with context:
                    zeros = _static_zeros(first)
                if zeros is None:
                    outside = first.op.inputs[0]
                    with inside(context.outer_context):
                        zeros = array_ops.zeros(
                            array_ops.shape_internal(outside, optimize=False),
                            first.dtype.base_dtype,
                        )
                with context:
                    merged.op._update_input(1, basic.next_iteration(zeros))


def maybe_create_state(
    between: list[ops.Operation], between_set: set
) -> ControlFlowState | None:
    """A state if gradients go through a loop, else None.

    `between` are the operations between the xs and the ys.
    """
    state = None
    for op in list(between):
        if is_loop_exit(op):
            state = state or ControlFlowState()
            state.add(op, between, between_set)
    return state


def zeros_like_outside_loop(op: ops.Operation, index: int) -> ops.Tensor | None:
    """Zeros for an output of `op`; for a branch's Switch, alive if the branch is not; None for a handle without them."""
    value = op.outputs[index]
    context = op._get_control_flow_context()
    if not is_switch(op) or context is None:
        if handles.is_handle(value):
            return handles.zeros_like(value)
        return array_ops.zeros_like(value, optimize=False)
    other = basic.switch(op.inputs[0], context.pred)[1 - context.branch]
    alive = array_ops.identity(other)
    with ops.control_dependencies([alive]):
        if handles.is_handle(value):
            return handles.zeros_like(value)
        shape = array_ops.shape_internal(other, optimize=False)
        return array_ops.zeros(shape, dtype=value.dtype.base_dtype)
