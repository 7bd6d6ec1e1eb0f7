# SPDX-License-Identifier: Apache-2.0
"""Sampling of images at given points."""

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_contrib_ops


def resampler(
    data: TensorLike, warp: TensorLike, name: str = "resampler"
) -> ops.Tensor:
    """`data` at the points of `warp`, bilinear between pixels, with zeros around images.

    Args:
        data: [batch, height, width, channels] floats.
        warp: [batch, ..., 2], columns and rows (x, y); (0, 0) is the centre of the first pixel.
        name: the name of the name scope.

    Returns:
        [batch, ..., channels].  Gradients go to both.
    """
    with ops.name_scope(name, "resampler", [data, warp]):
        data = ops.convert_to_tensor(data, name="data")
        warp = ops.convert_to_tensor(warp, name="warp")
        return gen_contrib_ops.resampler(data, warp)
