# SPDX-License-Identifier: Apache-2.0
"""Contrast, hue and saturation.

Other dtypes than float16 and float32 are computed in float32, as intensities from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_image_ops, random_ops
from tensorwright.python.ops._image.image_ops_color import (
    as_float,
    convert_image_dtype,
)


def _adjusted(
    function: Callable[..., ops.Tensor],
    images: TensorLike,
    by: TensorLike,
    scope: str,
    saturate: bool = False,
) -> ops.Tensor:
    images = ops.convert_to_tensor(images, name="images")
    changed = function(as_float(images), by)
    return convert_image_dtype(changed, images.dtype, saturate=saturate, name=scope)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> ops.Tensor:
    """(x - mean) * contrast_factor + mean, with the mean of each channel of each image.

    Args:
        images: [..., height, width, channels]; integers end at the bounds of their range.
        contrast_factor: a float32 scalar.
    """
    with ops.name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        function = gen_image_ops._adjust_contrastv2
        return _adjusted(function, images, contrast_factor, scope, saturate=True)


def adjust_hue(
    image: TensorLike, delta: TensorLike, name: str | None = None
) -> ops.Tensor:
    """Colours [..., height, width, 3] with `delta`, a float32 scalar in turns, added to their hue."""
    with ops.name_scope(name, "adjust_hue", [image]) as scope:
        return _adjusted(gen_image_ops.adjust_hue, image, delta, scope)


def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> ops.Tensor:
    """Colours [..., height, width, 3] with their saturation times `saturation_factor`, a float32 scalar, at most 1."""
    with ops.name_scope(name, "adjust_saturation", [image]) as scope:
        function = gen_image_ops.adjust_saturation
        return _adjusted(function, image, saturation_factor, scope)


def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> ops.Tensor:
    """`adjust_contrast` by a factor drawn from [lower, upper); ValueError unless 0 <= lower < upper."""
    factor = _drawn("random_contrast", lower, upper, seed)
    return adjust_contrast(image, factor)


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: int | None = None
) -> ops.Tensor:
    """`adjust_saturation` by a factor drawn from [lower, upper); ValueError unless 0 <= lower < upper."""
    factor = _drawn("random_saturation", lower, upper, seed)
    return adjust_saturation(image, factor)


def random_hue(
    image: TensorLike, max_delta: float, seed: int | None = None
) -> ops.Tensor:
    """`adjust_hue` by turns drawn from [-max_delta, max_delta); ValueError unless 0 <= max_delta <= 0.5."""
    for holds, rule in ((max_delta <= 0.5, "<= 0.5"), (max_delta >= 0, "non-negative")):
        if not holds:
            raise ValueError(f"random_hue: max_delta must be {rule}, got {max_delta}")
    delta = random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    return adjust_hue(image, delta)


def _drawn(op_name: str, lower: float, upper: float, seed: int | None) -> Any:
    for holds, rule in (
        (upper > lower, "upper must be > lower"),
        (lower >= 0, "lower must be non-negative"),
    ):
        if not holds:
            raise ValueError(f"{op_name}: {rule}, got {lower} and {upper}")
    return random_ops.random_uniform([], lower, upper, seed=seed)
