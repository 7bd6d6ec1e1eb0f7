# SPDX-License-Identifier: Apache-2.0
"""Gradients of complex numbers' parts, and of products along a dimension."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_array_ops, math_ops


@ops.RegisterGradient("Real")
def _real_grad(op: ops.Operation, grad: Any) -> Any:
    """g + 0i."""
    del op
    return math_ops.complex(grad, array_ops.zeros_like(grad))


@ops.RegisterGradient("Imag")
def _imag_grad(op: ops.Operation, grad: Any) -> Any:
    """0 + g i."""
    del op
    return math_ops.complex(array_ops.zeros_like(grad), grad)


@ops.RegisterGradient("Conj")
def _conj_grad(op: ops.Operation, grad: Any) -> Any:
    """conj(g)."""
    del op
    return math_ops.conj(grad)


@ops.RegisterGradient("Complex")
def _complex_grad(op: ops.Operation, grad: Any) -> Any:
    """Re g and Im g, summed over the broadcast dimensions."""
    shapes = [array_ops.shape(x) for x in op.inputs]
    first, second = shapes
    axes = gen_array_ops.broadcast_gradient_args(first, second)
    parts = (math_ops.real(grad), math_ops.imag(grad))
    return [
        array_ops.reshape(math_ops.reduce_sum(g, a), s)
        for g, a, s in zip(parts, axes, shapes, strict=True)
    ]


@ops.RegisterGradient("ComplexAbs")
def _complex_abs_grad(op: ops.Operation, grad: Any) -> Any:
    """g x / |x|."""
    g = math_ops.complex(grad, array_ops.zeros_like(grad))
    return g * math_ops.sign(op.inputs[0])


@ops.RegisterGradient("Angle")
def _angle_grad(op: ops.Operation, grad: Any) -> Any:
    """g i / conj(x), and 0 for x = 0, which has every angle."""
    turned = math_ops.complex(array_ops.zeros_like(grad), grad)
    return math_ops.div_no_nan(turned, math_ops.conj(op.inputs[0]))


@ops.RegisterGradient("Cumprod")
def _cumprod_grad(op: ops.Operation, grad: Any) -> Any:
    """The sum of g y over the outputs that an element is a factor of, over x."""
    x, axis = op.inputs
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")
    y = math_ops.cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    total = math_ops.cumsum(y * grad, axis, exclusive=exclusive, reverse=not reverse)
    return [math_ops.div_no_nan(total, x), None]
