# SPDX-License-Identifier: Apache-2.0
"""Initializers that keep the scale of signals from layer to layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import random_ops

__all__ = [
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: DTypeLike = dtypes.float32
) -> Callable[..., ops.Tensor]:
    """Variance 1 / n, n the mean of fan in and fan out (Glorot and Bengio 2010).

    Args:
        uniform: uniform in +-sqrt(3 / n), or else a truncated normal.
        seed: the seed of the draw.
        dtype: a floating one.

    Raises:
        TypeError: a dtype that is not floating.
    """
    return variance_scaling_initializer(
        factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype
    )


xavier_initializer_conv2d = xavier_initializer


def _fans(shape: Any) -> tuple[float, float]:
    """(fan in, fan out) of a kernel whose last two dimensions are in and out, the others its window."""
    sizes = [float(s) for s in tensor_shape.TensorShape(shape).as_list()]
    if not sizes:
        return 1.0, 1.0
    window = math.prod(sizes[:-2])
    return (sizes[-2] if len(sizes) > 1 else sizes[-1]) * window, sizes[-1] * window


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> Callable[..., ops.Tensor]:
    """Variance factor / n, n a fan of the kernel; the defaults are for ReLU (He et al. 2015).

    Args:
        factor: a factor of the variance.
        mode: FAN_IN, FAN_OUT, or FAN_AVG, their mean.
        uniform: uniform in +-sqrt(3 factor / n), or else a truncated normal.
        seed: the seed of the draw.
        dtype: a floating one.

    Raises:
        TypeError: another mode, or a dtype that is not floating.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def _initializer(
        shape: Any, dtype: DTypeLike = dtype, partition_info: Any = None
    ) -> ops.Tensor:
        del partition_info
        if not dtypes.as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        fan_in, fan_out = _fans(shape)
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out}.get(mode, (fan_in + fan_out) / 2)
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=seed)
        # Truncation at two deviations takes about that much of the variance.
        stddev = math.sqrt(1.3 * factor / n)
        return random_ops.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return _initializer
