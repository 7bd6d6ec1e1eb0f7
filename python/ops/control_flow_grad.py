# SPDX-License-Identifier: Apache-2.0
"""Gradients through tf.cond: a Merge backwards is a Switch, a Switch backwards is a Merge."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, control_flow_ops


@ops.RegisterGradient("Switch")
@ops.RegisterGradient("RefSwitch")
def _switch_grad(op: Any, *grads: Any) -> Any:
    """The g of the branch that was taken; zeros if that branch does not use the value."""
    false_grad, true_grad = grads
    if false_grad is None and true_grad is None:
        return None, None
    if false_grad is None or true_grad is None:
        # Zeros that exist only when the other branch ran: made from the Switch's own output.
        index = 0 if false_grad is None else 1
        zeros = array_ops.zeros_like(_taken(op, index))
        if index == 0:
            false_grad = zeros
        else:
            true_grad = zeros
    return control_flow_ops.merge([false_grad, true_grad])[0], None


def _taken(op: Any, index: int) -> Any:
    """A tensor that is alive only if branch `index` (0: false, 1: true) was taken."""
    return control_flow_ops.switch(op.inputs[0], op.inputs[1])[index]


@ops.RegisterGradient("Merge")
@ops.RegisterGradient("RefMerge")
def _merge_grad(op: Any, grad: Any, unused_index_grad: Any) -> Any:
    """g to the branch that was taken."""
    context = op.inputs[0].op._get_control_flow_context()
    pred = getattr(context, "pred", None)
    if pred is None:
        raise LookupError(
            f"No gradient defined for operation '{op.name}': it does not merge the branches of a tf.cond"
        )
    return control_flow_ops.switch(grad, pred)


for _name in ("ControlTrigger", "NoOp", "Abort"):
    ops.NotDifferentiable(_name)
