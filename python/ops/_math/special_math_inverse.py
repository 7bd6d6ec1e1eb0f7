# SPDX-License-Identifier: Apache-2.0
"""Inverses of the error function and the normal distribution, and the next float: composed of other ops."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, gen_math_ops, math_ops
from tensorwright.python.ops.custom_gradient import custom_gradient

_SQRT_PI = math.sqrt(math.pi)
# Of the first guess, exact to about 0.2 %: log(1 - erf(y)^2) is almost a quadratic function of y^2.
_GUESS = 0.147
_HALLEY_STEPS = 3
_LEAST = 2.0**-1022


def _floating(x: Any, name: str) -> ops.Tensor:
    x = ops.convert_to_tensor(x, name="x")
    if not x.dtype.is_floating:
        raise TypeError(f"{name}: x must be floating, got {x.dtype.name}")
    return x


def _erfinv_positive(x: ops.Tensor, c: ops.Tensor) -> ops.Tensor:
    """y >= 0 with erf(y) = x and erfc(y) = c, of x in [0, 1) and c = 1 - x, both float64.

    A small x and a small c each say exactly what the other has lost.
    """
    log = math_ops.log(c * (1 + x))  # log(1 - x^2)
    half = 2 / (math.pi * _GUESS) + log / 2
    # sqrt(half^2 - log / a) - half, without cancelling where x is small.
    log_a = -log / _GUESS
    y = math_ops.sqrt(log_a / (math_ops.sqrt(half * half + log_a) + half))
    for _ in range(_HALLEY_STEPS):
        error = array_ops.where(c < 0.5, c - math_ops.erfc(y), math_ops.erf(y) - x)
        # The guess of the least c is beyond what exp(y^2) can hold.
        step = error * (_SQRT_PI / 2) * math_ops.exp(math_ops.minimum(y * y, 708.0))
        y = y - step / (1 + y * step)
    return y


def _in_float64(x: ops.Tensor, function: Any) -> ops.Tensor:
    return math_ops.cast(function(math_ops.cast(x, dtypes.float64)), x.dtype)


def _erfinv(x: ops.Tensor) -> ops.Tensor:
    size = math_ops.abs(x)
    inside = math_ops.logical_and(size < 1, size > 0)
    safe = array_ops.where(inside, size, array_ops.ones_like(x) / 2)
    y = _erfinv_positive(safe, 1 - safe) * math_ops.sign(x)
    # 0 and its sign, the infinities at -1 and 1, and nan beyond.
    outside = array_ops.where(math_ops.equal(x, 0), x, x / (1 - size))
    outside = array_ops.where(size > 1, x * math.nan, outside)
    return array_ops.where(inside, y, outside)


def _erfcinv(x: ops.Tensor) -> ops.Tensor:
    inside = math_ops.logical_and(x > 0, x < 2)
    safe = array_ops.where(inside, x, array_ops.ones_like(x))
    mirrored = safe > 1
    # erfc gives no denormals: those count as the least normal number.
    c = math_ops.maximum(array_ops.where(mirrored, 2 - safe, safe), _LEAST)
    near = array_ops.where(mirrored, safe - 1, 1 - safe)
    # erfcinv(1) is 0, of which no step of ours is finite.
    middle = math_ops.equal(near, 0)
    half = array_ops.ones_like(x) / 2
    y = _erfinv_positive(
        array_ops.where(middle, half, near), array_ops.where(middle, half, c)
    )
    y = array_ops.where(middle, array_ops.zeros_like(x), y)
    y = array_ops.where(mirrored, -y, y)
    ends = array_ops.where(
        math_ops.equal(x, 0), array_ops.ones_like(x), -array_ops.ones_like(x)
    )
    at_end = math_ops.logical_or(math_ops.equal(x, 0), math_ops.equal(x, 2))
    outside = array_ops.where(at_end, ends * math.inf, x * math.nan)
    return array_ops.where(inside, y, outside)


def _ndtri(p: ops.Tensor) -> ops.Tensor:
    return 0 - math.sqrt(2) * _erfcinv(2 * p)


def _half_square(y: ops.Tensor) -> ops.Tensor:
    return math_ops.square(y) / 2


def _with_gradient(inverse: Any, factor: float, exponent: Any) -> Any:
    """y = `inverse`(x), computed in float64; dy / dx = `factor` exp(`exponent`(y))."""

    @custom_gradient
    def function(x: ops.Tensor) -> Any:
        def grad(upstream: ops.Tensor) -> ops.Tensor:
            # Computed again, of what has a gradient: so the second derivative is right too.
            return upstream * factor * math_ops.exp(exponent(function(x)))

        return _in_float64(x, inverse), grad

    return function


_ERFINV = _with_gradient(_erfinv, _SQRT_PI / 2, math_ops.square)
_ERFCINV = _with_gradient(_erfcinv, -_SQRT_PI / 2, math_ops.square)
_NDTRI = _with_gradient(_ndtri, math.sqrt(2 * math.pi), _half_square)


def erfinv(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """y with erf(y) = x, of x in [-1, 1]; nan elsewhere.  Any floating dtype, computed in float64.

    d erfinv / dx = sqrt(pi) / 2 exp(y^2).
    """
    with ops.name_scope(name, "erfinv", [x]):
        return _ERFINV(_floating(x, "erfinv"))


def erfcinv(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """y with erfc(y) = x, of x in [0, 2]; nan elsewhere.  Any floating dtype, computed in float64.

    d erfcinv / dx = -sqrt(pi) / 2 exp(y^2).
    """
    with ops.name_scope(name, "erfcinv", [x]):
        return _ERFCINV(_floating(x, "erfcinv"))


def ndtri(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The quantile of the normal distribution: y such that a normal number is below y with probability x in [0, 1].

    Any floating dtype, computed in float64; nan elsewhere.  d ndtri / dx = sqrt(2 pi) exp(y^2 / 2).
    """
    with ops.name_scope(name, "ndtri", [x]):
        return _NDTRI(_floating(x, "ndtri"))


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> ops.Tensor:
    """The float next to `x1` in the direction of `x2`, `x2` where they are equal: float32 or float64, broadcast.

    Its gradient is that of `x1`.
    """
    with ops.name_scope(name, "nextafter", [x1, x2]):
        x1 = ops.convert_to_tensor(x1, name="x1")
        x2 = ops.convert_to_tensor(x2, dtype=x1.dtype.base_dtype, name="x2")
        if x1.dtype.base_dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError(f"nextafter: x1 must be float32 or float64, got {x1.dtype}")
        return _nextafter_with_gradient(x1, x2)


@custom_gradient
def _nextafter_with_gradient(x1: ops.Tensor, x2: ops.Tensor) -> Any:
    def grad(upstream: ops.Tensor) -> Any:
        axes, _ = gen_array_ops.broadcast_gradient_args(
            array_ops.shape(x1), array_ops.shape(x2)
        )
        of_x1 = array_ops.reshape(
            math_ops.reduce_sum(upstream, axes), array_ops.shape(x1)
        )
        return of_x1, array_ops.zeros_like(x2)

    return _nextafter(x1, x2), grad


def _nextafter(x1: ops.Tensor, x2: ops.Tensor) -> ops.Tensor:
    """By the bits: as integers the floats of a sign are in order.  Nothing here is arithmetic on a denormal."""
    integer = dtypes.int32 if x1.dtype == dtypes.float32 else dtypes.int64
    shape = array_ops.broadcast_dynamic_shape(array_ops.shape(x1), array_ops.shape(x2))
    static = array_ops.broadcast_static_shape(x1.get_shape(), x2.get_shape())
    x1, x2 = (array_ops.broadcast_to(x, shape) for x in (x1, x2))

    def order(x: ops.Tensor) -> ops.Tensor:
        """..., -1 for the largest negative denormal, 0 for both zeros, 1, ..."""
        bits = array_ops.bitcast(x, integer)
        return array_ops.where(bits < 0, integer.min - bits, bits)

    a, b = order(x1), order(x2)
    place = a + math_ops.cast(b > a, integer) - math_ops.cast(b < a, integer)
    # Back to bits; -0.0 has the place of 0.0, and is what x1 above it leaves behind.
    negative = math_ops.logical_or(place < 0, math_ops.logical_and(place < 1, a < 0))
    bits = array_ops.where(negative, integer.min - place, place)
    value = array_ops.bitcast(bits, x1.dtype)
    value = array_ops.where(math_ops.equal(a, b), x2, value)
    nan = math_ops.logical_or(gen_math_ops.is_nan(x1), gen_math_ops.is_nan(x2))
    value = array_ops.where(nan, array_ops.ones_like(x1) * math.nan, value)
    value.set_shape(static)
    return value
