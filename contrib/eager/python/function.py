# SPDX-License-Identifier: Apache-2.0
"""Functions whose effects happen when their results are used, and in the order that they are written in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.ops import array_ops, control_flow_ops
from tensorwright.python.util import nest

__all__ = ["defun"]

# Stateful operations without an effect of their own.
_NO_EFFECT = ("Placeholder", "VarHandleOp", "VariableV2", "Variable", "IteratorV2")


def defun(
    func: Callable[..., object] | None = None,
    input_signature: Sequence[TensorSpec] | None = None,
) -> Callable[..., Any]:
    """Makes a function of tensors, each call of which adds its operations to the graph.

    Its assignments, writes, prints and assertions run before its results are there, in the order of the program.  A
    variable that is no ResourceVariable is read as it was before the call.

    Args:
        func: a function that returns tensors, a structure of them, or None; without it this is a decorator.
        input_signature: TensorSpecs that the arguments are converted to and checked against.

    Raises:
        ValueError: in a call, the arguments do not fit `input_signature`.

    Example:
        @tf.contrib.eager.defun
        def step(x):
            v.assign_add(x)
            return v.read_value()
    """
    if func is None:
        return functools.partial(defun, input_signature=input_signature)

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if input_signature is not None:
            args = _converted(input_signature, args, kwargs)
        graph = ops.get_default_graph()
        before = len(graph.get_operations())
        result = func(*args, **kwargs)
        made = graph.get_operations()[before:]
        return _after(_ordered(made), result)

    call.python_function = func  # type: ignore[attr-defined]
    return call


def _converted(signature: Sequence[TensorSpec], args: tuple, kwargs: dict) -> tuple:
    if kwargs or len(args) != len(signature):
        raise ValueError(
            f"a function with an input_signature of {len(signature)} takes as many "
            f"arguments by their places, got {len(args)} and {sorted(kwargs)}"
        )
    found = []
    for spec, arg in zip(signature, args, strict=True):
        tensor = ops.convert_to_tensor(arg, spec.dtype)
        if not spec.shape.is_compatible_with(tensor.get_shape()):
            raise ValueError(
                f"an argument of shape {tensor.get_shape()} is not compatible with the "
                f"input_signature's {spec.shape}"
            )
        found.append(tensor)
    return tuple(found)


def _state_of(op: ops.Operation) -> list[Any]:
    """The variables and resources that an operation may read or write."""
    return [t for t in op.inputs if t.dtype == dtypes.resource or t.dtype._is_ref_dtype]


def _ordered(made: list[ops.Operation]) -> list[ops.Operation]:
    """The operations with effects; those of one state wait for each other, as they were made."""
    context = ops.get_default_graph()._get_control_flow_context()
    last: dict[Any, ops.Operation] = {}
    effects: list[ops.Operation] = []
    earlier: ops.Operation | None = None
    for op in made:
        # Operations in a branch or a loop of their own wait there.
        if op._get_control_flow_context() is not context or op.type in _NO_EFFECT:
            continue
        states = _state_of(op)
        if not states and not op._is_stateful:
            continue
        waits = {last[s.name] for s in states if s.name in last}
        if op._is_stateful and not states:
            # Prints, asserts and Python functions: among themselves.
            if earlier is not None:
                waits.add(earlier)
            earlier = op
        waits = [w for w in waits if w is not op and w not in op.control_inputs]
        if waits:
            op._add_control_inputs(waits)
        for s in states:
            last[s.name] = op
        effects.append(op)
    return effects


def _after(effects: list[ops.Operation], result: Any) -> Any:
    """The result, each tensor of it after all effects; an operation of the effects in the place of None."""
    if result is None:
        return control_flow_ops.group(*effects)
    if not effects:
        return result
    with ops.control_dependencies(effects):
        return nest.map_structure(_identity, result)


def _identity(value: Any) -> Any:
    if isinstance(value, ops.Operation):
        return control_flow_ops.group(value)
    if isinstance(value, sparse_tensor.SparseTensor):
        return sparse_tensor.SparseTensor(
            array_ops.identity(value.indices),
            array_ops.identity(value.values),
            array_ops.identity(value.dense_shape),
        )
    if isinstance(value, ops.IndexedSlices):
        return ops.IndexedSlices(
            array_ops.identity(value.values), value.indices, value.dense_shape
        )
    return array_ops.identity(value)
