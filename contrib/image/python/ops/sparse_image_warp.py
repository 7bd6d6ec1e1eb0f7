# SPDX-License-Identifier: Apache-2.0
"""Images that are moved as a few of their points are."""

from __future__ import annotations

import numpy as np

from tensorwright.contrib.image.python.ops.dense_image_warp import dense_image_warp
from tensorwright.contrib.image.python.ops.interpolate_spline import interpolate_spline
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops

__all__ = ["sparse_image_warp"]


def _border(height: int, width: int, between: int) -> np.ndarray:
    """Points [m, 2] on the border: the corners, and `between` on each side."""
    rows, columns = np.meshgrid(
        np.linspace(0, height - 1, between + 2),
        np.linspace(0, width - 1, between + 2),
        indexing="ij",
    )
    outer = (rows == 0) | (rows == height - 1) | (columns == 0) | (columns == width - 1)
    return np.stack([rows[outer], columns[outer]], 1).astype(np.float32)


def sparse_image_warp(
    image: TensorLike,
    source_control_point_locations: TensorLike,
    dest_control_point_locations: TensorLike,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[ops.Tensor, ops.Tensor]:
    """(images, in which points of the source are where the destinations were given; the flow of all pixels).

    Args:
        image: float32 [n, height, width, channels], of a known height and width.
        source_control_point_locations: [n, m, 2] of (row, column).
        dest_control_point_locations: where these points go.
        interpolation_order, regularization_weight: for the spline that moves the other pixels.
        num_boundary_points: how many points of each side of the border stay, beside the corners; 0: the border moves too.
        name: the name of the operations.

    Raises:
        ValueError: a height or width that is not known.
    """
    with ops.name_scope(name):
        image = ops.convert_to_tensor(image)
        source = ops.convert_to_tensor(source_control_point_locations, image.dtype)
        target = ops.convert_to_tensor(dest_control_point_locations, image.dtype)
        _, height, width, _ = image.get_shape().with_rank(4).as_list()
        if height is None or width is None:
            raise ValueError(f"sparse_image_warp: height and width of image must be known, got shape {image.get_shape()}")  # fmt: skip # noqa: E501
        moves = target - source
        count = array_ops.shape(image)[0]
        if num_boundary_points > 0:
            border = ops.convert_to_tensor(_border(height, width, num_boundary_points - 1))  # fmt: skip # noqa: E501
            border = array_ops.tile(border[None], array_ops.stack([count, 1, 1]))
            target = array_ops.concat([target, border], 1)
            moves = array_ops.concat([moves, array_ops.zeros_like(border)], 1)
        grid = np.stack(np.meshgrid(range(height), range(width), indexing="ij"), 2)
        every = ops.convert_to_tensor(grid.reshape(1, -1, 2).astype(np.float32))
        every = array_ops.tile(every, array_ops.stack([count, 1, 1]))
        flow = interpolate_spline(
            target, moves, every, interpolation_order, regularization_weight
        )
        flow = array_ops.reshape(flow, array_ops.stack([count, height, width, 2]))
        return dense_image_warp(image, flow), flow
