# SPDX-License-Identifier: Apache-2.0
"""Quotients, products and logarithms that are 0 where 0 decides, whatever the other operand.

The operand that could make a NaN is replaced before it does, so gradients stay finite too.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, gradient_registry, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops
from tensorwright.python.ops._math.math_ops_binary import _TRUEDIV_TYPES


def _broadcast(x: Any, y: Any) -> tuple[ops.Tensor, ops.Tensor]:
    """Both operands as tensors of one dtype and of their common shape."""
    x = ops.convert_to_tensor(x, name="x")
    y = ops.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
    wide = _TRUEDIV_TYPES.get(x.dtype.base_dtype)
    if wide is not None:
        x, y = gen_math_ops.cast(x, DstT=wide), gen_math_ops.cast(y, DstT=wide)
    static = x.get_shape(), y.get_shape()
    if all(s.is_fully_defined() for s in static) and (
        static[0].as_list() == static[1].as_list()
    ):
        return x, y
    return (
        gen_math_ops.add(x, array_ops.zeros_like(y)),
        gen_math_ops.add(y, array_ops.zeros_like(x)),
    )


def _is_zero(x: ops.Tensor) -> ops.Tensor:
    return gen_math_ops.equal(x, constant_op.constant(0, dtype=x.dtype.base_dtype))


def _unless(condition: ops.Tensor, value: ops.Tensor, name: str) -> ops.Tensor:
    return gen_math_ops.select(condition, array_ops.zeros_like(value), value, name=name)


def div_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y, and 0 where y is 0; integers become floats first as in `truediv`."""
    with ops.name_scope(name, "div_no_nan", [x, y]) as scope:
        x, y = _broadcast(x, y)
        zero = _is_zero(y)
        divisor = gen_math_ops.select(zero, array_ops.ones_like(y), y)
        return _unless(zero, gen_math_ops.real_div(x, divisor), scope)


divide_no_nan = div_no_nan


def multiply_no_nan(
    x: TensorLike, y: TensorLike, name: str | None = None
) -> ops.Tensor:
    """x * y, and 0 where y is 0, even if x is infinite or NaN."""
    with ops.name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x, y = _broadcast(x, y)
        factor = _unless(_is_zero(y), x, "factor")
        graph = ops.get_default_graph()
        with graph.gradient_override_map({"Mul": "MultiplyNoNan"}):
            return gen_math_ops.mul(factor, y, name=scope)


@gradient_registry.RegisterGradient("MultiplyNoNan")
def _multiply_no_nan_grad(op: ops.Operation, grad: ops.Tensor) -> list[ops.Tensor]:
    """By y it is x, also where y is 0 and the factor, of `_unless`, is not x."""
    factor, y = op.inputs
    x = factor.op.inputs[2]
    return [multiply_no_nan(grad, y), multiply_no_nan(x, grad)]


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """1 / x, and 0 where x is 0."""
    with ops.name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = ops.convert_to_tensor(x, name="x")
        return div_no_nan(array_ops.ones_like(x), x, name=scope)


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y, and 0 where x is 0."""
    with ops.name_scope(name, "xdivy", [x, y]) as scope:
        x, y = _broadcast(x, y)
        zero = _is_zero(x)
        divisor = gen_math_ops.select(zero, array_ops.ones_like(y), y)
        return _unless(zero, gen_math_ops.real_div(x, divisor), scope)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x * log(y), and 0 where x is 0."""
    with ops.name_scope(name, "xlogy", [x, y]) as scope:
        x, y = _broadcast(x, y)
        zero = _is_zero(x)
        argument = gen_math_ops.select(zero, array_ops.ones_like(y), y)
        return _unless(zero, gen_math_ops.mul(x, gen_math_ops.log(argument)), scope)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x * log(1 + y), and 0 where x is 0."""
    with ops.name_scope(name, "xlog1py", [x, y]) as scope:
        x, y = _broadcast(x, y)
        zero = _is_zero(x)
        argument = _unless(zero, y, "argument")
        return _unless(zero, gen_math_ops.mul(x, gen_math_ops.log1p(argument)), scope)
