# SPDX-License-Identifier: Apache-2.0
"""Images of another size.

An image is [height, width, channels], a batch of them [batch, height, width, channels].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_image_ops, math_ops
from tensorwright.python.ops._image.image_ops_checks import (
    after,
    checked_image,
    count,
    require,
)
from tensorwright.python.ops._image.image_ops_geometry import pad_to_bounding_box


class ResizeMethod:
    """The methods of `resize_images`, one of which is its `method`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


# The numbers above, and the words of TensorFlow 2.
_RESIZERS: dict[int | str, Any] = {
    ResizeMethod.BILINEAR: gen_image_ops.resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: gen_image_ops.resize_nearest_neighbor,
    ResizeMethod.BICUBIC: gen_image_ops.resize_bicubic,
    ResizeMethod.AREA: gen_image_ops.resize_area,
}
_RESIZERS |= {
    "bilinear": gen_image_ops.resize_bilinear,
    "nearest": gen_image_ops.resize_nearest_neighbor,
    "bicubic": gen_image_ops.resize_bicubic,
    "area": gen_image_ops.resize_area,
}


def resize_bilinear(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> ops.Tensor:
    """A batch resized to `size`, int32 [2], between the 2 x 2 nearest pixels by their distances: float32."""
    return gen_image_ops.resize_bilinear(
        images, size, align_corners, half_pixel_centers, name=name
    )


def resize_bicubic(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> ops.Tensor:
    """A batch resized to `size`, int32 [2], by a cubic curve through 4 x 4 pixels: float32."""
    return gen_image_ops.resize_bicubic(
        images, size, align_corners, half_pixel_centers, name=name
    )


def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> ops.Tensor:
    """A batch resized to `size`, int32 [2], by the nearest pixel: of the same dtype."""
    return gen_image_ops.resize_nearest_neighbor(
        images, size, align_corners, half_pixel_centers, name=name
    )


def resize_images(
    images: TensorLike,
    size: TensorLike,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The image, or each image of a batch, resized.

    Args:
        images: a real dtype.
        size: the new height and width, int32 [2].
        method: one of `ResizeMethod`.
        align_corners: whether the centres of the corner pixels stay corners.
        preserve_aspect_ratio: whether the image keeps its proportions, and is as large as fits into `size`.
        name: the name of the ops.

    Returns:
        float32, or the dtype of `images` for the nearest pixel; `images` itself if it is known to have that size.

    Raises:
        ValueError: the rank is not 3 or 4, `size` does not have two elements, or there is no such method.
    """
    with ops.name_scope(name, "resize", [images, size]):
        images = ops.convert_to_tensor(images, name="images")
        rank = images.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError(
                f"resize_images: images must have rank 3 or 4, got shape {images.get_shape()}"
            )
        size = ops.convert_to_tensor(size, dtypes.int32, name="size")
        if not size.get_shape().is_compatible_with([2]):
            raise ValueError(
                f"resize_images: size must be [height, width], got shape {size.get_shape()}"
            )
        if method not in _RESIZERS:
            raise ValueError(f"resize_images: no method {method!r}")
        if preserve_aspect_ratio:
            size = _fitting(images, size)
        known = tensor_util.constant_value(size)
        if known is not None and _sides(images) == tuple(map(int, known)):
            return images
        batch = images if rank == 4 else array_ops.expand_dims(images, 0)
        resized = _RESIZERS[method](batch, size, align_corners=align_corners)
        return resized if rank == 4 else array_ops.squeeze(resized, [0])


def _sides(images: ops.Tensor) -> tuple[Any, ...]:
    return tuple(images.get_shape().as_list()[-3:-1])


def _fitting(images: ops.Tensor, size: ops.Tensor) -> ops.Tensor:
    """The largest size within `size` of the images' quotient of height and width, rounded."""
    known = tensor_util.constant_value(size)
    sides = _sides(images)
    if known is not None and None not in sides:
        old = np.array(sides, np.float32)
        scale = np.min(np.float32(known) / old)
        return ops.convert_to_tensor(np.int32(np.round(scale * old)), name="size")
    old = math_ops.cast(array_ops.shape(images)[-3:-1], dtypes.float32)
    scale = math_ops.reduce_min(math_ops.cast(size, dtypes.float32) / old)
    return math_ops.cast(math_ops.round(scale * old), dtypes.int32)


def resize_image_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> ops.Tensor:
    """Makes each image as large as fits, in the middle of zeros: [..., target_height, target_width, channels].

    Args:
        image: one image or a batch.
        target_height: an int or an integer scalar.
        target_width: likewise.
        method: one of `ResizeMethod`.
        align_corners: as in `resize_images`.

    Raises:
        ValueError: a size is known not to be positive; if only the run knows, it raises InvalidArgumentError.
    """
    name = "resize_image_with_pad"
    with ops.name_scope(None, name, [image]):
        image = checked_image(image, name)
        if image.get_shape().ndims is None:
            raise ValueError(f"{name}: the rank of image must be known")
        rows = count(target_height, "target_height")
        columns = count(target_width, "target_width")
        checks = require(
            name,
            (rows > 0, "target_height must be > 0", rows),
            (columns > 0, "target_width must be > 0", columns),
        )
        image = after(checks, image)
        target = [rows, columns]
        old = array_ops.sizes(image)[-3:-1]
        if all(isinstance(side, int) for side in [*target, *old]):
            fitted, before = _fit(
                np.array(target, np.float32), np.array(old, np.float32), np
            )
            fitted = np.int32(np.floor(fitted))
            top, left = (int(n) for n in before)
        else:
            wanted, given = (
                math_ops.cast(array_ops.stack(sides), dtypes.float32)
                for sides in (target, old)
            )
            fitted, before = _fit(wanted, given, math_ops)
            fitted = math_ops.cast(math_ops.floor(fitted), dtypes.int32)
            top, left = array_ops.unstack(math_ops.cast(before, dtypes.int32), 2)
        resized = resize_images(image, fitted, method, align_corners)
        return pad_to_bounding_box(resized, top, left, rows, columns)


def _fit(target: Any, old: Any, module: Any) -> tuple[Any, Any]:
    """The largest sides within `target`, not yet rounded, and the zeros before them, rounded down."""
    quotients = old / target
    ratio = quotients.max() if module is np else module.reduce_max(quotients)
    fitted = old / ratio
    return fitted, module.maximum(module.floor((target - fitted) / 2), 0)
