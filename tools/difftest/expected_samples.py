# SPDX-License-Identifier: Apache-2.0
"""Images sampled between their pixels in NumPy, with which explanations of them compare ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import Difference
from tensorwright.tools.difftest.explanation import upstream

# Scaled and moved. -------------------------------------------------------------------------------------------


def _lanczos(radius: int) -> Callable[[Any], Any]:
    def weight(x: Any) -> Any:
        return np.where(x > radius, 0, np.sinc(x) * np.sinc(x / radius))

    return weight


def _keys(x: Any) -> Any:
    near = (1.5 * x - 2.5) * x * x + 1
    return np.where(x < 1, near, ((-0.5 * x + 2.5) * x - 4) * x + 2)


def _mitchell(x: Any) -> Any:
    near = (7 / 6 * x - 2) * x * x + 8 / 9
    return np.where(x < 1, near, ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9)


# Name of a kernel -> its reach, and its weight at a distance within reach.
_KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    **{f"lanczos{n}": (n, _lanczos(n)) for n in (1, 3, 5)},
    "gaussian": (1.5, lambda x: np.exp(-2 * x * x)),
    "box": (0.5, lambda x: np.where(x < 0.5, 1.0, 0.5)),
    "triangle": (1, lambda x: 1 - x),
    "keyscubic": (2, _keys),
    "mitchellcubic": (2, _mitchell),
}


def _scaled(d: Difference, axis: int, inside: int, outside: int) -> np.ndarray:
    """[outside, inside]: the weight of each pixel in each position of a scaled and moved row."""
    scale, by = (np.float32(d.input(i)[axis]) for i in (2, 3))
    inverse = 1 / scale
    stretch = max(inverse, np.float32(1)) if d.attrs["antialias"] else np.float32(1)
    radius, weight = _KERNELS[d.attrs["kernel_type"]]
    at = (np.arange(outside, dtype=np.float32) + np.float32(0.5)) * inverse
    at = at - inverse * by
    pixels = np.arange(inside, dtype=np.float32) + np.float32(0.5)
    far = np.abs(pixels - at[:, None]) / stretch
    weights = np.where(far > radius, 0, weight(far.astype(np.float64)))
    total = weights.sum(1, keepdims=True)
    weights = np.where(np.abs(total) < 1e-35, 0, weights / total)
    seen = (at >= 0) & (at <= inside)
    return np.where(seen[:, None], weights, 0)


def _summed(weights: np.ndarray, x: np.ndarray, axis: int) -> np.ndarray:
    """Sums along an axis with weights; an element with the weight 0 does not count, not even a NaN."""
    x = np.moveaxis(x, axis, 0)
    w = weights.reshape(*weights.shape, *[1] * (x.ndim - 1))
    return np.moveaxis(np.where(w == 0, 0, w * x).sum(1), 0, axis)


def scaled(d: Difference) -> np.ndarray:
    """ScaleAndTranslate."""
    x = np.asarray(d.input(0)).astype(np.float64)
    size = d.input(1)
    for axis in (0, 1):
        weights = _scaled(d, axis, x.shape[axis + 1], int(size[axis]))
        x = _summed(weights, x, axis + 1)
    return x


def scaled_back(d: Difference) -> np.ndarray:
    """ScaleAndTranslateGrad."""
    g = np.asarray(d.input(0)).astype(np.float64)
    for axis in (0, 1):
        weights = _scaled(d, axis, d.input(1).shape[axis + 1], g.shape[axis + 1])
        g = _summed(weights.T, g, axis + 1)
    return g


# Bilinear. ---------------------------------------------------------------------------------------------------


def _linear(d: Difference, inside: int, outside: int, rounds: bool) -> np.ndarray:
    """[outside, inside]: the weights of a row that is resized, whose places are floats here and there.

    `rounds`: so are both weights of a place; or else they add up to 1.
    """
    corners = d.attrs.get("align_corners", False) and outside > 1
    by = (inside - 1, outside - 1) if corners else (inside, outside)
    step = np.float32(by[0]) / np.float32(by[1])
    places, middle = np.arange(outside), np.float32(0.5)
    half = d.attrs.get("half_pixel_centers", False)
    at = places.astype(np.float32)
    at = (at + middle) * step - middle if half else at * step
    at = at if rounds else at.astype(np.float64)
    low = np.floor(at)
    weights = np.zeros([outside, inside])
    for pixel, part in ((low, 1 - (at - low)), (low + 1, at - low)):
        np.add.at(weights, (places, np.clip(pixel, 0, inside - 1).astype(int)), part)
    return weights


def resized(d: Difference, x: np.ndarray, shape: Any) -> np.ndarray:
    """ResizeBilinear of an image to the rows and columns of a shape, in float64."""
    for axis in (1, 2):
        x = _summed(_linear(d, x.shape[axis], shape[axis], False), x, axis)
    return x


def resized_back(d: Difference) -> np.ndarray:
    """The gradient of ResizeBilinear, which is the result of ResizeBilinearGrad."""
    if d.op == "ResizeBilinearGrad":
        g, shape = d.input(0), d.input(1).shape
    else:
        g, shape = upstream(d.outputs[0][0]), d.input(0).shape
    g = np.asarray(g, np.float64)
    for axis in (1, 2):
        weights = _linear(d, shape[axis], g.shape[axis], True)
        g = _summed(weights.T, g, axis)
    return g


# Projected. --------------------------------------------------------------------------------------------------


def _reflected(at: Any, size: int) -> Any:
    """abcd continues as dcba|abcd|dcba."""
    if size <= 1:
        return 0 * at
    twice = 2 * size
    low = at + twice * np.trunc(-at / twice)
    low = np.where(low < -size, low + twice, -low - 1)
    high = at - twice * np.trunc(at / twice)
    high = np.where(high >= size, twice - high - 1, high)
    return np.where(at < 0, low, np.where(at > size - 1, high, at))


def _wrapped(at: Any, size: int) -> Any:
    """abcd continues as abcd|abcd|abcd."""
    if size <= 1:
        return 0 * at
    low = at + size * (np.trunc(-at / (size - 1)) + 1)
    high = at - size * np.trunc(at / (size - 1))
    return np.where(at < 0, low, np.where(at > size - 1, high, at))


def _mapped(mode: str, at: Any, size: int) -> Any:
    """A place in the image, or beside it; a NaN is nowhere."""
    if mode == "CONSTANT":
        return np.where(at > -1e9, np.minimum(at, 1e9), -1e9)
    if mode in ("REFLECT", "WRAP"):
        at = (_reflected if mode == "REFLECT" else _wrapped)(at, size)
    return np.where(at > 0, np.minimum(at, size - 1), 0)


def _sampled(
    image: np.ndarray, t: Any, shape: Any, attrs: dict[str, Any], fill: float
) -> np.ndarray:
    """One image [y, x, channel] through one transform."""
    rows, columns = image.shape[:2]
    y, x = (i.astype(t.dtype) for i in np.indices(shape))
    mode = attrs["fill_mode"] if image.size else "CONSTANT"
    k = t[6] * x + t[7] * y + 1
    across = _mapped(mode, (t[0] * x + t[1] * y + t[2]) / k, columns)
    down = _mapped(mode, (t[3] * x + t[4] * y + t[5]) / k, rows)
    around = np.full([rows + 2, columns + 2, image.shape[2]], fill, np.float64)
    around[1:-1, 1:-1] = image

    def at(row: Any, column: Any) -> Any:
        inside = np.clip(row, -1, rows), np.clip(column, -1, columns)
        return around[tuple(i.astype(int) + 1 for i in inside)]

    if attrs["interpolation"] == "NEAREST":
        whole = (np.trunc(v + np.copysign(0.5, v)) for v in (down, across))
        found = at(*whole)
    else:
        top, left = np.floor(down), np.floor(across)
        v, u = (down - top)[..., None], (across - left)[..., None]
        above = (1 - u) * at(top, left) + u * at(top, left + 1)
        below = (1 - u) * at(top + 1, left) + u * at(top + 1, left + 1)
        found = (1 - v) * above + v * below
    return np.where((k == 0)[..., None], fill, found)


def projected(d: Difference) -> np.ndarray:
    """ImageProjectiveTransform."""
    fill = float(d.input(3)) if len(d.case.inputs) > 3 else 0.0
    transforms = np.asarray(d.input(1), np.float32)
    images = np.asarray(d.input(0)).astype(np.float64)
    transforms = np.broadcast_to(transforms, [len(images), 8])
    size = [int(n) for n in d.input(2)]
    pairs = zip(images, transforms)
    return np.stack([_sampled(x, t, size, d.attrs, fill) for x, t in pairs])


def projected_back(d: Difference) -> np.ndarray:
    """The gradient of ImageProjectiveTransform by the images: the upstream gradient through the inverses."""
    g = np.asarray(upstream(d.outputs[0][0]), np.float64)
    t = np.asarray(d.input(1), np.float64)
    matrices = np.concatenate([t, np.ones([len(t), 1])], 1).reshape(-1, 3, 3)
    inverses = np.linalg.inv(matrices).reshape(-1, 9)
    inverses = np.broadcast_to(inverses / inverses[:, 8:], [len(g), 9])
    size = d.input(0).shape[1:3]
    pairs = zip(g, inverses)
    return np.stack([_sampled(x, i, size, d.attrs, 0.0) for x, i in pairs])
