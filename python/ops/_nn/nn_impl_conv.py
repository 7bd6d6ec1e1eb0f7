# SPDX-License-Identifier: Apache-2.0
"""Convolution of each channel on its own, and functions built on it."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import Ints, PaddingLike, TensorLike
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.ops._nn.nn_ops_conv import _padding, conv2d
from tensorwright.python.ops._nn.nn_ops_conv_nd import _per_axis, _spatial_format
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """Convolves each channel with filters of its own; the results stand side by side.

    Args:
      input: [batch, height, width, channels] for "NHWC"; half, bfloat16, float or double.
      filter: [height, width, channels, multiplier], of the same dtype.
      strides: four numbers; both steps must be equal.
      padding: "SAME", "VALID", or four [before, after] pairs.
      rate: distances between taps, [height, width]; not together with strides other than 1.
      name: the op's name.
      data_format: "NHWC" or "NCHW".
      dilations: another name of `rate`.

    Returns:
      [batch, out_height, out_width, channels * multiplier] for NHWC.
    """
    rate = deprecated_argument_lookup("dilations", dilations, "rate", rate)
    data_format = _spatial_format(data_format, 2)
    rates = _per_axis(rate, 2, data_format)
    steps = _per_axis(strides, 2, data_format)
    if any(r != 1 for r in rates) and any(s != 1 for s in steps):
        raise ValueError(
            f"strides > 1 and rate > 1 exclude each other, got {strides!r} and {rate!r}"
        )
    padding, explicit = _padding(padding)
    with ops.name_scope(name, "depthwise", [input, filter]) as scope:
        input = ops.convert_to_tensor(input, name="tensor_in")
        filter = ops.convert_to_tensor(filter, name="filter_in")
        return gen_nn_ops.depthwise_conv2d_native(
            input,
            filter,
            strides=steps,
            padding=padding,
            explicit_paddings=explicit,
            data_format=data_format,
            dilations=rates,
            name=scope,
        )


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """depthwise_conv2d, then a 1x1 convolution that mixes the channels.

    Args:
      input: [batch, height, width, channels] for "NHWC".
      depthwise_filter: [height, width, channels, multiplier].
      pointwise_filter: [1, 1, channels * multiplier, out_channels].
      strides: the strides of the first step, as for depthwise_conv2d.
      padding: likewise.
      rate: likewise.
      name: the op's name.
      data_format: "NHWC" or "NCHW".
      dilations: another name of `rate`.
    """
    with ops.name_scope(
        name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]
    ) as scope:
        depthwise_filter = ops.convert_to_tensor(depthwise_filter)
        pointwise_filter = ops.convert_to_tensor(pointwise_filter)
        point = pointwise_filter.get_shape().with_rank(4)
        point[0].assert_is_compatible_with(1)
        point[1].assert_is_compatible_with(1)
        channels = depthwise_filter.get_shape().with_rank(4)
        (channels[2] * channels[3]).assert_is_compatible_with(point[2])
        each = depthwise_conv2d(
            input,
            depthwise_filter,
            strides,
            padding,
            rate=rate,
            data_format=data_format,
            dilations=dilations,
            name="depthwise",
        )
        return conv2d(
            each,
            pointwise_filter,
            [1, 1, 1, 1],
            "VALID",
            data_format=_spatial_format(data_format, 2),
            name=scope,
        )
