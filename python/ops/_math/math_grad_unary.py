# SPDX-License-Identifier: Apache-2.0
"""Gradients of elementwise functions of one argument."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops
from tensorwright.python.ops._math import (  # noqa: F401 (math_grad_* register themselves)
    math_grad_reduce,
    math_grad_segment,
    math_grad_special,
)


def _conj(x: Any) -> Any:
    """The conjugate of a complex tensor; a real one is its own."""
    return math_ops.conj(x) if x.dtype.is_complex else x


@ops.RegisterGradient("Neg")
def _neg_grad(op: ops.Operation, grad: Any) -> Any:
    """-g."""
    del op
    return -grad


@ops.RegisterGradient("Abs")
def _abs_grad(op: ops.Operation, grad: Any) -> Any:
    """g * sign(x)."""
    return grad * math_ops.sign(op.inputs[0])


@ops.RegisterGradient("Square")
def _square_grad(op: ops.Operation, grad: Any) -> Any:
    """2 x g."""
    x = op.inputs[0]
    with ops.control_dependencies([grad]):
        two = constant_op.constant(2, dtype=x.dtype.base_dtype)
        return grad * (two * _conj(x))


@ops.RegisterGradient("Sqrt")
def _sqrt_grad(op: ops.Operation, grad: Any) -> Any:
    """g / (2 y)."""
    return gen_math_ops.sqrt_grad(op.outputs[0], grad)


@ops.RegisterGradient("SqrtGrad")
def _sqrt_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """y, dy -> dy / (2 y): by y, -dy / (2 y^2); by dy, 1 / (2 y)."""
    y, result = op.inputs[0], op.outputs[0]
    with ops.control_dependencies([grad]):
        ratio = grad / y
        return -_conj(ratio) * result, 0.5 * ratio


@ops.RegisterGradient("Rsqrt")
def _rsqrt_grad(op: ops.Operation, grad: Any) -> Any:
    """-g y^3 / 2."""
    return gen_math_ops.rsqrt_grad(op.outputs[0], grad)


@ops.RegisterGradient("RsqrtGrad")
def _rsqrt_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """y, dy -> -dy y^3 / 2: by y, -3/2 dy y^2; by dy, -y^3 / 2."""
    y, dy = _conj(op.inputs[0]), op.inputs[1]
    with ops.control_dependencies([grad]):
        by_y = -1.5 * _conj(grad) * dy * math_ops.square(y)
        return by_y, gen_math_ops.rsqrt_grad(y, grad)


@ops.RegisterGradient("Inv")
@ops.RegisterGradient("Reciprocal")
def _reciprocal_grad(op: ops.Operation, grad: Any) -> Any:
    """-g y^2."""
    return gen_math_ops.reciprocal_grad(op.outputs[0], grad)


@ops.RegisterGradient("InvGrad")
@ops.RegisterGradient("ReciprocalGrad")
def _reciprocal_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """y, dy -> -dy y^2: by y, -2 dy y; by dy, -y^2."""
    y, dy = _conj(op.inputs[0]), op.inputs[1]
    with ops.control_dependencies([grad]):
        by_y = -2.0 * _conj(grad) * dy * y
        return by_y, gen_math_ops.reciprocal_grad(y, grad)


@ops.RegisterGradient("Exp")
def _exp_grad(op: ops.Operation, grad: Any) -> Any:
    """g y."""
    with ops.control_dependencies([grad]):
        return grad * _conj(op.outputs[0])


@ops.RegisterGradient("Expm1")
def _expm1_grad(op: ops.Operation, grad: Any) -> Any:
    """g exp(x)."""
    with ops.control_dependencies([grad]):
        return grad * math_ops.exp(_conj(op.inputs[0]))


@ops.RegisterGradient("Log")
def _log_grad(op: ops.Operation, grad: Any) -> Any:
    """g / x."""
    with ops.control_dependencies([grad]):
        return grad * math_ops.reciprocal(_conj(op.inputs[0]))


@ops.RegisterGradient("Log1p")
def _log1p_grad(op: ops.Operation, grad: Any) -> Any:
    """g / (1 + x)."""
    with ops.control_dependencies([grad]):
        return grad * math_ops.reciprocal(1 + _conj(op.inputs[0]))


@ops.RegisterGradient("Sin")
def _sin_grad(op: ops.Operation, grad: Any) -> Any:
    """g cos(x)."""
    with ops.control_dependencies([grad]):
        return grad * math_ops.cos(_conj(op.inputs[0]))


@ops.RegisterGradient("Cos")
def _cos_grad(op: ops.Operation, grad: Any) -> Any:
    """-g sin(x)."""
    with ops.control_dependencies([grad]):
        return -grad * math_ops.sin(_conj(op.inputs[0]))


@ops.RegisterGradient("Tan")
def _tan_grad(op: ops.Operation, grad: Any) -> Any:
    """g / cos(x)^2."""
    with ops.control_dependencies([grad]):
        secant = math_ops.reciprocal(math_ops.cos(_conj(op.inputs[0])))
        return grad * math_ops.square(secant)


@ops.RegisterGradient("Tanh")
def _tanh_grad(op: ops.Operation, grad: Any) -> Any:
    """g (1 - y^2)."""
    with ops.control_dependencies([grad]):
        return gen_math_ops.tanh_grad(_conj(op.outputs[0]), grad)


@ops.RegisterGradient("TanhGrad")
def _tanh_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """y, dy -> dy (1 - y^2): by y, -2 dy y; by dy, 1 - y^2."""
    y, dy = _conj(op.inputs[0]), _conj(op.inputs[1])
    with ops.control_dependencies([grad]):
        return -2.0 * grad * dy * y, gen_math_ops.tanh_grad(y, grad)


@ops.RegisterGradient("Sigmoid")
def _sigmoid_grad(op: ops.Operation, grad: Any) -> Any:
    """g y (1 - y)."""
    with ops.control_dependencies([grad]):
        return gen_math_ops.sigmoid_grad(_conj(op.outputs[0]), grad)


@ops.RegisterGradient("SigmoidGrad")
def _sigmoid_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """y, dy -> dy y (1 - y): by y, dy (1 - 2 y); by dy, y (1 - y)."""
    y, dy = _conj(op.inputs[0]), _conj(op.inputs[1])
    with ops.control_dependencies([grad]):
        scaled = grad * dy
        return scaled - 2.0 * scaled * y, gen_math_ops.sigmoid_grad(y, grad)


@ops.RegisterGradient("Sign")
def _sign_grad(op: ops.Operation, grad: Any) -> Any:
    """Zero."""
    del grad
    return array_ops.zeros_like(op.inputs[0])


@ops.RegisterGradient("Erf")
def _erf_grad(op: ops.Operation, grad: Any) -> Any:
    """2 / sqrt(pi) exp(-x^2) g."""
    return _gaussian(op.inputs[0], grad, 2 / math.sqrt(math.pi))


@ops.RegisterGradient("Erfc")
def _erfc_grad(op: ops.Operation, grad: Any) -> Any:
    """-2 / sqrt(pi) exp(-x^2) g."""
    return _gaussian(op.inputs[0], grad, -2 / math.sqrt(math.pi))


def _gaussian(x: Any, grad: Any, factor: float) -> Any:
    with ops.control_dependencies([grad]):
        scale = constant_op.constant(factor, dtype=grad.dtype)
        return grad * scale * math_ops.exp(-math_ops.square(x))


@ops.RegisterGradient("Lgamma")
def _lgamma_grad(op: ops.Operation, grad: Any) -> Any:
    """g digamma(x)."""
    with ops.control_dependencies([grad]):
        return grad * math_ops.digamma(op.inputs[0])


@ops.RegisterGradient("Cast")
def _cast_grad(op: ops.Operation, grad: Any) -> Any:
    """g cast back, between types that have gradients."""
    differentiable = (
        dtypes.float16,
        dtypes.float32,
        dtypes.float64,
        dtypes.bfloat16,
        dtypes.complex64,
        dtypes.complex128,
    )
    source, target = op.inputs[0].dtype.base_dtype, grad.dtype.base_dtype
    if source in differentiable and target in differentiable:
        return math_ops.cast(grad, source)
    return None
