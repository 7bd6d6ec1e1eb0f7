# SPDX-License-Identifier: Apache-2.0
"""Convolution in two or three dimensions, of images with any number of batch dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_nn_ops


def conv(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Sequence[int] = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> ops.Tensor:
    """Slides filters over images, as `tf.nn.conv2d` and `tf.nn.conv3d` do; the rank of `filter` says which.

    Lists have a number for each axis of images with one dimension of batch: [1, height, width, 1] for CHANNELS_LAST.

    Args:
        input: [batch..., height, width, channels] or [batch..., depth, height, width, channels]; for CHANNELS_FIRST the
            channels come before the space.  half, bfloat16, float32, float64 or int32.
        filter: [height, width, channels / groups, outputs] or [depth, height, width, channels / groups, outputs], of the
            same dtype.
        strides: steps of the filter.
        padding: "SAME", "VALID" or "EXPLICIT".
        explicit_paddings: for "EXPLICIT", how much is added before and after each axis, two numbers for each.
        data_format: "CHANNELS_LAST" or "CHANNELS_FIRST".
        dilations: distances between taps of the filter; 1 if the list is empty.
        batch_dims: how many dimensions of batch `input` has.
        groups: into how many parts the channels of `input` are split, each with as many of the outputs.
        name: the op's name.

    Returns:
        A tensor of the dtype of `input`: [batch..., out_height, out_width, outputs] for CHANNELS_LAST.

    Raises:
        ValueError: for shapes or lists that do not fit each other.
    """
    return gen_nn_ops.conv(
        input,
        filter,
        strides=list(strides),
        padding=padding,
        explicit_paddings=list(explicit_paddings),
        data_format=data_format,
        dilations=list(dilations),
        batch_dims=batch_dims,
        groups=groups,
        name=name,
    )
