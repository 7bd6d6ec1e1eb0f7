# SPDX-License-Identifier: Apache-2.0
"""Gradients of ops of images.  Resampling is linear in the pixels: the gradient goes back by the same weights."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    gen_image_ops,
    gen_linalg_ops,
    gen_math_ops,
    math_ops,
)

for _name in (
    "DrawBoundingBoxes",
    "ExtractGlimpse",
    "GenerateBoundingBoxProposals",
    "HSVToRGB",
    "NonMaxSuppression",
    "NonMaxSuppressionV2",
    "NonMaxSuppressionV3",
    "NonMaxSuppressionV4",
    "NonMaxSuppressionWithOverlaps",
    "RandomCrop",
    "SampleDistortedBoundingBox",
    "SampleDistortedBoundingBoxV2",
):
    ops.NotDifferentiable(_name)


def _places(op: ops.Operation) -> dict[str, Any]:
    """The attrs that say where pixels are."""
    names = ("align_corners", "half_pixel_centers")
    return {name: op.get_attr(name) for name in names}


@ops.RegisterGradient("ResizeBilinear")
def _resize_bilinear_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """d images = the weights' transpose times grad; of integers none."""
    images = op.inputs[0]
    if not images.dtype.is_floating:
        return [None, None]
    return [gen_image_ops._resize_bilinear_grad(grad, images, **_places(op)), None]


@ops.RegisterGradient("ResizeBilinearGrad")
def _resize_bilinear_grad_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """d grads = grad, resized as the images were."""
    size = array_ops.shape(op.inputs[0])[1:3]
    return [gen_image_ops.resize_bilinear(grad, size, **_places(op)), None]


@ops.RegisterGradient("RGBToHSV")
def _rgb_to_hsv_grad(op: ops.Operation, grad: ops.Tensor) -> ops.Tensor:
    """The gradients of v = max, c = max - min, s = c / v and h = (k + n / c) / 6.

    n is the difference of the two channels behind the largest one.  A gray pixel has no
    hue, and a black one, or one below black, no saturation: these derivatives count as 0.
    Differences of half precision are taken in float.
    """
    images, dtype = op.inputs[0], op.inputs[0].dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        images = gen_math_ops.cast(images, dtypes.float32)
        grad = gen_math_ops.cast(grad, dtypes.float32)
    r, g, b = array_ops.unstack(images, 3, axis=-1)
    by_hue, by_saturation, by_value = array_ops.unstack(grad, 3, axis=-1)
    red = gen_math_ops.logical_and(r >= g, r >= b)
    green = gen_math_ops.logical_and(g > r, g >= b)
    blue = gen_math_ops.logical_and(b > r, b > g)
    largest = [gen_math_ops.cast(c, r.dtype) for c in (red, green, blue)]
    smallest = [
        gen_math_ops.cast(c, r.dtype)
        for c in (
            gen_math_ops.logical_and(r < g, r < b),
            gen_math_ops.logical_and(g <= r, g < b),
            gen_math_ops.logical_and(b <= r, b <= g),
        )
    ]
    top = gen_math_ops.maximum(gen_math_ops.maximum(r, g), b)
    positive = gen_math_ops.maximum(top, 0)
    range_ = top - gen_math_ops.minimum(gen_math_ops.minimum(r, g), b)
    is_red, is_green, is_blue = largest
    n = is_red * (g - b) + is_green * (b - r) + is_blue * (r - g)
    dn = (is_blue - is_green, is_red - is_blue, is_green - is_red)
    channels = []
    for high, low, d in zip(largest, smallest, dn, strict=True):
        hue = math_ops.div_no_nan(d * range_ - n * (high - low), 6 * range_ * range_)
        saturation = math_ops.div_no_nan(
            (high - low) * top - range_ * high, positive * positive
        )
        channels.append(by_hue * hue + by_saturation * saturation + by_value * high)
    return math_ops.cast(array_ops.stack(channels, axis=-1), dtype)


@ops.RegisterGradient("ResizeBicubic")
def _resize_bicubic_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """d images = the weights' transpose times grad, for float and double."""
    images = op.inputs[0]
    if images.dtype not in (dtypes.float32, dtypes.float64):
        return [None, None]
    return [gen_image_ops.resize_bicubic_grad(grad, images, **_places(op)), None]


@ops.RegisterGradient("ResizeNearestNeighbor")
def _resize_nearest_neighbor_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """d images[p] = the sum of grad where the nearest pixel is p."""
    images = op.inputs[0]
    shape = images.get_shape()[1:3]
    size = shape.as_list() if shape.is_fully_defined() else array_ops.shape(images)[1:3]
    back = gen_image_ops._resize_nearest_neighbor_grad(grad, size, **_places(op))
    return [back, None]


@ops.RegisterGradient("ScaleAndTranslate")
def _scale_and_translate_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """d images = the weights' transpose times grad, computed in float; of integers none."""
    images, _, scale, translation = op.inputs
    if not images.dtype.is_floating:
        return [None] * 4
    back = gen_image_ops.scale_and_translate_grad(
        grad,
        gen_math_ops.cast(images, dtypes.float32),
        scale,
        translation,
        kernel_type=op.get_attr("kernel_type"),
        antialias=op.get_attr("antialias"),
    )
    return [gen_math_ops.cast(back, images.dtype), None, None, None]


@ops.RegisterGradient("CropAndResize")
def _crop_and_resize_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """The image gets the weights' transpose times grad; boxes get a gradient as if the method were bilinear."""
    image, boxes, box_ind, _ = op.inputs
    by_image = None
    if image.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        by_image = gen_image_ops.crop_and_resize_grad_image(
            grad,
            boxes,
            box_ind,
            array_ops.shape(image),
            T=image.dtype,
            method=op.get_attr("method"),
        )
    by_boxes = gen_image_ops.crop_and_resize_grad_boxes(grad, image, boxes, box_ind)
    return [by_image, by_boxes, None, None]


def _inverse(transforms: ops.Tensor) -> ops.Tensor:
    """Projections [n, 8] that undo projections [n, 8]."""
    ones = array_ops.ones_like(transforms[:, :1])
    matrices = array_ops.reshape(array_ops.concat([transforms, ones], 1), [-1, 3, 3])
    back = array_ops.reshape(gen_linalg_ops.matrix_inverse(matrices), [-1, 9])
    return back[:, :8] / back[:, 8:]


def _projective_grad(op: ops.Operation, grad: ops.Tensor) -> ops.Tensor:
    """grad seen through the inverse projection: the derivative where pixels meet pixels, close to it elsewhere."""
    images, transforms = op.inputs[:2]
    return gen_image_ops.image_projective_transform_v2(
        grad,
        _inverse(transforms),
        array_ops.shape(images)[1:3],
        interpolation=op.get_attr("interpolation"),
        fill_mode=op.get_attr("fill_mode"),
    )


@ops.RegisterGradient("ImageProjectiveTransformV2")
def _image_projective_transform_grad(op: ops.Operation, grad: ops.Tensor) -> list[Any]:
    """As _projective_grad says."""
    return [_projective_grad(op, grad), None, None]


@ops.RegisterGradient("ImageProjectiveTransformV3")
def _image_projective_transform_v3_grad(
    op: ops.Operation, grad: ops.Tensor
) -> list[Any]:
    """As _projective_grad says."""
    return [_projective_grad(op, grad), None, None, None]
