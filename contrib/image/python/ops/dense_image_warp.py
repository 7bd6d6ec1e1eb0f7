# SPDX-License-Identifier: Apache-2.0
"""Images that are moved pixel by pixel."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops

__all__ = ["dense_image_warp"]


def _axis(places: ops.Tensor, size: Any) -> tuple[ops.Tensor, ops.Tensor]:
    """(the pixel before each place, how far it is behind that, in [0, 1]), of an axis of that size."""
    last = math_ops.cast(size - 2, places.dtype)
    before = math_ops.minimum(math_ops.maximum(math_ops.floor(places), 0.0), last)
    behind = math_ops.minimum(math_ops.maximum(places - before, 0.0), 1.0)
    return math_ops.cast(before, dtypes.int32), behind


def interpolate_bilinear(image: ops.Tensor, places: ops.Tensor) -> ops.Tensor:
    """The values of images [n, height, width, channels] at places [n, m, 2] of (row, column): [n, m, channels].

    A place outside has the value of the pixel at the border that is next to it.
    """
    shape = array_ops.shape(image)
    row, down = _axis(places[..., 0], shape[1])
    column, right = _axis(places[..., 1], shape[2])
    down, right = down[..., None], right[..., None]
    flat = array_ops.reshape(image, array_ops.stack([-1, shape[3]]))
    first = math_ops.range(shape[0])[:, None] * shape[1]

    def at(r: Any, c: Any) -> ops.Tensor:
        return array_ops.gather(flat, (first + r) * shape[2] + c)

    above = at(row, column) * (1.0 - right) + at(row, column + 1) * right
    below = at(row + 1, column) * (1.0 - right) + at(row + 1, column + 1) * right
    return above * (1.0 - down) + below * down


def dense_image_warp(
    image: TensorLike, flow: TensorLike, name: str = "dense_image_warp"
) -> ops.Tensor:
    """Images whose pixel at (row, column) is that at (row, column) - flow, between pixels by bilinear interpolation.

    Args:
        image: floats [n, height, width, channels], height and width at least 2.
        flow: a tensor of the same dtype, [n, height, width, 2].
        name: the name of the operations.
    """
    with ops.name_scope(name):
        image = ops.convert_to_tensor(image)
        flow = ops.convert_to_tensor(flow, image.dtype)
        shape = array_ops.shape(image)
        rows, columns = array_ops.meshgrid(
            math_ops.range(shape[1]), math_ops.range(shape[2]), indexing="ij"
        )
        grid = math_ops.cast(array_ops.stack([rows, columns], 2), flow.dtype)
        places = array_ops.reshape(grid - flow, array_ops.stack([shape[0], -1, 2]))
        warped = array_ops.reshape(interpolate_bilinear(image, places), shape)
        warped.set_shape(image.get_shape())
        return warped
