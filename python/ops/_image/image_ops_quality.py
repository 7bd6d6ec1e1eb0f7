# SPDX-License-Identifier: Apache-2.0
"""Measures of how alike two images are: the ratio of peak to noise, structural similarity.

Images are [..., height, width, channels]; batches are broadcast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    nn_impl,
    nn_ops,
)
from tensorwright.python.ops._image.image_ops_checks import after
from tensorwright.python.ops._image.image_ops_color import convert_image_dtype

_SIDES = [-3, -2]
_MULTISCALE_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def psnr(
    a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None
) -> ops.Tensor:
    """The ratio of peak to noise in decibels, 20 log10(max_val) - 10 log10(mean (a - b)^2): float32 [...].

    Args:
        a: images [..., height, width, channels], integer or floating.
        b: likewise, of the same dtype.
        max_val: the range of the numbers, the difference of the greatest and the least possible one.
        name: the name of the ops.

    Raises:
        ValueError: the shapes are known not to fit; if only the run knows, it raises InvalidArgumentError.
    """
    with ops.name_scope(name, "PSNR", [a, b]):
        a, b, peak = _comparable(a, b, max_val, "psnr")
        error = math_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
        decibels = 10 / math.log(10)
        return 2 * decibels * math_ops.log(peak) - decibels * math_ops.log(error)


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> ops.Tensor:
    """Structural similarity, the mean over windows and channels: float32 [...].

    For each window, with means, variances and the covariance weighted by a Gaussian,
    (2 m1 m2 + c1) (2 cov + c2) / ((m1^2 + m2^2 + c1) (var1 + var2 + c2)), c = (k max_val)^2.
    1 says that images are equal.

    Args:
        img1: images [..., height, width, channels], integer or floating.
        img2: likewise, of the same dtype.
        max_val: the range of the numbers, the difference of the greatest and the least possible one.
        filter_size: the size of a window; no side of an image may be smaller.
        filter_sigma: the deviation of the Gaussian.
        k1: the constant of the term that keeps the quotient of means stable.
        k2: likewise, of variances.
        return_index_map: whether to return the similarity of each window, the mean over channels only: [..., rows,
        columns].

    Raises:
        ValueError: the shapes are known not to fit; if only the run knows, it raises InvalidArgumentError.
    """
    with ops.name_scope(None, "SSIM", [img1, img2]):
        img1, img2, peak = _comparable(img1, img2, max_val, "ssim")
        window = _gaussian(filter_size, filter_sigma)
        light, contrast = _window_terms(img1, img2, peak, window, k1, k2, "ssim")
        similarity = light * contrast
        if not return_index_map:
            similarity = math_ops.reduce_mean(similarity, _SIDES)
        return math_ops.reduce_mean(similarity, [-1])


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = _MULTISCALE_POWERS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> ops.Tensor:
    """Structural similarity over several scales, each of half the size of the one before: float32 [...].

    The product of the second quotients of `ssim` at all scales but the last and of the whole there, each cut off at
    zero and raised to its power; the mean over channels of that.

    Args:
        img1: images [..., height, width, channels], integer or floating.
        img2: likewise, of the same dtype.
        max_val: as for `ssim`.
        power_factors: one for each scale, the first for the images as they are.
        filter_size: the size of a window; no side of an image of the last scale may be smaller.
        filter_sigma: as for `ssim`.
        k1: as for `ssim`.
        k2: as for `ssim`.

    Raises:
        ValueError: the shapes are known not to fit; if only the run knows, it raises InvalidArgumentError.
    """
    if not len(power_factors):
        raise ValueError("ssim_multiscale: power_factors must not be empty")
    with ops.name_scope(None, "MS-SSIM", [img1, img2]):
        img1, img2, peak = _comparable(img1, img2, max_val, "ssim_multiscale")
        window = _gaussian(filter_size, filter_sigma)
        product = None
        for scale, power in enumerate(power_factors):
            with ops.name_scope(f"Scale{scale}", values=[img1, img2]):
                if scale:
                    img1, img2 = _halved(img1), _halved(img2)
                light, contrast = _window_terms(
                    img1, img2, peak, window, k1, k2, "ssim_multiscale"
                )
                last = scale == len(power_factors) - 1
                term = math_ops.reduce_mean(
                    light * contrast if last else contrast, _SIDES
                )
                term = math_ops.pow(nn_ops.relu(term), power)
                product = term if product is None else product * term
        if product is None:
            raise ValueError("ssim_multiscale: power_factors must not be empty")
        return math_ops.reduce_mean(product, [-1])


def _comparable(
    a: Any, b: Any, max_val: Any, name: str
) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
    """Returns both images and the range of their numbers in float32; ValueError if the shapes do not fit."""
    a = ops.convert_to_tensor(a, name="a")
    b = ops.convert_to_tensor(b, name="b", dtype=a.dtype.base_dtype)
    shapes = a.get_shape(), b.get_shape()
    for shape in shapes:
        if shape.ndims is not None and shape.ndims < 3:
            raise ValueError(
                f"{name}: images must have rank at least 3, got shape {shape}"
            )
    known = all(shape.ndims is not None for shape in shapes)
    message = f"{name}: images must be of one size, got shapes "
    if known:
        if not shapes[0][-3:].is_compatible_with(shapes[1][-3:]):
            raise ValueError(f"{message}{shapes[0]} and {shapes[1]}")
        # Raises ValueError where the batches do not broadcast.
        array_ops.broadcast_static_shape(shapes[0][:-3], shapes[1][:-3])
    checks = []
    if not known or not all(shape[-3:].is_fully_defined() for shape in shapes):
        dims = array_ops.shape(a), array_ops.shape(b)
        same = math_ops.reduce_all(math_ops.equal(dims[0][-3:], dims[1][-3:]))
        checks.append(control_flow_ops.Assert(same, [message, *dims]))
    peak = convert_image_dtype(math_ops.cast(max_val, a.dtype), dtypes.float32)
    a, b = (convert_image_dtype(x, dtypes.float32) for x in (a, b))
    return after(checks, a), b, peak


def _gaussian(size: int, sigma: float) -> np.ndarray:
    """Weights along one side of a window, which add up to 1: float32 [size]."""
    distance = np.arange(size, dtype=np.float64) - (size - 1) / 2
    weights = np.exp(-0.5 * np.square(distance / sigma))
    return (weights / weights.sum()).astype(np.float32)


def _window_terms(
    x: ops.Tensor,
    y: ops.Tensor,
    peak: ops.Tensor,
    window: np.ndarray,
    k1: float,
    k2: float,
    name: str,
) -> tuple[ops.Tensor, ops.Tensor]:
    """The two quotients of similarity, of means and of variances: [..., rows, columns, channels] each."""
    x = _fitting(x, len(window), name)
    y = _fitting(y, len(window), name)
    c1 = math_ops.square(k1 * peak)
    c2 = math_ops.square(k2 * peak)
    mean_x, mean_y = _weighted(x, window), _weighted(y, window)
    products = 2 * mean_x * mean_y
    squares = math_ops.square(mean_x) + math_ops.square(mean_y)
    light = (products + c1) / (squares + c1)
    covariance = 2 * _weighted(x * y, window) - products
    variances = _weighted(math_ops.square(x) + math_ops.square(y), window) - squares
    return light, (covariance + c2) / (variances + c2)


def _fitting(images: ops.Tensor, size: int, name: str) -> ops.Tensor:
    """`images`, on whose sides a window of `size` has room."""
    message = f"{name}: height and width must be >= filter_size {size}, got "
    shape = images.get_shape()
    sides = [None, None] if shape.ndims is None else shape.as_list()[-3:-1]
    if any(side is not None and side < size for side in sides):
        raise ValueError(f"{message}shape {shape}")
    if None not in sides:
        return images
    dims = array_ops.shape(images)
    fits = math_ops.reduce_all(dims[-3:-1] >= size)
    return after([control_flow_ops.Assert(fits, [message, dims])], images)


def _weighted(images: ops.Tensor, window: np.ndarray) -> ops.Tensor:
    """The weighted mean of each window and channel.

    A Gaussian of two dimensions is the product of two of one: 2 n multiplications an element, not n^2.  The pass over
    rows takes columns for channels too, of which the convolution works on many at once.
    """
    known = images.get_shape().ndims is not None
    shape = array_ops.shape(images)
    flat = array_ops.reshape(images, array_ops.concat([[-1], shape[-3:]], 0))
    flat.set_shape(
        [None, *(images.get_shape().as_list()[-3:] if known else [None] * 3)]
    )
    _, height, width, channels = array_ops.sizes(flat)
    rows = array_ops.reshape(flat, array_ops.stack([-1, height, 1, width * channels]))
    means = _filtered(rows, window.reshape([-1, 1, 1, 1]), width * channels)
    means = array_ops.reshape(
        means, array_ops.stack([-1, height - len(window) + 1, width, channels])
    )
    return _batched(_filtered(means, window.reshape([1, -1, 1, 1]), channels), images)


def _filtered(images: ops.Tensor, window: np.ndarray, channels: Any) -> ops.Tensor:
    """Each channel convolved with the same window."""
    windows = array_ops.tile(window, array_ops.stack([1, 1, channels, 1]))
    return nn_impl.depthwise_conv2d(images, windows, [1, 1, 1, 1], "VALID")


def _batched(flat: ops.Tensor, images: ops.Tensor) -> ops.Tensor:
    """`flat` [n, height, width, channels] with the batch dimensions of `images`."""
    shape = array_ops.concat(
        [array_ops.shape(images)[:-3], array_ops.shape(flat)[1:]], 0
    )
    result = array_ops.reshape(flat, shape)
    if images.get_shape().ndims is not None:
        result.set_shape(images.get_shape()[:-3].concatenate(flat.get_shape()[1:]))
    return result


def _halved(images: ops.Tensor) -> ops.Tensor:
    """The mean of each square of 2 x 2 pixels; the last row and column of odd ones are doubled."""
    shape = array_ops.shape(images)
    flat = array_ops.reshape(images, array_ops.concat([[-1], shape[-3:]], 0))
    known = images.get_shape().ndims is not None
    flat.set_shape(
        [None, *(images.get_shape().as_list()[-3:] if known else [None] * 3)]
    )
    odd = [side % 2 for side in array_ops.sizes(flat)[1:3]]
    if odd != [0, 0]:
        paddings = [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]]
        flat = array_ops.pad(flat, paddings, mode="SYMMETRIC")
    return _batched(nn_ops.avg_pool(flat, 2, 2, "VALID"), images)
