# SPDX-License-Identifier: Apache-2.0
"""Differences between neighbouring pixels."""

from __future__ import annotations

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_impl

# The kernels of Sobel: [2, 3, 3], of the vertical and of the horizontal derivative.
_SOBEL = np.array(
    [
        [[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
        [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    ]
)


def image_gradients(image: TensorLike) -> tuple[ops.Tensor, ops.Tensor]:
    """Differences to the pixel below and to the one on the right: a pair of [batch, height, width, channels].

    The last row of the first and the last column of the second are zeros.

    Raises:
        ValueError: the rank of `image` is not known to be 4.
    """
    with ops.name_scope(None, "image_gradients", [image]):
        image = ops.convert_to_tensor(image, name="image")
        shape = image.get_shape()
        if shape.ndims != 4:
            raise ValueError(
                f"image_gradients: image must have rank 4, got shape {shape}"
            )
        down = array_ops.pad(_down(image), [[0, 0], [0, 1], [0, 0], [0, 0]])
        right = array_ops.pad(_right(image), [[0, 0], [0, 0], [0, 1], [0, 0]])
        down.set_shape(shape)
        right.set_shape(shape)
        return down, right


def _down(images: ops.Tensor) -> ops.Tensor:
    return images[..., 1:, :, :] - images[..., :-1, :, :]


def _right(images: ops.Tensor) -> ops.Tensor:
    return images[..., 1:, :] - images[..., :-1, :]


def total_variation(images: TensorLike, name: str | None = None) -> ops.Tensor:
    """Sums the absolute differences of neighbouring pixels: [] for an image, [batch] for a batch.

    Raises:
        ValueError: the rank of `images` is not known to be 3 or 4.
    """
    with ops.name_scope(name, "total_variation", [images]) as scope:
        images = ops.convert_to_tensor(images, name="images")
        shape = images.get_shape()
        if shape.ndims not in (3, 4):
            raise ValueError(
                f"total_variation: images must have rank 3 or 4, got shape {shape}"
            )
        axes = [-3, -2, -1]
        return math_ops.add(
            math_ops.reduce_sum(math_ops.abs(_down(images)), axes),
            math_ops.reduce_sum(math_ops.abs(_right(images)), axes),
            name=scope,
        )


def sobel_edges(image: TensorLike) -> ops.Tensor:
    """Sobel's derivatives of each channel: floating [batch, height, width, channels] -> [..., channels, 2].

    The last dimension is (vertical, horizontal).  At the borders the image is mirrored, so that height and width must
    be at least 2.

    Raises:
        ValueError: the rank of `image` is known and not 4.
    """
    with ops.name_scope(None, "sobel_edges", [image]):
        image = ops.convert_to_tensor(image, name="image")
        shape = image.get_shape().with_rank(4)
        image.set_shape(shape)
        channels = array_ops.sizes(image)[-1]
        kernels = np.moveaxis(_SOBEL, 0, -1)[:, :, np.newaxis]
        kernels = ops.convert_to_tensor(kernels, image.dtype.base_dtype, name="kernels")
        kernels = array_ops.tile(kernels, array_ops.stack([1, 1, channels, 1]))
        padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
        edges = nn_impl.depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID")
        pairs = array_ops.concat([array_ops.shape(image), [2]], 0)
        edges = array_ops.reshape(edges, pairs)
        edges.set_shape(shape.concatenate([2]))
        return edges
