# SPDX-License-Identifier: Apache-2.0
"""Inverses of the error function and the normal distribution, and the next float."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_math_ops, math_ops


def _of_floats(name: str, op: Callable[..., ops.Tensor], x: Any) -> ops.Tensor:
    """op(x), which has kernels for float32 and float64, of any floating dtype."""
    x = ops.convert_to_tensor(x, name="x")
    if not x.dtype.is_floating:
        raise TypeError(f"{name}: x must be floating, got {x.dtype.name}")
    if x.dtype.base_dtype in (dtypes.float32, dtypes.float64):
        return op(x)
    return math_ops.cast(op(math_ops.cast(x, dtypes.float32)), x.dtype.base_dtype)


def erfinv(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """y with erf(y) = x, of x in [-1, 1]; nan elsewhere.  Any floating dtype, computed in float64.

    d erfinv / dx = sqrt(pi) / 2 exp(y^2).
    """
    with ops.name_scope(name, "erfinv", [x]):
        return _of_floats("erfinv", gen_math_ops.erfinv, x)


def erfcinv(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """y with erfc(y) = x, of x in [0, 2]; nan elsewhere.  Any floating dtype, computed in float64.

    d erfcinv / dx = -sqrt(pi) / 2 exp(y^2).
    """

    def of_quantile(x: ops.Tensor) -> ops.Tensor:
        return -math.sqrt(0.5) * gen_math_ops.ndtri(0.5 * x)

    with ops.name_scope(name, "erfcinv", [x]):
        return _of_floats("erfcinv", of_quantile, x)


def ndtri(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The quantile of the normal distribution: a normal number is below y with the probability x in [0, 1].

    Any floating dtype, computed in float64; nan elsewhere.  d ndtri / dx = sqrt(2 pi) exp(y^2 / 2).
    """
    with ops.name_scope(name, "ndtri", [x]):
        return _of_floats("ndtri", gen_math_ops.ndtri, x)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> ops.Tensor:
    """The float next to `x1` in the direction of `x2`, `x2` where they are equal: float32 or float64, broadcast.

    Its gradient is that of `x1`.
    """
    return gen_math_ops.next_after(x1, x2, name=name)
