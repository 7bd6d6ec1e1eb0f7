# SPDX-License-Identifier: Apache-2.0
"""Control flow: cond, case, while_loop, group, ...  A facade of control_flow_ops_*.py."""

from __future__ import annotations

from tensorwright.python.ops._control_flow.control_flow_ops_basic import (
    Assert as Assert,
    enter as enter,
    exit as exit,
    group as group,
    identity as identity,
    loop_cond as loop_cond,
    merge as merge,
    next_iteration as next_iteration,
    no_op as no_op,
    ref_switch as ref_switch,
    switch as switch,
    switch_ref_or_tensor as switch_ref_or_tensor,
    tuple as tuple,
    with_dependencies as with_dependencies,
)
from tensorwright.python.ops._control_flow.control_flow_ops_cond import (
    CondContext as CondContext,
    case as case,
    cond as cond,
    switch_case as switch_case,
)
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    ControlFlowContext as ControlFlowContext,
    XLAControlFlowContext as XLAControlFlowContext,
)
from tensorwright.python.ops._control_flow.control_flow_ops_while import (
    WhileContext as WhileContext,
    while_loop as while_loop,
)
from tensorwright.python.ops.gen_control_flow_ops import ref_select as ref_select

__all__ = [
    "Assert",
    "CondContext",
    "ControlFlowContext",
    "WhileContext",
    "XLAControlFlowContext",
    "case",
    "cond",
    "enter",
    "exit",
    "group",
    "identity",
    "loop_cond",
    "merge",
    "next_iteration",
    "no_op",
    "ref_select",
    "ref_switch",
    "switch",
    "switch_case",
    "switch_ref_or_tensor",
    "tuple",
    "while_loop",
    "with_dependencies",
]
