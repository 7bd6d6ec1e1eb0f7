# SPDX-License-Identifier: Apache-2.0
"""Ops on variables: none has a gradient; a variable's reads do."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in (
    "Assign",
    "AssignAdd",
    "AssignSub",
    "ScatterAdd",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNdAdd",
    "ScatterNdMax",
    "ScatterNdMin",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "ResourceCountUpTo",
    "ResourceScatterNdAdd",
    "ResourceScatterNdMax",
    "ResourceScatterNdMin",
    "ResourceScatterNdSub",
    "ResourceScatterNdUpdate",
    "IsVariableInitialized",
    "CountUpTo",
    "TemporaryVariable",
    "DestroyTemporaryVariable",
    "Variable",
    "VariableV2",
):
    ops.NotDifferentiable(_name)
