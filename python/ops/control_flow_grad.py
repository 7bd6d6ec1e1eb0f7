# SPDX-License-Identifier: Apache-2.0
"""Gradients of the primitives of control flow: the reverse of a branch is its other primitive,
and the reverse of a loop is a loop."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.ops._control_flow import control_flow_ops_basic as basic
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    output_context,
)
from tensorwright.python.ops._control_flow.control_flow_ops_while import add_back_edge


def _current_context() -> Any:
    return ops.get_default_graph()._get_control_flow_context()


@ops.RegisterGradient("Switch")
@ops.RegisterGradient("RefSwitch")
def _switch_grad(op, *grad):
    """d data = merge(d output_false, d output_true); in a loop, the loop's Merge.

    The Switch of a loop variable is visited twice: through the Exit, when the value
    that the gradient's loop starts with comes, and through the body, when the value
    of the next iteration does.
    """
    context = op._get_control_flow_context()
    if context is not None and context.IsWhileContext():
        merges = _current_context().grad_state.switch_map
        if op in merges:
            if grad[1] is not None:
                add_back_edge(merges[op], grad[1], check_shape=False)
            return None, None
        if grad[0] is None:
            return None, None
        merges[op] = merged = basic.merge([grad[0], grad[0]], name="b_switch")[0]
        return merged, None
    if context is not None and context.IsCondContext():
        taken, other = grad[context.branch], grad[1 - context.branch]
        if other is None:
            return None, None
        return basic.merge([taken, other], name="cond_grad")[0], None
    false = basic.switch(grad[0], op.inputs[1])[0]
    true = basic.switch(grad[1], op.inputs[1])[1]
    return basic.merge([false, true])[0], None


@ops.RegisterGradient("Merge")
@ops.RegisterGradient("RefMerge")
def _merge_grad(op, grad, _):
    """d inputs[i] = d output where inputs[i] was the one, else dead."""
    context = output_context(op.inputs[0].op)
    inside = _current_context()
    if context is not None and context.IsWhileContext():
        return basic.switch(grad, inside.pivot)
    if context is not None and context.IsCondContext():
        pred = cast(Any, context).pred
        loop = None if inside is None else inside.GetWhileContext()
        if loop is not None and loop.grad_state is not None:
            pred = loop.grad_state.recorded_pred(context)
        return basic.switch_ref_or_tensor(grad, pred, name="cond_grad")
    return [
        basic.switch(grad, gen_math_ops.equal(op.outputs[1], i))[1]
        for i in range(len(op.inputs))
    ]


@ops.RegisterGradient("Exit")
@ops.RegisterGradient("RefExit")
def _exit_grad(op, grad):
    """d data: enters the gradient's loop.  TypeError for a second derivative."""
    loop = _current_context()
    if not loop.back_prop:
        return None
    if op._get_control_flow_context().grad_state is not None:
        raise TypeError(
            f"{op.name}: Second-order gradient: the gradient of a while loop has none"
        )
    loop.own(grad)
    with loop:
        result = basic.enter(
            grad,
            loop.frame_name,
            is_constant=False,
            parallel_iterations=loop.parallel_iterations,
            name="b_exit",
        )
    loop.loop_enters.append(result)
    return result


@ops.RegisterGradient("NextIteration")
@ops.RegisterGradient("RefNextIteration")
def _next_iteration_grad(_, grad):
    """d data = d output: the Switch's gradient closes the loop."""
    return grad


@ops.RegisterGradient("Enter")
@ops.RegisterGradient("RefEnter")
def _enter_grad(op, grad):
    """d data: leaves the gradient's loop; for a loop invariant, the sum over it."""
    loop = _current_context()
    if loop is None or not loop.back_prop or loop.grad_state is None:
        return grad
    if op.get_attr("is_constant"):
        return loop.grad_state.accumulate(op, grad)
    result = basic.exit(grad)
    loop.loop_exits.append(result)
    loop.ExitResult([result])
    return result


@ops.RegisterGradient("LoopCond")
def _loop_cond_grad(_):
    """A predicate has no gradient."""
    return
