# SPDX-License-Identifier: Apache-2.0
"""Gradients of quotients, products and logarithms that are 0 where 0 decides, of NextAfter and ClipByValue.

In the formulas, g stands for the gradient of the op's output.  As in TensorFlow, only DivNoNan's gradient is
conjugated for complex numbers.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.ops import array_ops, gen_array_ops, gen_math_ops, math_ops
from tensorwright.python.ops._math.math_grad_unary import _conj


def _unbroadcast(op: ops.Operation, gx: Any, gy: Any) -> list[Any]:
    """Sums each gradient over the axes along which its input was repeated."""
    shapes = [array_ops.shape(x) for x in op.inputs]
    first, second = shapes
    axes = gen_array_ops.broadcast_gradient_args(first, second)
    return [
        array_ops.reshape(math_ops.reduce_sum(g, axis), shape)
        for g, axis, shape in zip((gx, gy), axes, shapes)
    ]


def _counts(x: Any) -> Any:
    """1 where x is not 0, else 0."""
    zero = constant_op.constant(0, dtype=x.dtype.base_dtype)
    return math_ops.cast(gen_math_ops.not_equal(x, zero), x.dtype.base_dtype)


@ops.RegisterGradient("DivNoNan")
def _div_no_nan_grad(op: ops.Operation, grad: Any) -> Any:
    """g / y and -g x / y^2, and 0 where y is 0."""
    x, y = _conj(op.inputs[0]), _conj(op.inputs[1])
    ratio = gen_math_ops.div_no_nan(grad, y)
    of_y = grad * gen_math_ops.div_no_nan(gen_math_ops.div_no_nan(-x, y), y)
    return _unbroadcast(op, ratio, of_y)


@ops.RegisterGradient("MulNoNan")
def _mul_no_nan_grad(op: ops.Operation, grad: Any) -> Any:
    """g y, and 0 where y is 0; and x g, and 0 where g is 0."""
    x, y = op.inputs
    of_x = gen_math_ops.mul_no_nan(grad, y)
    return _unbroadcast(op, of_x, gen_math_ops.mul_no_nan(x, grad))


@ops.RegisterGradient("Xlogy")
def _xlogy_grad(op: ops.Operation, grad: Any) -> Any:
    """g log(y) and g x / y, and 0 where x is 0."""
    x, y = op.inputs
    of_x = gen_math_ops.xlogy(_counts(x), y) * grad
    return _unbroadcast(op, of_x, gen_math_ops.xdivy(x, y) * grad)


@ops.RegisterGradient("Xlog1py")
def _xlog1py_grad(op: ops.Operation, grad: Any) -> Any:
    """g log(1 + y) and g x / (1 + y), and 0 where x is 0."""
    x, y = op.inputs
    one = constant_op.constant(1, dtype=y.dtype.base_dtype)
    of_x = gen_math_ops.xlog1py(_counts(x), y) * grad
    return _unbroadcast(op, of_x, gen_math_ops.xdivy(x, y + one) * grad)


@ops.RegisterGradient("Xdivy")
def _xdivy_grad(op: ops.Operation, grad: Any) -> Any:
    """g / y and -g x / y^2, and 0 where x is 0."""
    x, y = op.inputs
    of_x = gen_math_ops.xdivy(_counts(x), y) * grad
    return _unbroadcast(op, of_x, gen_math_ops.xdivy(-x, gen_math_ops.square(y)) * grad)


@ops.RegisterGradient("ClipByValue")
def _clip_by_value_grad(op: ops.Operation, grad: Any) -> Any:
    """g for what is within the bounds; else for the bound, the sum of g where it is a scalar."""
    x, low, high = op.inputs
    if x.dtype.is_complex:
        raise TypeError("ClipByValue of complex numbers has no gradient")
    zeros = array_ops.zeros_like(grad)
    below, above = gen_math_ops.less(x, low), gen_math_ops.greater(x, high)
    outside = gen_math_ops.logical_or(below, above)
    result = [array_ops.where(outside, zeros, grad)]
    for bound, binds in ((low, below), (high, above)):
        shape = array_ops.shape(bound)
        axes, _ = gen_array_ops.broadcast_gradient_args(shape, array_ops.shape(x))
        g = array_ops.where(binds, grad, zeros)
        result.append(array_ops.reshape(math_ops.reduce_sum(g, axes), shape))
    return result


@ops.RegisterGradient("NextAfter")
def _next_after_grad(op: ops.Operation, grad: Any) -> Any:
    """g by the number, and 0 by the one that says the direction."""
    return _unbroadcast(op, grad, array_ops.zeros_like(grad))
