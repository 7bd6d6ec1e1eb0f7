# SPDX-License-Identifier: Apache-2.0
"""Finds the variable behind a handle in the graph, with its dtype and shape."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_resource_variable_ops

# Ops whose output is the same handle as their first input.
_PASS_ON = {"Identity", "Switch", "Enter", "Exit", "NextIteration", "Merge"}


def is_handle(value: TensorLike) -> bool:
    """Whether `value` is a tensor of handles."""
    return isinstance(value, ops.Tensor) and value.dtype == dtypes.resource


def root(handle: ops.Tensor) -> ops.Tensor | None:
    """The output of the VarHandleOp that `handle` comes from through control flow; None if there is none."""
    seen = set()
    while handle.op.type in _PASS_ON and handle not in seen:
        seen.add(handle)
        handle = handle.op.inputs[0]
    return handle if handle.op.type == "VarHandleOp" else None


def dtype_of(handle: ops.Tensor) -> dtypes.DType | None:
    """The dtype of the variable, None if it is not known."""
    made = root(handle)
    return None if made is None else dtypes.as_dtype(made.op.get_attr("dtype"))


def shape_of(handle: ops.Tensor) -> tensor_shape.TensorShape:
    """The static shape of the variable."""
    made = root(handle)
    if made is None:
        return tensor_shape.unknown_shape()
    return tensor_shape.as_shape(made.op.get_attr("shape"))


def variable_shape(
    handle: ops.Tensor, out_type: dtypes.DType = dtypes.int32
) -> ops.Tensor:
    """The shape of the variable, a vector: a constant where it is known."""
    made = root(handle)
    static = shape_of(handle)
    if static.is_fully_defined():
        return array_ops.constant(static.as_list(), dtype=out_type, shape=[len(static)])
    # The handle that it comes from is the same in all iterations and branches.
    return gen_resource_variable_ops.variable_shape(
        handle if made is None else made, out_type=out_type
    )


def zeros_like(handle: ops.Tensor) -> ops.Tensor | None:
    """Zeros in the variable's shape and dtype; None where the graph does not know its dtype, or no gradient has it."""
    dtype = dtype_of(handle)
    if dtype is None or not (dtype.is_floating or dtype.is_complex):
        return None
    zeros = array_ops.zeros(variable_shape(handle), dtype)
    zeros.set_shape(shape_of(handle))
    return zeros
