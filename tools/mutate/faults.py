# SPDX-License-Identifier: Apache-2.0
"""Makes an op of this process wrong, for good, or records the behaviour of all ops; a forked process calls this."""

from __future__ import annotations

import ctypes
import functools
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.python.framework import gradient_registry, tensor_util
from tensorwright.python.framework.ops import IndexedSlices
from tensorwright.python.ops import math_ops
from tensorwright.tools.mutate.kinds import GRADIENTS, NO_FAULT, Mutant

_LIBRARY = pathlib.Path(__file__).with_name("mutants.so")


@functools.cache
def library() -> ctypes.CDLL:
    """mutants.so; tensorwright must have been imported."""
    loaded = ctypes.CDLL(str(_LIBRARY))
    loaded.tensorwright_mutate.restype = ctypes.c_char_p
    loaded.tensorwright_mutate.argtypes = [
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_uint64,
        ctypes.c_char_p,
    ]
    loaded.tensorwright_record.restype = None
    loaded.tensorwright_record.argtypes = [ctypes.c_char_p]
    return loaded


def make(mutant: Mutant) -> None:
    """Makes the mutant; NO_FAULT puts harmless hooks where mutants have theirs."""
    if mutant.group == GRADIENTS or mutant.kind == NO_FAULT:
        _make_gradient_wrong(mutant)
    if mutant.group != GRADIENTS:
        error = library().tensorwright_mutate(
            mutant.op.encode(),
            mutant.kind.encode(),
            mutant.number,
            mutant.argument.encode(),
        )
        if error:
            raise ValueError(f"{mutant}: {error.decode()}")


def record(file: pathlib.Path) -> None:
    """From now on the lines that mutants.h describes go to `file`, and
    "gradient OP I J" where the gradient function gave gradients by inputs I and J that are not zero."""
    library().tensorwright_record(str(file).encode())
    _record_gradients(file)


# Gradients. --------------------------------------------------------------------------------------------------


def _table() -> dict[str, Any]:
    return gradient_registry._gradient_registry._registry


def _wrap(op: str, wrapper: Callable[..., Any]) -> None:
    """Registers `wrapper(function)` in the place of the gradient `function` of an op that has one."""
    location = gradient_registry.lookup_location(op)
    if location is None or location.function is None:
        return
    entry = _table()[op]
    _table()[op] = entry._replace(value=wrapper(entry.value))


def _make_gradient_wrong(mutant: Mutant) -> None:
    def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrong(op: Any, *grads: Any) -> Any:
            return _spoilt(mutant, op, _listed(function(op, *grads)))

        return wrong

    _wrap(mutant.op, wrapper)


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _spoilt(mutant: Mutant, op: Any, grads: list[Any]) -> list[Any]:
    given = _given(op, grads)
    if not given or mutant.kind == NO_FAULT:
        return grads
    out = list(grads)
    if mutant.kind == "grad-input":
        # Mutant 1 of two gradients cannot be another one than mutant 0.
        step = 1 + mutant.number % max(len(given) - 1, 1)
        for k, i in enumerate(given):
            out[i] = grads[given[(k + step) % len(given)]]
        return out
    for i in given if mutant.number == 0 else {mutant.number - 1} & set(given):
        if mutant.kind == "grad-none":
            out[i] = None
        else:
            out[i] = _times(grads[i], 3 if mutant.kind == "grad-times3" else -1)
    return out


def _given(op: Any, grads: list[Any]) -> list[int]:
    """The inputs by which there is a gradient that can be made wrong."""
    return [i for i, g in enumerate(grads) if not _is_zero(g) and not _is_flow(op, i)]


def _is_flow(op: Any, i: int) -> bool:
    """A TensorArray's flow only orders ops; its number is never read."""
    return op.type.startswith("TensorArray") and (
        op.op_def.input_arg[i].name == "flow_in"
    )


def _is_zero(grad: Any) -> bool:
    """Is there no gradient, or zeros, or one without numbers, as a list's handle is?"""
    if grad is None:
        return True
    values = grad.values if isinstance(grad, IndexedSlices) else grad
    if not (values.dtype.is_floating or values.dtype.is_complex):
        return True
    made_by = values.op
    if made_by.type == "ZerosLike":
        return True
    number = made_by.inputs[1] if made_by.type == "Fill" else values
    constant = tensor_util.constant_value(number)
    return constant is not None and not np.any(constant)


def _times(grad: Any, factor: int) -> Any:
    if isinstance(grad, IndexedSlices):
        values = _times(grad.values, factor)
        return IndexedSlices(values, grad.indices, grad.dense_shape)
    return math_ops.multiply(grad, math_ops.cast(factor, grad.dtype))


_recording: pathlib.Path | None = None


def _record_gradients(file: pathlib.Path) -> None:
    global _recording
    first, _recording = _recording is None, file
    if not first:
        return

    def wrapper(op_type: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def noted(op: Any, *grads: Any) -> Any:
            result = _listed(function(op, *grads))
            given = [str(i) for i in _given(op, result)]
            assert _recording is not None
            with _recording.open("a") as out:
                out.write(f"gradient {op_type} {' '.join(given)}\n")
            return result

        return noted

    for op_type, entry in list(_table().items()):
        if entry.value is not None:
            _wrap(op_type, functools.partial(wrapper, op_type))
