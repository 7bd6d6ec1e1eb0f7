# SPDX-License-Identifier: Apache-2.0
"""Explains why a checkpoint does not fit a graph, for the error of a restore."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import errors, tensor_shape, tensor_util
from tensorwright.python.util import compat

# Ops that set a variable, or look at the value before it is set.
_SETTERS = ("Assign", "AssignVariableOp", "EnsureShape")
_RESTORES = ("Restore", "RestoreSlice", "RestoreV2")
_PASS_ON = ("EnsureShape", "Identity", "Reshape")


def explanation(path: str, error: errors.OpError) -> str:
    """The message of a restore from `path` that failed with `error`."""
    begin = "Restoring from checkpoint failed"
    if f"{path}.data-" in error.message:
        # A file is missing: the names and shapes may be right.
        return f"{begin}: {error.message}"
    different = _other_shape(path, error.op)
    if path not in error.message:
        begin = f"Restoring from checkpoint {path} failed"
    if different is not None:
        # An Assign says this too, in words that programs may look for; the other ops would repeat it.
        more = f"  {error.message}" if error.op.type == "Assign" else ""
        return f"{begin}: {different}.{more}"
    return (
        f"{begin}; does this graph have the variables, names and shapes it was saved "
        f"with?  {error.message}"
    )


def _other_shape(path: str, op: Any) -> str | None:
    """Finds the tensor whose shape differs from its variable's; None if something else failed."""
    if op is None or op.type not in _SETTERS:
        return None
    value = op.inputs[0 if op.type == "EnsureShape" else 1]
    while value.op.type in _PASS_ON:
        value = value.op.inputs[0]
    if value.op.type not in _RESTORES:
        return None
    names = tensor_util.constant_value(value.op.inputs[1])
    if names is None:
        return None
    name = compat.as_text(np.atleast_1d(names).item(value.value_index))
    there = _shape_in(path, name)
    here = (
        tensor_shape.TensorShape(op.get_attr("shape"))
        if op.type == "EnsureShape"
        else op.inputs[0].shape
    )
    # A part of a variable is a part of the tensor, too.
    if there is None or here.is_compatible_with(there):
        return None
    return (
        f"tensor {name!r} has shape {there} in the checkpoint, and its variable has "
        f"shape {here.as_list()}"
    )


def _shape_in(path: str, name: str) -> list[int] | None:
    try:
        return list(_pywrap.CheckpointReader(path).shapes()[name])
    except (KeyError, errors.OpError):
        return None
