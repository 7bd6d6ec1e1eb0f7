# SPDX-License-Identifier: Apache-2.0
"""Gradients of special functions of one argument; g stands for the gradient of the op's output in the formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops


def _derivative(op_type: str) -> Callable[[Callable[[Any, Any], Any]], None]:
    """Decorator: a function of x and y = f(x) that returns f'(x) is the gradient of an op."""

    def register(derivative: Callable[[Any, Any], Any]) -> None:
        @ops.RegisterGradient(op_type)
        def gradient(op: ops.Operation, grad: Any) -> Any:
            with ops.control_dependencies([grad]):
                return grad * derivative(op.inputs[0], op.outputs[0])

    return register


def _unless_zero(x: Any, at_zero: float, value: Callable[[Any], Any]) -> Any:
    """value(x), and a limit where x is 0."""
    zero = math_ops.equal(x, array_ops.zeros_like(x))
    safe = array_ops.where(zero, array_ops.ones_like(x), x)
    limit = array_ops.ones_like(x) * at_zero
    return array_ops.where(zero, limit, value(safe))


_derivative("BesselI0")(lambda x, y: gen_math_ops.bessel_i1(x))
_derivative("BesselI0e")(lambda x, y: gen_math_ops.bessel_i1e(x) - math_ops.sign(x) * y)
_derivative("BesselI1")(
    lambda x, y: _unless_zero(x, 0.5, lambda s: gen_math_ops.bessel_i0(s) - y / s)
)
_derivative("BesselI1e")(
    lambda x, y: _unless_zero(
        x,
        0.5,
        lambda s: gen_math_ops.bessel_i0e(s) - y * (math_ops.sign(s) + 1 / s),
    )
)
_derivative("BesselK0")(lambda x, y: -gen_math_ops.bessel_k1(x))
_derivative("BesselK0e")(lambda x, y: y - gen_math_ops.bessel_k1e(x))
_derivative("BesselK1")(lambda x, y: -(gen_math_ops.bessel_k0(x) + y / x))
_derivative("BesselK1e")(lambda x, y: y * (1 - 1 / x) - gen_math_ops.bessel_k0e(x))
_derivative("BesselJ0")(lambda x, y: -gen_math_ops.bessel_j1(x))
_derivative("BesselJ1")(
    lambda x, y: _unless_zero(x, 0.5, lambda s: gen_math_ops.bessel_j0(s) - y / s)
)
_derivative("BesselY0")(lambda x, y: -gen_math_ops.bessel_y1(x))
_derivative("BesselY1")(lambda x, y: gen_math_ops.bessel_y0(x) - y / x)
_derivative("Erfinv")(
    lambda x, y: math.sqrt(math.pi) / 2 * math_ops.exp(math_ops.square(y))
)
_derivative("Ndtri")(
    lambda x, y: math.sqrt(2 * math.pi) * math_ops.exp(math_ops.square(y) / 2)
)
_derivative("Expint")(lambda x, y: math_ops.exp(x) / x)
_derivative("Dawsn")(lambda x, y: 1 - 2 * x * y)
_derivative("FresnelCos")(lambda x, y: math_ops.cos(math.pi / 2 * math_ops.square(x)))
_derivative("FresnelSin")(lambda x, y: math_ops.sin(math.pi / 2 * math_ops.square(x)))


@_derivative("Spence")
def _spence_derivative(x: Any, y: Any) -> Any:
    """log(x) / (1 - x), and its limit -1 at 1."""
    del y
    return -_unless_zero(x - 1, 1.0, lambda d: math_ops.log1p(d) / d)
