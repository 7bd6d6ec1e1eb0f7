# SPDX-License-Identifier: Apache-2.0
"""Variables behind handles: a read passes g on to the handle, nothing else has one."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops


@ops.RegisterGradient("ReadVariableOp")
def _read_variable_grad(op: ops.Operation, grad: Any) -> Any:
    """g."""
    del op
    return grad


for _name in ("AssignVariableOp", "VarHandleOp", "VarIsInitializedOp"):
    ops.NotDifferentiable(_name)
