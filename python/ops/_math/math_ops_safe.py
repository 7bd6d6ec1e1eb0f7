# SPDX-License-Identifier: Apache-2.0
"""Quotients, products and logarithms that are 0 where 0 decides, whatever the other operand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops
from tensorwright.python.ops._math.math_ops_binary import _TRUEDIV_TYPES


def _operands(x: Any, y: Any) -> tuple[ops.Tensor, ops.Tensor]:
    """Returns both as tensors of one dtype; integers become floats."""
    x = ops.convert_to_tensor(x, name="x")
    y = ops.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
    wide = _TRUEDIV_TYPES.get(x.dtype.base_dtype)
    if wide is None:
        return x, y
    return gen_math_ops.cast(x, DstT=wide), gen_math_ops.cast(y, DstT=wide)


def _named(
    name: str | None,
    default: str,
    op: Callable[..., ops.Tensor],
    x: TensorLike,
    y: TensorLike,
) -> ops.Tensor:
    with ops.name_scope(name, default, [x, y]) as scope:
        x, y = _operands(x, y)
        return op(x, y, name=scope)


def div_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y, and 0 where y is 0; integers become floats first as in `truediv`."""
    return _named(name, "div_no_nan", gen_math_ops.div_no_nan, x, y)


divide_no_nan = div_no_nan


def multiply_no_nan(
    x: TensorLike, y: TensorLike, name: str | None = None
) -> ops.Tensor:
    """x * y, and 0 where y is 0, even if x is infinite or NaN."""
    return _named(name, "multiply_no_nan", gen_math_ops.mul_no_nan, x, y)


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """1 / x, and 0 where x is 0."""
    with ops.name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = ops.convert_to_tensor(x, name="x")
        return div_no_nan(array_ops.ones_like(x), x, name=scope)


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x / y, and 0 where x is 0."""
    return _named(name, "xdivy", gen_math_ops.xdivy, x, y)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x * log(y), and 0 where x is 0."""
    return _named(name, "xlogy", gen_math_ops.xlogy, x, y)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> ops.Tensor:
    """x * log(1 + y), and 0 where x is 0."""
    return _named(name, "xlog1py", gen_math_ops.xlog1py, x, y)
