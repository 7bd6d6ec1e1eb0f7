# SPDX-License-Identifier: Apache-2.0
"""Hues and saturations in NumPy, with which explanations of pixels that are no numbers compare ours.

Comparisons are written so that a NaN goes where it goes in ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import Difference


def _at_least(x: Any, low: Any) -> Any:
    return np.where(x < low, low, x)


def _at_most(x: Any, high: Any) -> Any:
    return np.where(x > high, high, x)


def _channels(d: Difference) -> tuple[Any, Any, Any]:
    """The pixels in the dtype that ours computes in."""
    x = d.input(0)
    x = x if x.dtype == np.float64 else x.astype(np.float32)
    r, g, b = np.moveaxis(x, -1, 0)
    return r, g, b


def _extremes(r: Any, g: Any, b: Any) -> tuple[Any, Any]:
    return _at_most(_at_most(r, g), b), _at_least(_at_least(r, g), b)


def _scaled_hue(r: Any, g: Any, b: Any, top: Any, norm: Any, third: Any) -> Any:
    of_green, of_blue = norm * (b - r) + third, norm * (r - g) + 2 * third
    return np.where(r == top, norm * (g - b), np.where(g == top, of_green, of_blue))


def _hsv(r: Any, g: Any, b: Any) -> tuple[Any, Any, Any]:
    low, top = _extremes(r, g, b)
    span, one = top - low, r.dtype.type(1)
    hue = _scaled_hue(r, g, b, top, (one / span) * (one / 6), one / 3)
    hue = np.where(span > 0, hue, 0)
    hue = np.where(hue < 0, hue + 1, hue)
    return hue, np.where(top > 0, span / top, 0), top


def _parts(sixths: Any) -> list[Any]:
    """How much of red, green and blue a hue has."""
    found = (
        np.abs(sixths - 3) - 1,
        2 - np.abs(sixths - 2),
        2 - np.abs(sixths - 4),
    )
    return [_at_most(_at_least(x, 0), 1) for x in found]


def hsv(d: Difference) -> np.ndarray:
    """RGBToHSV."""
    return np.stack(_hsv(*_channels(d)), -1)


def turned(d: Difference) -> np.ndarray:
    """AdjustHue."""
    r, g, b = _channels(d)
    low, top = _extremes(r, g, b)
    span = top - low
    by = np.fmod(np.float32(d.input(1)) * np.float32(6), np.float32(6))
    hue = _scaled_hue(r, g, b, top, 1 / span, r.dtype.type(2))
    hue = np.where(span == 0, 0, hue)
    hue = np.where(hue < 0, hue + 6, hue) + np.where(by < 0, by + 6, by)
    hue = np.where(hue >= 6, hue - 6, hue)
    return np.stack([low + part * span for part in _parts(hue)], -1)


def saturated(d: Difference) -> np.ndarray:
    """AdjustSaturation."""
    hue, saturation, value = _hsv(*_channels(d))
    by = np.float32(d.input(1))
    colored = _at_most(_at_least(saturation * by, 0), 1) * value
    grey = value - colored
    return np.stack([part * colored + grey for part in _parts(hue * 6)], -1)
