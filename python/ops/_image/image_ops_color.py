# SPDX-License-Identifier: Apache-2.0
"""Images of other dtypes, brightness, and colours.

Integers stand for intensities from 0 to the greatest of their dtype, floating numbers for those from 0 to 1.
"""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops, random_ops
from tensorwright.python.ops._image.image_ops_checks import (
    after,
    checked_image,
    require,
)

# Arithmetic on images keeps these dtypes, and computes all others in float32.
_KEPT_DTYPES = (dtypes.float16, dtypes.float32)

# Luma of red, green and blue as ITU-R BT.601 has it, with the decimals of its users.
_GRAY = [0.2989, 0.5870, 0.1140]

# Rows are red, green and blue; columns Y, I and Q.
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]

# Rows are red, green and blue; columns Y, U and V.
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0.0],
]


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> ops.Tensor:
    """Converts `image`, of any shape, to `dtype`, and scales its numbers: 255 of uint8 is 1.0 of float32.

    Integers are scaled by the quotient of their ranges; floating numbers become integers by the greatest integer + 1/2,
    rounded down.  `saturate` clips numbers beyond the range of `dtype`; without it they are cast.

    Raises:
        AttributeError: one of the dtypes is neither integer nor floating.
    """
    image = ops.convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype).base_dtype
    have = image.dtype.base_dtype
    for each in (have, dtype):
        if not each.is_floating and not each.is_integer:
            raise AttributeError(
                f"convert_image_dtype: dtypes must be integer or floating, got {each.name}"
            )
    if dtype == have:
        return array_ops.identity(image, name=name)
    cast = math_ops.saturate_cast if saturate else math_ops.cast
    with ops.name_scope(name, "convert_image", [image]) as scope:
        if have.is_floating and dtype.is_floating:
            return math_ops.cast(image, dtype, name=scope)
        if dtype.is_floating:
            return math_ops.multiply(
                math_ops.cast(image, dtype), 1.0 / have.max, name=scope
            )
        if have.is_floating:
            return cast(image * (dtype.max + 0.5), dtype, name=scope)
        if have.max > dtype.max:
            steps = (have.max + 1) // (dtype.max + 1)
            return cast(math_ops.floordiv(image, steps), dtype, name=scope)
        steps = (dtype.max + 1) // (have.max + 1)
        return math_ops.multiply(cast(image, dtype), steps, name=scope)


def as_float(image: ops.Tensor) -> ops.Tensor:
    """The image itself if arithmetic is done in its dtype, else as float32 intensities."""
    if image.dtype.base_dtype in _KEPT_DTYPES:
        return image
    return convert_image_dtype(image, dtypes.float32)


def adjust_brightness(image: TensorLike, delta: TensorLike) -> ops.Tensor:
    """`image`, of any shape, with `delta` added to its intensities; 1.0 is the whole range of integers.

    Integers are computed in float32 and end at the bounds of their range.
    """
    with ops.name_scope(None, "adjust_brightness", [image, delta]):
        image = ops.convert_to_tensor(image, name="image")
        number = as_float(image)
        brighter = number + math_ops.cast(delta, number.dtype)
        return convert_image_dtype(brighter, image.dtype, saturate=True)


def random_brightness(
    image: TensorLike, max_delta: float, seed: int | None = None
) -> ops.Tensor:
    """`adjust_brightness` by a number drawn from [-max_delta, max_delta), the same for all images.

    Raises ValueError for a `max_delta` below 0.
    """
    if max_delta < 0:
        raise ValueError(
            f"random_brightness: max_delta must be non-negative, got {max_delta}"
        )
    delta = random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    return adjust_brightness(image, delta)


def adjust_gamma(
    image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1
) -> ops.Tensor:
    """gain * image^gamma, for intensities from 0 to 1: below a gamma of 1 brighter, above it darker.

    image: an image of any shape; integers are computed in float32 and end at the bounds of their range.

    Raises:
        ValueError: `gamma` is known to be below 0; InvalidArgumentError in the run for one known only there.
    """
    with ops.name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = ops.convert_to_tensor(image, name="image")
        number = as_float(image)
        if ops.is_dense_tensor_like(gamma):
            static = tensor_util.constant_value(gamma)
            gamma = gamma if static is None else static
        holds = cast(Any, gamma) >= 0
        checks = require("adjust_gamma", (holds, "gamma must be >= 0", gamma))
        number = after(checks, number)
        adjusted = gain * number**gamma
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def per_image_standardization(image: TensorLike) -> ops.Tensor:
    """Each image scaled to mean 0 and variance 1: numbers [..., height, width, channels] -> float32.

    The deviation divided by is at least 1 / sqrt(number of elements): an
    image of one colour becomes zeros.
    """
    name = "per_image_standardization"
    with ops.name_scope(None, name, [image]) as scope:
        image = checked_image(image, name, ranks=None)
        image = math_ops.cast(image, dtypes.float32)
        axes = [-3, -2, -1]
        count = math_ops.reduce_prod(array_ops.shape(image)[-3:])
        centered = image - math_ops.reduce_mean(image, axes, keepdims=True)
        variance = math_ops.reduce_mean(math_ops.square(centered), axes, keepdims=True)
        least = math_ops.rsqrt(math_ops.cast(count, dtypes.float32))
        deviation = math_ops.maximum(math_ops.sqrt(variance), least)
        return math_ops.divide(centered, deviation, name=scope)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> ops.Tensor:
    """The luma of each pixel, 0.2989 R + 0.5870 G + 0.1140 B: [..., 3] -> [..., 1] of the same dtype.

    Integers and doubles are computed in float32.
    """
    with ops.name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = ops.convert_to_tensor(images, name="images")
        gray = _mixed(as_float(images), [[w] for w in _GRAY], "rgb_to_grayscale")
        return convert_image_dtype(gray, images.dtype, name=scope)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> ops.Tensor:
    """Each element three times: [..., 1] -> [..., 3].

    Raises:
        ValueError: the last size is known not to be 1; InvalidArgumentError in the run where it is known only there.
    """
    with ops.name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = ops.convert_to_tensor(images, name="images")
        shape = images.get_shape().with_rank_at_least(1)
        known = None if shape.ndims is None else shape.as_list()[-1]
        last = array_ops.shape(images)[-1] if known is None else known
        checks = require(
            "grayscale_to_rgb",
            (
                math_ops.equal(last, 1) if known is None else last == 1,
                "images must have 1 channel",
                last,
            ),
        )
        once = array_ops.expand_dims(array_ops.rank(images) - 1, 0)
        multiples = array_ops.concat([array_ops.ones(once, dtypes.int32), [3]], 0)
        colored = array_ops.tile(after(checks, images), multiples, name=scope)
        if shape.ndims is not None:
            colored.set_shape(shape[:-1].concatenate([3]))
        return colored


def rgb_to_yiq(images: TensorLike) -> ops.Tensor:
    """Red, green and blue as the luma and chroma of NTSC: floating [..., 3] -> [..., 3].

    For colours in [0, 1], Y is in [0, 1], I in [-0.5957, 0.5957] and Q in [-0.5226, 0.5226].
    """
    return _mixed(images, _RGB_TO_YIQ, "rgb_to_yiq")


def yiq_to_rgb(images: TensorLike) -> ops.Tensor:
    """Reverses `rgb_to_yiq`: floating [..., 3] -> [..., 3]."""
    return _mixed(images, _YIQ_TO_RGB, "yiq_to_rgb")


def rgb_to_yuv(images: TensorLike) -> ops.Tensor:
    """Red, green and blue as the luma and chroma of PAL: floating [..., 3] -> [..., 3].

    For colours in [0, 1], Y is in [0, 1], U and V are in [-0.5, 0.5] by the usual scale of them.
    """
    return _mixed(images, _RGB_TO_YUV, "rgb_to_yuv")


def yuv_to_rgb(images: TensorLike) -> ops.Tensor:
    """Reverses `rgb_to_yuv`: floating [..., 3] -> [..., 3]."""
    return _mixed(images, _YUV_TO_RGB, "yuv_to_rgb")


def _mixed(images: Any, weights: list[list[float]], name: str) -> ops.Tensor:
    """Each pixel times a matrix [3, n]: [..., 3] -> [..., n]."""
    with ops.name_scope(None, name, [images]):
        images = ops.convert_to_tensor(images, name="images")
        matrix = ops.convert_to_tensor(weights, images.dtype.base_dtype, name="weights")
        shape = images.get_shape().with_rank_at_least(1)
        if shape.ndims is not None and not shape[-1:].is_compatible_with([3]):
            raise ValueError(f"{name}: images must have 3 channels, got shape {shape}")
        if shape.ndims is not None:
            return math_ops.tensordot(images, matrix, [[shape.ndims - 1], [0]])
        sizes = array_ops.shape(images)
        pixels = array_ops.reshape(images, array_ops.stack([-1, sizes[-1]]))
        mixed = math_ops.matmul(pixels, matrix)
        return array_ops.reshape(
            mixed, array_ops.concat([sizes[:-1], [len(weights[0])]], 0)
        )
