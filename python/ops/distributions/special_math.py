# SPDX-License-Identifier: Apache-2.0
"""Distribution functions of standard distributions, and their logs where they would underflow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops._math import special_math_inverse
from tensorwright.python.util import compat

# Below these the series of log_ndtr serves; above the others log_ndtr(x) is -ndtr(-x) to the last bit.
LOGNDTR_FLOAT64_LOWER = np.array(-20, np.float64)
LOGNDTR_FLOAT32_LOWER = np.array(-10, np.float32)
LOGNDTR_FLOAT64_UPPER = np.array(8, np.float64)
LOGNDTR_FLOAT32_UPPER = np.array(5, np.float32)
_SERIES_BELOW = {
    dtypes.float32: float(LOGNDTR_FLOAT32_LOWER),
    dtypes.float64: float(LOGNDTR_FLOAT64_LOWER),
}


def _floats(x: Any, what: str) -> ops.Tensor:
    x = ops.convert_to_tensor(x, name="x")
    if x.dtype.base_dtype not in _SERIES_BELOW:
        raise TypeError(f"{what}: x must be float32 or float64, got {x.dtype.name}")
    return x


def ndtr(x: TensorLike, name: str = "ndtr") -> ops.Tensor:
    """P(X <= x) of the standard normal distribution; float32 or float64, any shape."""
    with ops.name_scope(name, values=[x]):
        return _ndtr(_floats(x, "ndtr"))


def _ndtr(x: ops.Tensor) -> ops.Tensor:
    return 0.5 * math_ops.erfc(-math.sqrt(0.5) * x)


def ndtri(p: TensorLike, name: str = "ndtri") -> ops.Tensor:
    """The x with ndtr(x) = p; nan outside of [0, 1]."""
    with ops.name_scope(name, values=[p]):
        return special_math_inverse.ndtri(_floats(p, "ndtri"))


def erfinv(x: TensorLike, name: str = "erfinv") -> ops.Tensor:
    """The y with erf(y) = x; nan outside of [-1, 1]."""
    with ops.name_scope(name, values=[x]):
        return special_math_inverse.erfinv(_floats(x, "erfinv"))


def log_ndtr(
    x: TensorLike, series_order: int = 3, name: str = "log_ndtr"
) -> ops.Tensor:
    """log P(X <= x) of the standard normal distribution, where P is less than any float too.

    Far down, at -10 (float32) or -20 (float64), by the first `series_order` terms of its asymptotic series.
    """
    if not isinstance(series_order, compat.integral_types):
        raise TypeError(f"log_ndtr: series_order must be an int, got {series_order!r}")
    if not 0 <= series_order <= 30:
        raise ValueError(
            f"log_ndtr: series_order must be in [0, 30], got {series_order}"
        )
    with ops.name_scope(name, values=[x]):
        x = _floats(x, "log_ndtr")
        low = _SERIES_BELOW[x.dtype.base_dtype]
        # Each branch gets only values that it can take, for the derivative of the branch not chosen is multiplied by 0.
        middle = math_ops.log(_ndtr(math_ops.minimum(math_ops.maximum(x, low), 0.0)))
        return array_ops.where_v2(
            x > 0,
            math_ops.log1p(-_ndtr(-math_ops.maximum(x, 0.0))),
            array_ops.where_v2(
                x > low,
                middle,
                _log_ndtr_series(math_ops.minimum(x, low), series_order),
            ),
        )


def _log_ndtr_series(x: ops.Tensor, order: int) -> ops.Tensor:
    """-x^2 / 2 - log(-x) - log(2 pi) / 2 + log(1 - 1 / x^2 + 3 / x^4 - 15 / x^6 ...) of a very negative x."""
    square = math_ops.square(x)
    total, term = array_ops.ones_like(x), array_ops.ones_like(x)
    for n in range(1, order + 1):
        term = -term * (2 * n - 1) / square
        total += term
    scale = -0.5 * square - math_ops.log(-x) - 0.5 * np.log(2 * np.pi)
    return scale + math_ops.log(total)


def log_cdf_laplace(x: TensorLike, name: str = "log_cdf_laplace") -> ops.Tensor:
    """log P(X <= x) of the standard Laplace distribution, where P is less than any float too."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name="x")
        above = math_ops.log1p(-0.5 * math_ops.exp(-math_ops.abs(x)))
        return array_ops.where_v2(x < 0, x - math.log(2.0), above)
