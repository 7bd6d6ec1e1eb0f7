# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of quantized kernels: codes as arrays, and the formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tensorwright.python.framework import dtypes

INTEGERS = {
    "qint8": np.int8,
    "quint8": np.uint8,
    "qint16": np.int16,
    "quint16": np.uint16,
    "qint32": np.int32,
}
# Ranges on both sides of 0, beside it, tiny and lopsided.
RANGES = [(-1, 1), (0, 6), (-3.3, 7.7), (-5, 0), (2, 4), (-6, -2), (0, 1e-5), (-1e3, 3)]


def codes(integers: np.ndarray, name: str) -> np.ndarray:
    """Integers as an array of that quantized type."""
    array = np.ascontiguousarray(integers, INTEGERS[name])
    return array.view(getattr(dtypes, name).as_numpy_dtype).reshape(np.shape(integers))


def integers(array: np.ndarray) -> np.ndarray:
    """Returns the codes of a quantized array as integers."""
    names = array.dtype.names
    assert names, "a quantized array has one field"
    return array[names[0]]


def limits(name: str) -> tuple[int, int]:
    """The lowest and the highest code."""
    info = np.iinfo(INTEGERS[name])
    return int(info.min), int(info.max)


def _float32(x: float) -> Any:
    return np.float32(x)


def half_away(x: npt.ArrayLike) -> np.ndarray:
    """Rounded to the nearest, halves away from zero."""
    x = np.asarray(x)
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0).astype(x.dtype)


def saturate(x: np.ndarray, name: str) -> np.ndarray:
    """Whole float32s as codes; of qint32 the highest is what a float32 holds."""
    low, high = limits(name)
    high = 2147483520 if name == "qint32" else high
    return np.clip(x.astype(np.float64), low, high).astype(INTEGERS[name])


def min_first_codes(x: np.ndarray, low: float, high: float, name: str) -> np.ndarray:
    """round(x * scale) - round(low * scale) + lowest, in float32."""
    low, high = _float32(low), _float32(high)
    first, last = limits(name)
    steps = float(last) - float(first)
    scale = np.float32(0 if low == high else steps / float(high - low))
    zero = half_away(np.float32(low * scale)) - np.float32(first)
    return saturate(half_away(x * scale) - zero, name)


def min_first_reals(c: np.ndarray, low: float, high: float, name: str) -> np.ndarray:
    """low rounded to a multiple of the step, and (c - lowest) steps above it."""
    low, high = _float32(low), _float32(high)
    first, last = limits(name)
    step = np.float32(float(high - low) / (float(last) - float(first)))
    start = low if low == high else half_away(np.float32(low / step)) * step
    return np.float32(start - np.float32(first) * step) + c.astype(np.float32) * step


def one_real(c: np.ndarray, low: float, high: float, name: str) -> np.ndarray:
    """The same in float64, as ops convert single codes."""
    low, high = _float32(low), _float32(high)
    if low == high:
        return np.full(np.shape(c), low)
    first, last = limits(name)
    step = float(high - low) / (float(last) - float(first))
    start = half_away(np.float32(low / np.float32(step))) * np.float32(step)
    above = np.asarray(c).astype(np.float32).astype(np.float64) - first
    return (np.float64(start) + above * step).astype(np.float32)


def one_code(x: np.ndarray, low: float, high: float, name: str) -> np.ndarray:
    """Unclamped codes, int64, in float64."""
    low, high = _float32(low), _float32(high)
    first, last = limits(name)
    per_unit = (float(last) - float(first)) / float(high - low)
    zero = half_away(np.float64(low) * per_unit)
    return (half_away(np.asarray(x, np.float64) * per_unit) - zero).astype(
        np.int64
    ) + first
