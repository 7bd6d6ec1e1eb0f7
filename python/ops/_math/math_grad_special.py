# SPDX-License-Identifier: Apache-2.0
"""Gradients of hyperbolic and inverse trigonometric functions and of special functions.

g stands for the gradient of the op's output in the formulas.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.ops import array_ops, gen_array_ops, gen_math_ops, math_ops
from tensorwright.python.ops._math import math_ops_safe


def _conj(x: Any) -> Any:
    """The conjugate of a complex tensor; a real one is its own."""
    return gen_math_ops.conj(x) if x.dtype.is_complex else x


def _one(x: Any) -> Any:
    return constant_op.constant(1, dtype=x.dtype.base_dtype)


@ops.RegisterGradient("Sinh")
def _sinh_grad(op: ops.Operation, grad: Any) -> Any:
    """g cosh(x)."""
    with ops.control_dependencies([grad]):
        return grad * gen_math_ops.cosh(_conj(op.inputs[0]))


@ops.RegisterGradient("Cosh")
def _cosh_grad(op: ops.Operation, grad: Any) -> Any:
    """g sinh(x)."""
    with ops.control_dependencies([grad]):
        return grad * gen_math_ops.sinh(_conj(op.inputs[0]))


def _root_of_one_minus_square(x: Any) -> Any:
    return gen_math_ops.sqrt(_one(x) - gen_math_ops.square(x))


@ops.RegisterGradient("Asin")
def _asin_grad(op: ops.Operation, grad: Any) -> Any:
    """g / sqrt(1 - x^2)."""
    with ops.control_dependencies([grad]):
        return grad / _root_of_one_minus_square(_conj(op.inputs[0]))


@ops.RegisterGradient("Acos")
def _acos_grad(op: ops.Operation, grad: Any) -> Any:
    """-g / sqrt(1 - x^2)."""
    with ops.control_dependencies([grad]):
        return -grad / _root_of_one_minus_square(_conj(op.inputs[0]))


@ops.RegisterGradient("Atan")
def _atan_grad(op: ops.Operation, grad: Any) -> Any:
    """g / (1 + x^2)."""
    x = op.inputs[0]
    with ops.control_dependencies([grad]):
        return grad / (_one(x) + gen_math_ops.square(_conj(x)))


@ops.RegisterGradient("Asinh")
def _asinh_grad(op: ops.Operation, grad: Any) -> Any:
    """g / cosh(y)."""
    with ops.control_dependencies([grad]):
        return grad / gen_math_ops.cosh(_conj(op.outputs[0]))


@ops.RegisterGradient("Acosh")
def _acosh_grad(op: ops.Operation, grad: Any) -> Any:
    """g / sinh(y)."""
    with ops.control_dependencies([grad]):
        return grad / gen_math_ops.sinh(_conj(op.outputs[0]))


@ops.RegisterGradient("Atanh")
def _atanh_grad(op: ops.Operation, grad: Any) -> Any:
    """g / (1 - x^2)."""
    x = op.inputs[0]
    with ops.control_dependencies([grad]):
        return grad / (_one(x) - gen_math_ops.square(_conj(x)))


def _sum_to_shape_of(x: Any, value: Any) -> Any:
    """`value` summed over the axes along which `x` was repeated to its shape."""
    shape = array_ops.shape(x)
    axes, _ = gen_array_ops.broadcast_gradient_args(shape, array_ops.shape(value))
    return array_ops.reshape(gen_math_ops.sum(value, axes), shape)


@ops.RegisterGradient("Atan2")
def _atan2_grad(op: ops.Operation, grad: Any) -> Any:
    """y: g x / (x^2 + y^2); x: -g y / (x^2 + y^2)."""
    y, x = op.inputs
    with ops.control_dependencies([grad]):
        ratio = grad / (gen_math_ops.square(x) + gen_math_ops.square(y))
        return _sum_to_shape_of(y, x * ratio), _sum_to_shape_of(x, -y * ratio)


@ops.RegisterGradient("Digamma")
def _digamma_grad(op: ops.Operation, grad: Any) -> Any:
    """g polygamma(1, x)."""
    x = op.inputs[0]
    with ops.control_dependencies([grad]):
        return grad * gen_math_ops.polygamma(_one(x), x)


def _gamma_density(op: Any) -> Any:
    """x^(a-1) exp(-x) / Gamma(a), in logarithms so that neither factor overflows."""
    a, x = op.inputs
    power = math_ops_safe.xlogy(a - _one(a), x)
    return gen_math_ops.exp(power - x - gen_math_ops.lgamma(a))


@ops.RegisterGradient("Igamma")
def _igamma_grad(op: ops.Operation, grad: Any) -> Any:
    """x: g x^(a-1) exp(-x) / Gamma(a); none by a, as in TensorFlow 1.x."""
    with ops.control_dependencies([grad]):
        return None, _sum_to_shape_of(op.inputs[1], grad * _gamma_density(op))


@ops.RegisterGradient("Igammac")
def _igammac_grad(op: ops.Operation, grad: Any) -> Any:
    """The negative of Igamma's."""
    with ops.control_dependencies([grad]):
        return None, _sum_to_shape_of(op.inputs[1], -grad * _gamma_density(op))


@ops.RegisterGradient("Betainc")
def _betainc_grad(op: ops.Operation, grad: Any) -> Any:
    """x: g x^(a-1) (1-x)^(b-1) / Beta(a, b); none by a and b, as in TensorFlow."""
    dtype = op.inputs[2].dtype.base_dtype
    # For large a and b, large logarithms cancel to a small sum: float32 would have no digits left.
    a, b, x = (math_ops.cast(v, dtypes.float64) for v in op.inputs)
    one = _one(x)
    with ops.control_dependencies([grad]):
        log_beta = (
            gen_math_ops.lgamma(a) + gen_math_ops.lgamma(b) - gen_math_ops.lgamma(a + b)
        )
        # At 0 and 1, a power with exponent 0 is 1.
        density = gen_math_ops.exp(
            math_ops_safe.xlog1py(b - one, -x)
            + math_ops_safe.xlogy(a - one, x)
            - log_beta
        )
        density = math_ops.cast(density, dtype)
        return None, None, _sum_to_shape_of(x, grad * density)


@ops.RegisterGradient("Zeta")
def _zeta_grad(op: ops.Operation, grad: Any) -> Any:
    """q: -g x zeta(x + 1, q); none by x, as in TensorFlow."""
    x, q = op.inputs
    with ops.control_dependencies([grad]):
        slope = -x * gen_math_ops.zeta(x + _one(x), q)
        return None, _sum_to_shape_of(q, grad * slope)


@ops.RegisterGradient("Polygamma")
def _polygamma_grad(op: ops.Operation, grad: Any) -> Any:
    """x: g polygamma(a + 1, x); a counts derivatives."""
    a, x = op.inputs
    with ops.control_dependencies([grad]):
        slope = gen_math_ops.polygamma(a + _one(a), x)
        return None, _sum_to_shape_of(x, grad * slope)


@ops.RegisterGradient("Cross")
def _cross_grad(op: ops.Operation, grad: Any) -> Any:
    """a: b x g; b: g x a."""
    a, b = op.inputs
    return gen_math_ops.cross(b, grad), gen_math_ops.cross(grad, a)


for _name in (
    "ApproximateEqual",
    "Bincount",
    "Bucketize",
    "DenseBincount",
    "RaggedBincount",
    "SparseBincount",
):
    ops.NotDifferentiable(_name)
