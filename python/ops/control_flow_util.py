# SPDX-License-Identifier: Apache-2.0
"""Questions about operations and the loops and branches they are in, under TensorFlow's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    is_loop_exit,
    is_switch,
    loop_constant_enter,
    output_context,
    while_context_of,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._control_flow.control_flow_ops_context import (
        ControlFlowContext,
    )


# Loops and branches are Switch, Merge, Enter and Exit, which 2.x calls the first version of control flow.
ENABLE_CONTROL_FLOW_V2 = False


def EnableControlFlowV2(graph: ops.Graph) -> bool:
    """False: no graph has the functional form of loops and branches."""
    del graph
    return False


def IsInXLAContext(op: ops.Operation) -> bool:
    """True for an operation that was marked to be compiled, by its attribute `_XlaCompile` or its context."""
    try:
        if op.get_attr("_XlaCompile"):
            return True
    except ValueError:
        pass
    return GetContainingXLAContext(op._get_control_flow_context()) is not None


def InXlaContext(graph: ops.Graph) -> bool:
    """True while `graph` adds operations inside a context of compilation."""
    return GetContainingXLAContext(graph._get_control_flow_context()) is not None


def GraphOrParentsInXlaContext(graph: ops.Graph) -> bool:
    """True while `graph` or a graph around it, of a function, is inside a context of compilation."""
    at: ops.Graph | None = graph
    while at is not None:
        if InXlaContext(at):
            return True
        at = getattr(at, "outer_graph", None)
    return False


def IsInWhileLoop(op: ops.Operation) -> bool:
    """True for an operation of a loop's condition or body."""
    return GetContainingWhileContext(op._get_control_flow_context()) is not None


def IsInCond(op: ops.Operation) -> bool:
    """True for an operation of a cond's branch."""
    return GetContainingCondContext(op._get_control_flow_context()) is not None


def IsSwitch(op: ops.Operation) -> bool:
    """True for a Switch, also one of references."""
    return is_switch(op)


def IsMerge(op: ops.Operation) -> bool:
    """True for a Merge, also one of references."""
    return op.type in ("Merge", "RefMerge")


def IsLoopEnter(op: ops.Operation) -> bool:
    """True for an Enter, also one of references."""
    return op.type in ("Enter", "RefEnter")


def IsLoopExit(op: ops.Operation) -> bool:
    """True for an Exit, also one of references."""
    return is_loop_exit(op)


def IsCondSwitch(op: ops.Operation) -> bool:
    """True for a Switch whose outputs are used, and only in conds."""
    if not IsSwitch(op) or not op.outputs:
        return False
    # The Switch of a cond is in the outer context: only the users of its outputs show that it belongs to a cond.
    users = [user for output in op.outputs for user in output.consumers()]
    contexts = [
        _outer(user._get_control_flow_context()) if IsLoopEnter(user)
        else user._get_control_flow_context()
        for user in users
    ]  # fmt: skip
    return bool(users) and all(c is not None and c.IsCondContext() for c in contexts)


def IsCondMerge(op: ops.Operation) -> bool:
    """True for the Merge of a cond's result: it has inputs, and each is a branch's or a cond's Switch."""
    if not IsMerge(op) or not op.inputs:
        return False
    contexts = [GetOutputContext(value.op) for value in op.inputs]
    return all(
        context is not None and context.IsCondContext() or IsCondSwitch(value.op)
        for context, value in zip(contexts, op.inputs)
    )


def IsLoopSwitch(op: ops.Operation) -> bool:
    """True for the Switch of a loop's variable."""
    return IsSwitch(op) and _in_while(op) and not IsCondSwitch(op)


def IsLoopMerge(op: ops.Operation) -> bool:
    """True for the Merge of a loop's variable."""
    return IsMerge(op) and _in_while(op) and not IsCondMerge(op)


def IsLoopConstantEnter(op: ops.Operation) -> bool:
    """True for the Enter of a value that stays the same in all iterations."""
    return IsLoopEnter(op) and op.get_attr("is_constant")


def GetLoopConstantEnter(value: ops.Tensor) -> ops.Operation | None:
    """The Enter of a loop's constant that `value` is, through identities and switches; None for another value."""
    return loop_constant_enter(value)


def GetOutputContext(op: ops.Operation) -> ControlFlowContext | None:
    """The context of an operation's outputs: an Exit's are outside its loop."""
    return output_context(op)


def GetWhileContext(op: ops.Operation) -> ControlFlowContext | None:
    """The innermost loop around an operation, or None."""
    return while_context_of(op)


def GetContainingWhileContext(
    ctxt: ControlFlowContext | None, stop_ctxt: ControlFlowContext | None = None
) -> ControlFlowContext | None:
    """Returns the innermost loop that `ctxt` is or is inside; None if there is none before `stop_ctxt`."""
    while ctxt is not None:
        if ctxt.IsWhileContext() or ctxt is stop_ctxt:
            return ctxt
        ctxt = ctxt.outer_context
    return None


def GetContainingCondContext(
    ctxt: ControlFlowContext | None,
) -> ControlFlowContext | None:
    """The innermost branch that `ctxt` is or is in, or None."""
    while ctxt is not None:
        if ctxt.IsCondContext():
            return ctxt
        ctxt = ctxt.outer_context
    return None


def GetContainingXLAContext(
    ctxt: ControlFlowContext | None,
) -> ControlFlowContext | None:
    """The innermost context of compilation that `ctxt` is or is in, or None."""
    while ctxt is not None:
        if ctxt.IsXLAContext():
            return ctxt
        ctxt = ctxt.outer_context
    return None


def IsContainingContext(
    ctxt: ControlFlowContext | None, maybe_containing_ctxt: ControlFlowContext | None
) -> bool:
    """True if `maybe_containing_ctxt` is `ctxt` or around it."""
    while ctxt is not maybe_containing_ctxt:
        if ctxt is None:
            return False
        ctxt = ctxt.outer_context
    return True


def OpInContext(op: ops.Operation, ctxt: ControlFlowContext | None) -> bool:
    """True for an operation of `ctxt` or of a context in it."""
    return IsContainingContext(op._get_control_flow_context(), ctxt)


def TensorInContext(tensor: ops.Tensor, ctxt: ControlFlowContext | None) -> bool:
    """True for the output of an operation of `ctxt` or of a context in it."""
    return OpInContext(tensor.op, ctxt)


def CheckInputFromValidContext(op: ops.Operation, input_op: ops.Operation) -> None:
    """Raises ValueError if `input_op` is inside a loop and `op`, which takes an output of it, is not.

    An `input_op` in a branch, or in another iteration of a loop around both, is allowed.
    """
    taken_in = GetContainingWhileContext(GetOutputContext(input_op))
    if taken_in is None:
        return
    context = op._get_control_flow_context()
    while_context = GetContainingWhileContext(context)
    if IsContainingContext(while_context, taken_in):
        return
    # A gradient's loop takes values that the forward loop has pushed to its stack.
    if while_context is not None and while_context.grad_state is not None:
        if while_context.grad_state.forward_context is taken_in:
            return
    if while_context is None:
        raise ValueError(
            f"Cannot use '{input_op.name}' as input to '{op.name}' because "
            f"'{input_op.name}' is in a while loop. See info log for more details."
        )
    raise ValueError(
        f"Cannot use '{input_op.name}' as input to '{op.name}' because they are in "
        "different while loops. See info log for more details."
    )


def _outer(context: Any) -> Any:
    return None if context is None else context.outer_context


def _in_while(op: ops.Operation) -> bool:
    context = op._get_control_flow_context()
    return context is not None and context.IsWhileContext()
