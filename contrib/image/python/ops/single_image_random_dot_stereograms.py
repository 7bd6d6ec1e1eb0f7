# SPDX-License-Identifier: Apache-2.0
"""Stereograms of random dots: one picture in which two eyes see depth.

The algorithm is that of Thimbleby, Inglis and Witten, "Displaying 3D Images: Algorithms for Single-Image Random-Dot
Stereograms", Computer 27 (1994): pixels of a row that both eyes see as one point of the surface are linked, and
linked pixels have one colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import script_ops

__all__ = ["single_image_random_dot_stereograms"]

_BLACK, _WHITE = 0, 255


class _Optics:
    """The eyes: how far apart two pixels are that show one point of a depth in [0, 1]."""

    def __init__(self, dots_per_inch: int, eye_separation: float, mu: float):
        self.eyes = eye_separation * dots_per_inch
        self.mu = mu

    def separation(self, depth: Any) -> Any:
        return np.rint(
            (1 - self.mu * depth) * self.eyes / (2 - self.mu * depth)
        ).astype(int)

    def is_hidden(self, row: np.ndarray, x: int) -> bool:
        """Whether a nearer part of the row is between the point at x and an eye."""
        depth = row[x]
        t = 1
        while True:
            reach = depth + 2 * (2 - self.mu * depth) * t / (self.mu * self.eyes)
            if reach >= 1:
                return False
            if x - t < 0 or x + t >= len(row):
                return False
            if row[x - t] >= reach or row[x + t] >= reach:
                return True
            t += 1


def _linked(row: np.ndarray, optics: _Optics, hidden: bool) -> np.ndarray:
    """For each pixel one to its right, or itself, of the same colour."""
    width = len(row)
    same = np.arange(width)
    separations = optics.separation(row)
    for x in range(width):
        s = separations[x]
        left = x - s // 2
        right = left + s
        if left < 0 or right >= width or (hidden and optics.is_hidden(row, x)):
            continue
        k = same[left]
        # Pixels are linked in chains: each to the nearest one on its right.
        while k != left and k != right:
            if k < right:
                left = k
            else:
                left, right = right, k
            k = same[left]
        same[left] = right
    return same


def _dots(same: np.ndarray, colours: int, depth: int, rng: Any) -> np.ndarray:
    width = len(same)
    pixels = np.empty([width, depth], np.uint8)
    for x in range(width - 1, -1, -1):
        if same[x] != x:
            pixels[x] = pixels[same[x]]
        elif colours == 2:
            pixels[x] = _BLACK if rng.random() < 0.5 else _WHITE
        else:
            pixels[x] = rng.integers(0, 256, depth)
    return pixels


def _normalized(depths: np.ndarray, options: dict[str, Any]) -> np.ndarray:
    depths = depths.astype(np.float64)
    if not options["normalize"]:
        return np.clip(depths, 0, 1)
    low, high = options["normalize_min"], options["normalize_max"]
    if high < low:
        # That says: the values' own range.
        low, high = float(depths.min()), float(depths.max())
    span = high - low
    if span == 0:
        return np.zeros_like(depths)
    return np.clip((depths - low) / span, 0, 1)


def _on_canvas(depths: np.ndarray, options: dict[str, Any]) -> np.ndarray:
    """The depths in the middle of the window of a canvas, the nearest elements of the values where they are scaled."""
    width, height, _ = options["output_image_shape"]
    window_width, window_height = options["output_data_window"]
    canvas = np.full([height, width], options["border_level"], np.float64)
    rows = np.arange(window_height) * depths.shape[0] // window_height
    columns = np.arange(window_width) * depths.shape[1] // window_width
    top, left = (height - window_height) // 2, (width - window_width) // 2
    canvas[top : top + window_height, left : left + window_width] = depths[
        np.ix_(rows, columns)
    ]
    return canvas


def _draw(depths: np.ndarray, options: dict[str, Any]) -> np.ndarray:
    if not depths.size:
        raise ValueError("single_image_random_dot_stereograms: depth_values is empty")
    width, height, channels = options["output_image_shape"]
    canvas = _on_canvas(_normalized(depths, options), options)
    optics = _Optics(options["dots_per_inch"], options["eye_separation"], options["mu"])
    rng = np.random.default_rng()
    image = np.empty([height, width, channels], np.uint8)
    marks = options["convergence_dots_size"]
    for y in range(height):
        same = _linked(canvas[y], optics, options["hidden_surface_removal"])
        image[y] = _dots(same, options["number_colors"], channels, rng)
    if marks > 0:
        # Two dots as far apart as pixels of the background: where they are three, the eyes are right.
        apart = int(optics.separation(np.float64(0)))
        for middle in (width // 2 - apart // 2, width // 2 + apart // 2):
            image[height - 2 * marks : height - marks, max(middle - marks // 2, 0) : middle + marks // 2] = _BLACK  # fmt: skip
    return image


def single_image_random_dot_stereograms(
    depth_values: TensorLike,
    hidden_surface_removal: bool | None = None,
    convergence_dots_size: int | None = None,
    dots_per_inch: int | None = None,
    eye_separation: float | None = None,
    mu: float | None = None,
    normalize: bool | None = None,
    normalize_max: float | None = None,
    normalize_min: float | None = None,
    border_level: float | None = None,
    number_colors: int | None = None,
    output_image_shape: Sequence[int] | None = None,
    output_data_window: Sequence[int] | None = None,
) -> ops.Tensor:
    """A picture of random dots, new in each run, in which `depth_values` can be seen: uint8 [height, width, channels].

    Args:
        depth_values: numbers [rows, columns], far to near.
        hidden_surface_removal: whether points are left alone that a nearer part hides (True).
        convergence_dots_size: the size of two dots at the bottom, 0 for none (8).
        dots_per_inch: the resolution of the screen (72).
        eye_separation: in inches (2.5).
        mu: how deep it is, between 0 and 1 (0.3333).
        normalize: whether values are scaled to [0, 1] (True).
        normalize_max, normalize_min: the values that become 1 and 0; where the first is less, those of the depths.
        border_level: the depth around them (0.0).
        number_colors: 2 for black and white, 256 for all (256).
        output_image_shape: [width, height, channels], 1 or 3 channels ([1024, 768, 1]).
        output_data_window: [width, height] that the depths fill ([1022, 757]).

    Raises:
        ValueError: depths of another rank, or an option that cannot be.

    The picture is drawn by Python, so a graph with it runs in this process only.
    """
    options = {
        "hidden_surface_removal": True if hidden_surface_removal is None else hidden_surface_removal,
        "convergence_dots_size": 8 if convergence_dots_size is None else convergence_dots_size,
        "dots_per_inch": dots_per_inch or 72,
        "eye_separation": eye_separation or 2.5,
        "mu": 0.3333 if mu is None else mu,
        "normalize": True if normalize is None else normalize,
        "normalize_max": -100.0 if normalize_max is None else normalize_max,
        "normalize_min": 100.0 if normalize_min is None else normalize_min,
        "border_level": border_level or 0.0,
        "number_colors": number_colors or 256,
        "output_image_shape": list(output_image_shape or [1024, 768, 1]),
        "output_data_window": list(output_data_window or [1022, 757]),
    }  # fmt: skip
    depths = ops.convert_to_tensor(depth_values)
    depths.get_shape().assert_has_rank(2)
    shape, window = options["output_image_shape"], options["output_data_window"]
    if len(shape) != 3 or shape[2] not in (1, 3) or min(shape) < 1:
        raise ValueError(
            f"output_image_shape must be [width, height, 1 or 3], got {shape}"
        )
    if len(window) != 2 or min(window) < 1 or window[0] > shape[0] or window[1] > shape[1]:  # fmt: skip
        raise ValueError(f"output_data_window must be within {shape[:2]}, got {window}")
    if not 0 < options["mu"] < 1:
        raise ValueError(f"mu must be between 0 and 1, got {options['mu']}")
    image = script_ops.py_func(
        lambda values: _draw(values, options),
        [depths],
        dtypes.uint8,
        stateful=True,
        name="SingleImageRandomDotStereograms",
    )
    image.set_shape([shape[1], shape[0], shape[2]])
    return image
