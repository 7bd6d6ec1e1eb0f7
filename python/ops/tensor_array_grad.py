# SPDX-License-Identifier: Apache-2.0
"""Gradients of TensorArray ops: reads become writes to the array of gradients, writes
become reads of it."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops.tensor_array_ops import TensorArray

for _base in ("", "Grad", "Size", "Close"):
    for _version in ("", "V2", "V3"):
        ops.NotDifferentiable(f"TensorArray{_base}{_version}")


def _source(grad: ops.Tensor) -> str:
    """Returns the name of the call of `gradients` that is at work: the part of the name up to its scope.

    Two such calls on one array must not add up in one array of gradients.
    """
    parts = grad.op.name.split("/")
    found = [i for i, part in enumerate(parts) if part.startswith("gradients")]
    if not found:
        raise ValueError(
            f"Expected a name scope 'gradients' in the name of {grad.op.name!r}, the "
            "gradient of a TensorArray op"
        )
    return "/".join(parts[: found[-1] + 1])


def _gradient_array(op: Any, grad: ops.Tensor, flow: ops.Tensor, dtype: Any) -> Any:
    array = TensorArray(
        dtype, handle=op.inputs[0], flow=flow, colocate_with_first_write_call=False
    )
    return array.grad(source=_source(grad), flow=flow)


def _register(name: str) -> Any:
    """Registers the function for all three generations of an op."""

    def decorate(function: Any) -> Any:
        for version in ("", "V2", "V3"):
            ops.RegisterGradient(f"TensorArray{name}{version}")(function)
        return function

    return decorate


@_register("Read")
def _read_grad(op: Any, grad: Any) -> list:
    """d array[index] += g."""
    _, index, flow = op.inputs
    array = _gradient_array(op, grad, flow, op.get_attr("dtype"))
    return [None, None, array.write(index, grad).flow]


@_register("Write")
def _write_grad(op: Any, flow: Any) -> list:
    """d value = d array[index]."""
    _, index, value, _ = op.inputs
    array = _gradient_array(op, flow, flow, value.dtype)
    return [None, None, array.read(index), flow]


@_register("Gather")
def _gather_grad(op: Any, grad: Any) -> list:
    """d array[indices[i]] += g[i]."""
    _, indices, flow = op.inputs
    array = _gradient_array(op, grad, flow, op.get_attr("dtype"))
    return [None, None, array.scatter(indices, grad).flow]


@_register("Scatter")
def _scatter_grad(op: Any, flow: Any) -> list:
    """d value[i] = d array[indices[i]]."""
    _, indices, value, _ = op.inputs
    array = _gradient_array(op, flow, flow, value.dtype)
    return [None, None, array.gather(indices), flow]


@_register("Concat")
def _concat_grad(op: Any, grad: Any, _: Any) -> list:
    """d array[i] += the rows of g that came from it."""
    flow = op.inputs[1]
    array = _gradient_array(op, grad, flow, op.get_attr("dtype"))
    return [None, array.split(grad, op.outputs[1]).flow]


@_register("Split")
def _split_grad(op: Any, flow: Any) -> list:
    """d value = all of d array, end to end."""
    value = op.inputs[1]
    array = _gradient_array(op, flow, flow, value.dtype)
    return [None, array.concat(), None, flow]


@ops.RegisterGradient("TensorArrayPack")
def _pack_grad(op: ops.Operation, grad: Any) -> list:
    """d array[i] += g[i]."""
    flow = op.inputs[1]
    array = _gradient_array(op, grad, flow, op.get_attr("dtype"))
    return [None, array.unstack(grad).flow]


@ops.RegisterGradient("TensorArrayUnpack")
def _unpack_grad(op: ops.Operation, flow: Any) -> list:
    """d value[i] = d array[i]."""
    array = _gradient_array(op, flow, flow, op.inputs[1].dtype)
    return [None, array.stack(), flow]
