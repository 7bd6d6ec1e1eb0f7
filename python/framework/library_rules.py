# SPDX-License-Identifier: Apache-2.0
"""Rules that Python adds to the ops of a loaded library: gradients, shape functions, batching."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from tensorwright.python.framework import gradient_registry, tensor_shape
from tensorwright.python.framework.batching_registry import RegisterBatchingRule
from tensorwright.python.framework.operation import Operation

OpFunctions = Mapping[str, Callable[..., object]]

# The ops of loaded libraries, by the name of the module.
_ops_of: dict[str, list[str]] = {}
# By the name of the op.
_shape_functions: dict[str, Callable[..., object]] = {}


class RegisterShapeFunction:
    """Decorator that makes a function refine what the shape function of a library's op says.

    Whenever the wrapper of the library's module adds the op, the function gets the
    `Operation` and returns a shape, or a list with one an output.  A shape may know more
    than the C++ shape function says, and nothing else: a ValueError, naming the op, tells
    of one that is not compatible.

    Raises KeyError where the op has such a function.

    Example:
        @tf.RegisterShapeFunction("ReadBlock")
        def _read_block_shape(op):
            return [None, op.get_attr("columns")]
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError(
                f"RegisterShapeFunction: op_type must be a string, got {op_type!r}"
            )
        self._op_type = op_type

    def __call__(self, f: Callable[..., object]) -> Callable[..., object]:
        if self._op_type in _shape_functions:
            raise KeyError(f"{self._op_type} has a shape function in Python already")
        _shape_functions[self._op_type] = f
        return f


def note_ops(module: types.ModuleType, op_names: list[str]) -> None:
    """Notes which ops the library of a module has."""
    _ops_of[module.__name__] = op_names


def register(
    module: types.ModuleType,
    gradients: OpFunctions | None,
    shapes: OpFunctions | None,
    batching: OpFunctions | None,
) -> None:
    """Registers what load_op_library is given, for ops of that library alone.

    Raises ValueError for another op.
    """
    op_names = _ops_of[module.__name__]
    for argument, functions, decorator in (
        ("gradients", gradients, gradient_registry.RegisterGradient),
        ("shapes", shapes, RegisterShapeFunction),
        ("batching", batching, RegisterBatchingRule),
    ):
        for name, function in (functions or {}).items():
            if name not in op_names:
                raise ValueError(
                    f"load_op_library: {argument} names {name}, which is no op of "
                    f"{module.__file__}; its ops are {', '.join(op_names)}"
                )
            decorator(name)(function)


def refining(apply_op: Callable[..., object]) -> Callable[..., object]:
    """The function by which wrappers add an op, followed by the op's shape function."""

    def apply_and_refine(op_name: str, *args: object) -> object:
        made = apply_op(op_name, *args)
        if op_name in _shape_functions:
            _refine(_operation(made), _shape_functions[op_name])
        return made

    return apply_and_refine


def _operation(made: Any) -> Operation:
    """The operation behind what a wrapper gets: it, a tensor, or lists of tensors."""
    while isinstance(made, (list, tuple)):
        made = next(item for item in made if not isinstance(item, list) or item)
    return made if isinstance(made, Operation) else made.op


def _refine(op: Operation, function: Callable[..., Any]) -> None:
    result = function(op)
    if len(op.outputs) == 1 and not _is_list_of_shapes(result):
        result = [result]
    if len(result) != len(op.outputs):
        raise ValueError(
            f"{op.type}: the shape function in Python returns {len(result)} shapes, but "
            f"the op has {len(op.outputs)} outputs"
        )
    for tensor, shape in zip(op.outputs, result, strict=True):
        shape = tensor_shape.as_shape(shape)
        if not tensor.get_shape().is_compatible_with(shape):
            raise ValueError(
                f"{op.type}: the shape function in Python gives {shape} for "
                f"{tensor.name}, whose shape is {tensor.get_shape()}"
            )
        tensor.set_shape(shape)


def _is_list_of_shapes(value: object) -> bool:
    """[[2, None]] and [TensorShape(...)] are lists of shapes; [2] and [] are shapes."""
    shapes = (list, tuple, tensor_shape.TensorShape)
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(item, shapes) for item in value)
    )
