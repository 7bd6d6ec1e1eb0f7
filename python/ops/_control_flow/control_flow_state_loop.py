# SPDX-License-Identifier: Apache-2.0
"""GradLoopState: the state of the gradient of one while loop, with its counters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, ops, tensor_util
from tensorwright.python.ops import (
    array_ops,
    gen_control_flow_ops,
    gen_data_flow_ops,
    gen_math_ops,
)
from tensorwright.python.ops._control_flow import control_flow_ops_basic as basic
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    inside,
    loop_constant_enter,
    output_context,
    outside_of,
)
from tensorwright.python.ops._control_flow.control_flow_ops_while import (
    WhileContext,
    add_back_edge,
)
from tensorwright.python.ops._resource_variable import (
    resource_variable_ops_handle as handles,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._control_flow.control_flow_ops_cond import CondContext
    from tensorwright.python.ops._control_flow.control_flow_ops_context import (
        ControlFlowContext,
    )


def _static_zeros(value: ops.Tensor) -> ops.Tensor | None:
    """Zeros in the shape of `value` if that is known."""
    shape = value.get_shape()
    if not shape.is_fully_defined():
        return None
    return array_ops.zeros(shape.as_list(), value.dtype.base_dtype)


class GradLoopState:
    """The gradient's loop of one forward loop."""

    def __init__(
        self,
        forward_context: WhileContext,
        outer: GradLoopState | None,
        home: ControlFlowContext | None,
    ):
        self.forward_context = forward_context
        # The context that tf.gradients was called in: stacks are made there.
        self._home = home
        self.outer_grad_state = outer
        # Forward tensors -> their counterparts in the gradient's loop.
        self.history_map: dict[ops.Tensor, ops.Tensor] = {}
        # Switch ops of loop variables -> the Merge of their gradients.
        self.switch_map: dict[ops.Operation, ops.Tensor] = {}
        # Exits whose gradients wait for those of the loop's other exits.
        self.deferred_exits: list = []
        self.unused_exits: list = []
        self.forward_loop_exits = list(forward_context.loop_exits)
        self.pending_exits_count = len(self.forward_loop_exits)
        self._forward_sync: ops.Operation | None = None
        self._grad_sync: ops.Operation | None = None

        around = forward_context.outer_context
        with inside(around):
            iterations, self.forward_index = _count_iterations(forward_context, outer)
        if outer is not None:
            # The count of this loop differs with every iteration of the outer one.
            history = outer.push(iterations)
        with inside(around if outer is None else outer.grad_context):
            if outer is not None:
                iterations = outer.pop(history, iterations)
            self.grad_context = WhileContext(
                parallel_iterations=forward_context.parallel_iterations,
                back_prop=forward_context.back_prop,
                swap_memory=forward_context.swap_memory,
                name=forward_context.name,
                grad_state=self,
            )
            self.grad_index = _count_down(self.grad_context, iterations, outer)

    @property
    def forward_sync(self) -> ops.Operation:
        """Done when all pushes of a forward iteration are."""
        if self._forward_sync is None:
            self._forward_sync = _sync(self.forward_index, "f_sync")
        return self._forward_sync

    @property
    def grad_sync(self) -> ops.Operation:
        """Done when all pops of a backward iteration are."""
        if self._grad_sync is None:
            self._grad_sync = _sync(self.grad_index, "b_sync")
        return self._grad_sync

    # --- Recalling forward values --------------------------------------------------

    def push(self, value: ops.Tensor) -> ops.Tensor:
        """Makes the forward loop record `value`; the stack, outside of the loop."""
        forward = self.forward_context
        with ops.control_dependencies(None):
            with inside(self._home), ops.colocate_with(value):
                stack = gen_data_flow_ops._stack(
                    elem_type=value.dtype.base_dtype, name="f_acc"
                )
            entered = forward.AddValue(stack)
            context = output_context(value.op)
            if context is forward:
                with forward, ops.colocate_with(value):
                    pushed = gen_data_flow_ops._stack_push(
                        entered, value, swap_memory=forward.swap_memory
                    )
                # The next iteration may push only after this one.
                self.forward_index.op._add_control_input(pushed.op)
            else:
                # In a branch of the loop's body, the value is pushed only if the branch runs.
                if context is None or not context.IsCondContext():
                    raise TypeError(f"{value} is in an unknown context: {context}")
                with context:
                    pushed = gen_data_flow_ops._stack_push(
                        entered, value, swap_memory=forward.swap_memory
                    )
                # A trigger runs even if a control input of it is dead.
                self.forward_sync._add_control_input(pushed.op)
            # And it may do so only after the one before, however early its value is
            # there: the count of an iteration comes after the pushes of the last.
            pushed.op._add_control_input(self.forward_index.op.inputs[0].op)
        return stack

    def pop(self, history: ops.Tensor, value: ops.Tensor) -> ops.Tensor:
        """Pops, in the gradient's loop, the value that an iteration pushed for `value`."""
        history_context = history.op._get_control_flow_context()
        branch_context = None
        context = value.op._get_control_flow_context()
        while context is not None and context is not history_context:
            if context.IsCondContext():
                branch_context = context
                break
            context = context.outer_context
        with ops.control_dependencies(None), self.grad_context:
            if branch_context is not None:
                # Popped only where it was pushed: guarded by the recorded predicate.
                pred = self._recorded_pred(branch_context)
                history = basic.switch_ref_or_tensor(history, pred)[
                    branch_context.branch
                ]
            popped = gen_data_flow_ops._stack_pop(
                history, elem_type=value.dtype.base_dtype
            )
            popped.set_shape(value.get_shape())
        self.grad_sync._add_control_input(popped.op)
        return popped

    def _recorded_pred(self, context: Any) -> ops.Tensor:
        state: GradLoopState | None = self
        while state is not None:
            if context.pred in state.history_map:
                return state.history_map[context.pred]
            state = state.outer_grad_state
        return context.pred

    def recorded_pred(self, context: CondContext) -> ops.Tensor:
        """The predicate of a forward cond, recorded if it was not yet."""
        if context.pred not in self.history_map:
            history = self.push(context.pred)
            self.history_map[context.pred] = self.pop(history, context.pred)
        return self.history_map[context.pred]

    def real_value(self, value: ops.Tensor) -> ops.Tensor:
        """Returns the tensor that stands for a forward tensor in the gradient's loop."""
        if value in self.history_map:
            return self.history_map[value]
        current = value
        state: GradLoopState | None = self
        real = None
        while real is None:
            assert state is not None
            invariant = loop_constant_enter(current)
            if invariant is not None:
                # The same in all iterations: take it from outside of the loop.
                current = invariant.inputs[0]
                state = state.outer_grad_state
                if state is None:
                    real = self.grad_context.AddValue(current)
            elif current.op.type == "Const":
                real = constant_op.constant(
                    tensor_util.constant_value(current), current.dtype.base_dtype
                )
            else:
                real = state.pop(state.push(current), current)
                if state is not self:
                    real = self.grad_context.AddValue(real)
        self.history_map[value] = real
        return real

    # --- Gradients of loop invariants ------------------------------------------------

    def accumulate(self, enter: ops.Operation, grad: Any) -> Any:
        """The sum over all iterations of the gradient of a loop invariant."""
        if isinstance(grad, ops.IndexedSlices):
            return self._accumulate_slices(enter, grad)
        context = self.grad_context
        value = enter.inputs[0]
        with outside_of(context), inside(context.outer_context):
            if handles.is_handle(value):
                zeros = handles.zeros_like(value)
            else:
                zeros = _static_zeros(value)
            if zeros is None:
                shape = self._outside_shape(value)
                zeros = array_ops.zeros(shape, grad.dtype.base_dtype)
                zeros.set_shape(grad.get_shape())
        context.own(zeros)
        return self._running([zeros], lambda old: [gen_math_ops.add(old[0], grad)])[0]

    def _outside_shape(self, value: ops.Tensor) -> ops.Tensor:
        """The shape of a forward value, where the gradient's loop starts."""
        outer = self.outer_grad_state
        if outer is None:
            return array_ops.shape_internal(value, optimize=False)
        with outside_of(outer.grad_context):
            around = self.forward_context.outer_context
            assert around is not None  # As `outer` is there.
            with around:
                shape = array_ops.shape_internal(value, optimize=False)
            history = outer.push(shape)
        return outer.pop(history, shape)

    def _accumulate_slices(
        self, enter: ops.Operation, grad: ops.IndexedSlices
    ) -> ops.IndexedSlices:
        context = self.grad_context
        with outside_of(context), inside(context.outer_context):
            # Starts with no rows at all.
            row = _outside_value_shape(enter)[1:]
            dims = array_ops.concat([[0], row], 0)
            values = array_ops.zeros(dims, grad.values.dtype.base_dtype)
            indices = array_ops.zeros([0], grad.indices.dtype.base_dtype)
        context.own(values, indices)
        values, indices = self._running(
            [values, indices],
            lambda old: [
                array_ops.concat([old[0], grad.values], 0),
                array_ops.concat([old[1], grad.indices], 0),
            ],
            fixed_shape=False,
        )
        return ops.IndexedSlices(
            values, indices, self._outside_dense_shape(grad, enter)
        )

    def _outside_dense_shape(self, grad: Any, enter: ops.Operation) -> Any:
        if grad.dense_shape is None:
            return None
        with outside_of(self.grad_context):
            return _outside_value_shape(enter)

    def _running(self, start: list, step: Any, fixed_shape: bool = True) -> list:
        """Loop variables of the gradient's loop that start at `start`."""
        context = self.grad_context
        results, _ = _add_loop_variables(
            context, start, step, "b_acc", merge_name="b_acc", fixed_shape=fixed_shape
        )
        context.ExitResult(results)
        return results


def _add_loop_variables(
    context: WhileContext,
    start: list[ops.Tensor],
    step: Callable[[list[ops.Tensor]], list[ops.Tensor]],
    name: str,
    merge_name: str | None = None,
    fixed_shape: bool = True,
    control: Callable[[list[ops.Tensor]], None] | None = None,
) -> tuple[list[ops.Tensor], list[ops.Tensor]]:
    """Adds variables to the loop of `context`, which has been entered.

    They begin as `start`; `step` maps those of an iteration to those of the next; `control`, for a loop that has no
    condition yet, makes it of the variables.  Returns their values at the end, and those that go back.
    """
    entered = [
        basic.enter(
            x,
            context.frame_name,
            is_constant=False,
            parallel_iterations=context.parallel_iterations,
            use_input_shape=fixed_shape,
            name=name,
        )
        for x in start
    ]
    context.loop_enters.extend(entered)
    merged = [basic.merge([x, x], name=merge_name)[0] for x in entered]
    if control is not None:
        control(merged)
    switched = [basic.switch(x, context.pivot) for x in merged]
    following = [
        add_back_edge(m, x, check_shape=False)
        for m, x in zip(merged, step([x[1] for x in switched]), strict=True)
    ]
    results = [basic.exit(x[0], name=name) for x in switched]
    context.loop_exits.extend(results)
    return results, following


def _outside_value_shape(enter: ops.Operation) -> ops.Tensor:
    """Returns the shape of a loop invariant or, if it is a handle, of the handle's variable."""
    value = enter.inputs[0]
    if handles.is_handle(value):
        return handles.variable_shape(value)
    return array_ops.shape_internal(value, optimize=False)


def _sync(index: ops.Tensor, name: str) -> ops.Operation:
    """A trigger in the context of a loop's count, which waits for it."""
    with ops.control_dependencies(None):
        sync = gen_control_flow_ops.control_trigger(name=name)
    sync._set_control_flow_context(index.op._get_control_flow_context())
    index.op._add_control_input(sync)
    return sync


def _count_iterations(
    context: WhileContext, outer: GradLoopState | None
) -> tuple[ops.Tensor, ops.Tensor]:
    """Adds a count of iterations to a forward loop: (at its end, for the next one)."""
    n = constant_op.constant(0, name="f_count")
    if outer is not None:
        # The count keeps in step with the outer loop, so that its pushes stay in order.
        n.op._add_control_input(outer.forward_index.op.inputs[0].op)
    with context:
        context.own(n)
        (total,), (following,) = _add_loop_variables(
            context, [n], lambda x: [gen_math_ops.add(x[0], 1)], "f_count"
        )
        context.ExitResult([total])
    return total, following


def _count_down(
    context: WhileContext, count: ops.Tensor, outer: GradLoopState | None
) -> ops.Tensor:
    """Builds the control of a gradient's loop, which runs `count` times; the
    count for its next iteration."""
    one = constant_op.constant(1, name="b_count")

    def control(merged: list[ops.Tensor]) -> None:
        context.set_pivots(pred=merged[0])
        more = gen_math_ops.greater_equal(merged[0], one)
        context.set_pivots(pivot=basic.loop_cond(more, name="b_count"))

    def step(left: list[ops.Tensor]) -> list[ops.Tensor]:
        index = gen_math_ops.sub(left[0], one)
        context.set_pivots(body=index)
        return [index]

    with context:
        context.own(count)
        (final,), (following,) = _add_loop_variables(
            context, [count], step, "b_count", control=control
        )
        if outer is not None:
            # The outer iteration is over only when this loop's pops are.
            outer.grad_sync._add_control_input(final.op)
        context.ExitResult([final])
    return following
