# SPDX-License-Identifier: Apache-2.0
"""Codes of ranges without ends in NumPy, with which explanations of quantized numbers compare ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import Difference

_LOW, _HIGH = -(1 << 31), (1 << 31) - 1
_STEPS = (1 << 32) - 1


def _plain(x: np.ndarray) -> np.ndarray:
    return x.view(x.dtype[0]) if x.dtype.names else x


def _rounded(x: Any) -> Any:
    """Rounds to the nearest whole number, and a half to the one that is further from 0."""
    return np.trunc(x + np.copysign(0.5, x))


def _to_int64(x: float) -> int:
    """Returns the nearest end for numbers outside, 0 for NaN."""
    if np.isnan(x):
        return 0
    return int(np.clip(x, -(2.0**63), 2.0**63 - 1025))


# Requantize. -------------------------------------------------------------------------------------------------


def requantized(d: Difference) -> np.ndarray:
    """Codes of 32 bits in one range as codes of 8 bits in another."""
    codes = _plain(d.input(0)).astype(np.int64)
    ends = [np.float32(d.input(i)) for i in range(1, 5)]
    wanted = (
        _by_floats(codes, *ends) if d.dtype == "qint8" else _by_shifts(codes, *ends)
    )
    return np.reshape(wanted, codes.shape)


def _by_floats(codes: np.ndarray, low: Any, high: Any, to_low: Any, to_high: Any):
    scale = np.float32(np.float64(high - low) / _STEPS)
    first = low if high == low else _rounded(low / scale) * scale
    real = np.float32(first - np.float32(_LOW) * scale) + codes.astype("f") * scale
    none = to_high == to_low
    by = np.float32(0 if none else 255 / np.float64(to_high - to_low))
    zero = _rounded(to_low * by) + np.float32(128)
    found = _rounded(real * by) - zero
    # NaN becomes the lower end.
    return np.where(found > -128, np.minimum(found, 127), -128)


def _by_shifts(codes: np.ndarray, low: Any, high: Any, to_low: Any, to_high: Any):
    span, to_span, one = high - low, to_high - to_low, float(1 << 16)
    none = to_span == 0
    per_unit = np.float32(0 if none else 255.0 / np.float64(to_span))
    middle = np.float32(np.float64(low + high) / 2)
    scale = 0 if none else _to_int64(255.0 * one * span / np.float64(to_span))
    zero = _to_int64(middle * per_unit * np.float32(one))
    first = (
        0 if none else _to_int64(_rounded(one * (to_low * 255.0) / np.float64(to_span)))
    )
    most = 1 << 61
    offset = max(-most, min(zero, most)) - max(-most, min(first, most)) + (1 << 15)
    found = [((c * scale >> 32) + offset) >> 16 for c in codes.reshape(-1).tolist()]
    return [max(0, min(f, 255)) for f in found]


# Batch normalization. ----------------------------------------------------------------------------------------


def _byte(codes: Any, low: Any, high: Any) -> Any:
    """The real numbers of codes of 8 bits."""
    if low == high:
        return np.full(np.shape(codes), low, np.float32)
    step = np.float64(high - low) * (256.0 / 255.0) / 256.0
    first = _rounded(low / np.float32(step)) * np.float32(step)
    return (first + codes.astype(np.float64) * step).astype(np.float32)


def _result(x: Any) -> Any:
    """The codes of real numbers in the range that results have: a million on both sides."""
    most = float(1 << 20)
    per_unit = 2.0**32 / (2 * most * (2.0**32 / _STEPS))
    whole = _rounded(x.astype(np.float64) * per_unit) - _rounded(-most * per_unit)
    found = [_to_int64(w) + _LOW for w in np.reshape(whole, -1)]
    return np.reshape([float(max(_LOW, min(f, _HIGH))) for f in found], np.shape(x))


def normalized(d: Difference) -> np.ndarray:
    """QuantizedBatchNormWithGlobalNormalization."""
    triples = [[_plain(d.input(3 * i + j)) for j in range(3)] for i in range(5)]
    ends = [[np.float32(np.ravel(e)[0]) for e in t[1:]] for t in triples]
    real = [_byte(t[0], *e) for t, e in zip(triples, ends)]
    t, mean, variance, beta, gamma = real
    root = np.sqrt(variance + np.float32(d.attrs["variance_epsilon"]))
    scales = d.attrs["scale_after_normalization"]
    s = (gamma if scales else np.float32(1)) / root
    offset = _result(-mean * s + beta)
    one = _result(np.float32(1))
    found = np.trunc(_result(t) * _result(s) / one) + offset
    return np.clip(found, _LOW, _HIGH)


# Fake ranges. ------------------------------------------------------------------------------------------------


def passed(d: Difference) -> np.ndarray:
    """FakeQuantWithMinMaxArgsGradient: the gradients within the range that has codes, times 0 the others."""
    g, x = (np.asarray(d.input(i), np.float32) for i in (0, 1))
    low, high = (np.float32(d.attrs[a]) for a in ("min", "max"))
    first = int(d.attrs["narrow_range"])
    last = (1 << d.attrs["num_bits"]) - 1
    scale = (high - low) / np.float32(last - first)
    point = first - low / scale
    zero = np.clip(_rounded(point), first, last)
    inside = (x >= (first - zero) * scale) & (x <= (last - zero) * scale)
    return g * inside
