# SPDX-License-Identifier: Apache-2.0
"""Resizes in NumPy and doubles, as weights of input positions for each output position.

A test of a kernel compares with `resized`; derivatives follow from the weights' transpose.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

CENTERS = [(False, False), (True, False), (False, True)]

# The sizes of images before and after: the same, larger, smaller, one pixel, odd.
SIDES = [(4, 7), (5, 5), (9, 3), (1, 4), (4, 1), (16, 33), (3, 1)]


def scale(n: int, m: int, align_corners: bool) -> float:
    return (n - 1) / (m - 1) if align_corners and m > 1 else n / m


def positions(n: int, m: int, align_corners: bool, half: bool) -> np.ndarray:
    at = np.arange(m) + (0.5 if half else 0.0)
    return at * scale(n, m, align_corners) - (0.5 if half else 0.0)


def linear(n: int, m: int, align_corners: bool, half: bool) -> np.ndarray:
    """[m, n] weights, as all that follow."""
    at = np.clip(positions(n, m, align_corners, half), 0, n - 1)
    return np.maximum(0, 1 - np.abs(at[:, None] - np.arange(n)))


def nearest(n: int, m: int, align_corners: bool, half: bool) -> np.ndarray:
    at = positions(n, m, align_corners, half)
    at = np.floor(at + 0.5) if half or align_corners else np.floor(at)
    return np.eye(n)[np.clip(at, 0, n - 1).astype(int)]


def cubic(n: int, m: int, align_corners: bool, half: bool) -> np.ndarray:
    """Keys' kernel at distances rounded to 1/1024; without half-pixel centres of slope -0.75, edges repeated."""
    a = -0.5 if half else -0.75
    at = positions(n, m, align_corners, half)
    below = np.floor(at)
    step = np.round((at - below) * 1024) / 1024
    weights = np.zeros([m, n])
    for k in range(-1, 3):
        x = np.abs(step - k)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        w = np.where(x <= 1, near, far)
        where = (below + k).astype(int)
        if half:
            w = np.where((where >= 0) & (where < n), w, 0)
        np.add.at(weights, (np.arange(m), np.clip(where, 0, n - 1)), w)
    return weights / weights.sum(1, keepdims=True) if half else weights


def area(n: int, m: int, align_corners: bool, half: bool = False) -> np.ndarray:
    """The part of each position under [x, x + 1) * scale; what is beyond the end is the last."""
    step = scale(n, m, align_corners)
    weights = np.zeros([m, n])
    for x in range(m):
        low, high = x * step, (x + 1) * step
        for i in range(int(np.floor(low)), int(np.ceil(high - 1e-9)) if step else 0):
            weights[x, min(i, n - 1)] += min(i + 1, high) - max(i, low)
    return weights / step if step else weights


Weights = Callable[[int, int, bool, bool], np.ndarray]


def resized(
    weights: Weights, images: np.ndarray, size: tuple[int, int], *centers: bool
) -> np.ndarray:
    """[batch, n, m, c] -> [batch, *size, c]."""
    rows = weights(images.shape[1], size[0], *centers)
    columns = weights(images.shape[2], size[1], *centers)
    return np.einsum(
        "yh,xw,bhwc->byxc", rows, columns, images.astype(np.float64), optimize=True
    )


def images(dtype: type, sides: tuple[int, int], channels: int) -> np.ndarray:
    rng = np.random.RandomState(sides[0] * 7 + channels)
    shape = [2, *sides, channels]
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        low, high = max(info.min, -1000), min(int(info.max), 1000)
        return rng.randint(low, high, shape).astype(dtype)
    return rng.uniform(-3, 3, shape).astype(dtype)
