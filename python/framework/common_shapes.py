# SPDX-License-Identifier: Apache-2.0
"""Static shapes that several Python functions need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import tensor_shape

if TYPE_CHECKING:
    from tensorwright.python.framework import ops


def scalar_shape(unused_op: ops.Operation) -> list:
    return [tensor_shape.scalar()]


def unknown_shape(op: ops.Operation) -> list:
    return [tensor_shape.unknown_shape() for _ in op.outputs]


def unchanged_shape(op: ops.Operation) -> list:
    return [op.inputs[0].shape]


def call_cpp_shape_fn(op: ops.Operation, require_shape_fn: bool = True) -> list:
    """The output shapes of an operation, which C++ inferred when it was added."""
    del require_shape_fn
    return [t.shape for t in op.outputs]


def broadcast_shape(
    shape_x: tensor_shape.TensorShape, shape_y: tensor_shape.TensorShape
) -> tensor_shape.TensorShape:
    """Returns the shape that two shapes broadcast to.

    Raises ValueError if they do not.
    """
    if shape_x.ndims is None or shape_y.ndims is None:
        return tensor_shape.unknown_shape()
    x, y = shape_x.as_list(), shape_y.as_list()
    rank = max(len(x), len(y))
    x = [1] * (rank - len(x)) + x
    y = [1] * (rank - len(y)) + y
    return tensor_shape.TensorShape(
        [_broadcast_size(a, b, shape_x, shape_y) for a, b in zip(x, y)]
    )


def _broadcast_size(a: int | None, b: int | None, shape_x: Any, shape_y: Any):
    if a == 1:
        return b
    if b == 1 or a == b:
        return a
    if a is None or b is None:
        # The known size is greater than 1, so the result has it.
        return b if a is None else a
    raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}")


def is_broadcast_compatible(
    shape_x: tensor_shape.TensorShape, shape_y: tensor_shape.TensorShape
) -> bool:
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_shape(shape_x, shape_y)
    except ValueError:
        return False
    return True
