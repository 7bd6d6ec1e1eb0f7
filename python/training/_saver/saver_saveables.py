# SPDX-License-Identifier: Apache-2.0
"""Saveable objects: tensors under names, and the ops that restore them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, state_ops, variables
from tensorwright.python.ops._io.saveable_object import SaveableObject, SaveSpec
from tensorwright.python.ops.gen_resource_variable_ops import (
    assign_variable_op,
    read_variable_op,
)

# Ops whose output is a variable.
_VARIABLE_OPS = {"Variable", "VariableV2", "AutoReloadVariable"}


class VariableSaveable(SaveableObject):
    """A variable of a reference type, or a part of one."""

    def __init__(self, var: Any, slice_spec: str, name: str):
        super().__init__(var, [SaveSpec(var, slice_spec, name)], name)

    def restore(
        self,
        restored_tensors: list[ops.Tensor],
        restored_shapes: Sequence[TensorLike] | None,
    ) -> ops.Operation | ops.Tensor:
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = array_ops.reshape(value, restored_shapes[0])
        known = self.op.get_shape().is_fully_defined()
        return state_ops.assign(
            self.op, value, validate_shape=restored_shapes is None and known
        )


class ResourceVariableSaveable(SaveableObject):
    """A variable behind a handle, or a part of one."""

    def __init__(self, var: Any, slice_spec: str, name: str):
        self.handle_op = handle = var if isinstance(var, ops.Tensor) else var.handle
        dtype = _handle_dtype(var)

        def read() -> ops.Tensor:
            with ops.device(handle.device):
                return read_variable_op(handle, dtype)

        super().__init__(
            var, [SaveSpec(read, slice_spec, name, dtype, handle.device)], name
        )

    def restore(
        self,
        restored_tensors: list[ops.Tensor],
        restored_shapes: Sequence[TensorLike] | None,
    ) -> ops.Operation | ops.Tensor:
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = array_ops.reshape(value, restored_shapes[0])
        with ops.device(self.handle_op.device):
            shape = _handle_shape(self.op)
            if restored_shapes is None and shape.ndims is not None:
                # The assignment takes any shape while the variable has no value yet.
                value = gen_array_ops.ensure_shape(value, shape)
            return assign_variable_op(self.handle_op, value)


def _handle_shape(var: Any) -> tensor_shape.TensorShape:
    handle = var if isinstance(var, ops.Tensor) else var.handle
    if not isinstance(var, ops.Tensor):
        return var.get_shape()
    if handle.op.type == "VarHandleOp":
        return tensor_shape.TensorShape(handle.op.get_attr("shape"))
    return tensor_shape.unknown_shape()


def _handle_dtype(var: Any) -> dtypes.DType:
    handle = var if isinstance(var, ops.Tensor) else var.handle
    if handle.op.type == "VarHandleOp":
        return dtypes.as_dtype(handle.op.get_attr("dtype"))
    return dtypes.as_dtype(var.dtype).base_dtype


def is_variable(value: TensorLike) -> bool:
    """Whether a tensor is the output of an op that holds a variable."""
    return isinstance(value, ops.Tensor) and (
        value.op.type in _VARIABLE_OPS or value.dtype == dtypes.resource
    )


def _has_handle(var: Any) -> bool:
    if isinstance(var, ops.Tensor):
        return var.dtype == dtypes.resource
    handle = getattr(var, "handle", None)
    return isinstance(handle, ops.Tensor)


def _slice_info(var: Any) -> Any:
    get = getattr(var, "_get_save_slice_info", None)
    return get() if get is not None else None


def op_list_to_dict(
    op_list: Iterable[Any], convert_variable_to_tensor: bool = True
) -> dict[str, Any]:
    """Variables by the names they are saved under; the parts of one as a list.

    TypeError for a value that cannot be saved, ValueError for two values of one name.
    """
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError(
            f"Variables to save should be passed in a dict or a list: {op_list}"
        )
    found: dict[str, Any] = {}
    for var in sorted(op_list, key=lambda v: str(v.name)):
        part = (
            _slice_info(var)
            if isinstance(var, variables.Variable) or _has_handle(var)
            else None
        )
        if isinstance(var, SaveableObject):
            name, value = var.name, var
        elif isinstance(var, variables.PartitionedVariable):
            name, value = var.name, var
        elif part is not None:
            parts = found.setdefault(part.full_name, [])
            if not isinstance(parts, list):
                raise ValueError(
                    f"Mixing slices and non-slices with the same name: {part.full_name}"
                )
            parts.append(var)
            continue
        else:
            name, value = _named_variable(var, convert_variable_to_tensor)
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = value
    return found


def _named_variable(var: Any, convert_variable_to_tensor: bool) -> tuple[str, Any]:
    if _has_handle(var):
        shared = getattr(var, "_shared_name", None)
        op = var.op if isinstance(var, ops.Tensor) else var.handle.op
        return shared or op.name, var
    if convert_variable_to_tensor:
        var = ops.internal_convert_to_tensor(var, as_ref=True)
        if not is_variable(var):
            raise TypeError(f"Variable to save is not a Variable: {var}")
    return var.op.name, var


def saveable_objects(op: Any, name: str) -> list[SaveableObject]:
    """The saveables of one value of `op_list_to_dict`."""
    if isinstance(op, SaveableObject):
        return [op]
    if isinstance(op, (list, tuple, variables.PartitionedVariable)):
        return [_part_saveable(part, name) for part in op]
    if _has_handle(op):
        return [ResourceVariableSaveable(op, "", name)]
    var = ops.internal_convert_to_tensor(op, as_ref=True)
    if not is_variable(var):
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to "
            f"Tensors/Variables. Not a variable: {var}"
        )
    return [VariableSaveable(var, "", name)]


def _part_saveable(part: Any, name: str) -> SaveableObject:
    info = _slice_info(part)
    if info is None:
        raise ValueError(f"Slices must all be Variables that are parts of one: {part}")
    if info.full_name != name:
        raise ValueError(
            f"Slices must all be from the same tensor: {name} != {info.full_name}"
        )
    if _has_handle(part):
        return ResourceVariableSaveable(part, info.spec, name)
    if not isinstance(part, variables.Variable):
        raise ValueError(f"Slices must all be Variables: {part}")
    return VariableSaveable(part._ref(), info.spec, name)


def _identity(op: Any) -> Any:
    """Returns a key that is equal for two handles of one tensor."""
    return op.name if isinstance(op, ops.Tensor) else id(op)


def validate_and_slice_inputs(names_to_saveables: Any) -> list[SaveableObject]:
    """The saveables of a dict or list of variables, sorted by name.

    ValueError where one would be saved under two names.
    """
    if not isinstance(names_to_saveables, dict):
        names_to_saveables = op_list_to_dict(names_to_saveables)
    saveables: list[SaveableObject] = []
    seen: set[Any] = set()
    for name in sorted(names_to_saveables):
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to "
                f"checkpointable operations. Name is not a string: {name}"
            )
        for saveable in saveable_objects(names_to_saveables[name], name):
            if _identity(saveable.op) in seen:
                raise ValueError(
                    f"The same saveable will be restored with two names: {saveable.name}"
                )
            seen.add(_identity(saveable.op))
            saveables.append(saveable)
    return saveables
