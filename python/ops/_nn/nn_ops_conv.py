# SPDX-License-Identifier: Apache-2.0
"""Two-dimensional convolution, and its gradient used as a layer of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import Ints, PaddingLike, TensorLike
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.util.renamed_arguments import required_argument


def _padding(padding: Any) -> tuple[str, list[int]]:
    """The attrs of "SAME", "VALID" or a list of four [before, after] pairs."""
    if isinstance(padding, (str, bytes)):
        return cast(Any, padding), []
    if padding is None or len(padding) != 4 or any(len(p) != 2 for p in padding):
        raise ValueError(
            'padding must be "SAME", "VALID" or four [before, after] pairs, '
            f"got {padding!r}"
        )
    return "EXPLICIT", [int(n) for pair in padding for n in pair]


def _window(argument: str, value: Any, channel_index: int) -> list[int]:
    """Sizes along the four axes, from one number, [height, width] or all four.

    Raises TypeError, which names the argument, for anything but integers.
    """
    given = list(value) if hasattr(value, "__len__") else [value]
    try:
        values = [int(v) for v in given]
    except (TypeError, ValueError):
        raise TypeError(
            f"{argument} must be one integer, [height, width] or four, got {value!r}"
        ) from None
    if len(values) == 4:
        return values
    if len(values) == 1:
        values *= 2
    if len(values) != 2:
        raise ValueError(f"{argument} must be 1, 2 or 4 integers, got {value!r}")
    return [1, 1, *values] if channel_index == 1 else [1, *values, 1]


def _channel_index(data_format: str | None) -> int:
    if data_format not in (None, "NHWC", "NCHW"):
        raise ValueError(f"data_format must be NHWC or NCHW, got {data_format!r}")
    return 1 if data_format == "NCHW" else 3


def conv2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Ints | None = None,
    padding: PaddingLike | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Ints = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> ops.Tensor:
    """Slides filters over images: y[b, i, j, k] = sum of x[b, s i + d di, s j + d dj, q] w[di, dj, q, k].

    Args:
      input: [batch, height, width, channels] ("NHWC") or [batch, channels, height, width]
        ("NCHW"); half, bfloat16, float or double.
      filter: [height, width, channels, out_channels], of the same dtype.
      strides: one number, two (height, width), or one for each axis of `input`.
      padding: "SAME", "VALID", or [[0, 0], [top, bottom], [left, right], [0, 0]].
      use_cudnn_on_gpu: has no effect on the CPU.
      data_format: "NHWC" or "NCHW".
      dilations: distances between taps of the filter, as `strides`.
      name: the op's name.
      filters: another name of `filter`.

    Returns:
      A tensor of the dtype of `input`: [batch, out_height, out_width, out_channels] for NHWC.
    """
    filter = required_argument("filter", filter, "filters", filters)
    channel = _channel_index(data_format)
    padding, explicit = _padding(padding)
    return gen_nn_ops.conv2d(
        input,
        filter,
        strides=_window("strides", 1 if strides is None else strides, channel),
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=_window("dilations", 1 if dilations is None else dilations, channel),
        name=name,
    )


def conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike | None = None,
    out_backprop: TensorLike | None = None,
    strides: Ints | None = None,
    padding: PaddingLike | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Ints = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> ops.Tensor:
    """The gradient of conv2d with respect to its input, of shape `input_sizes`."""
    filter = required_argument("filter", filter, "filters", filters)
    channel = _channel_index(data_format)
    padding, explicit = _padding(padding)
    return gen_nn_ops.conv2d_backprop_input(
        input_sizes,
        filter,
        cast(Any, out_backprop),
        strides=_window("strides", strides, channel),
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=_window("dilations", dilations, channel),
        name=name,
    )


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Ints,
    padding: PaddingLike,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Ints = (1, 1, 1, 1),
    name: str | None = None,
) -> ops.Tensor:
    """The gradient of conv2d with respect to its filter, of shape `filter_sizes`."""
    channel = _channel_index(data_format)
    padding, explicit = _padding(padding)
    return gen_nn_ops.conv2d_backprop_filter(
        input,
        filter_sizes,
        out_backprop,
        strides=_window("strides", strides, channel),
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=_window("dilations", dilations, channel),
        name=name,
    )


def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: Ints | None = None,
    padding: PaddingLike = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """The transpose of conv2d, often called deconvolution (Zeiler et al. 2010).

    It is the gradient of conv2d with respect to its input, so it grows images by `strides`.

    Args:
      value: [batch, height, width, in_channels] for NHWC; half, bfloat16, float or double.
      filter: [height, width, out_channels, in_channels], of the same dtype.
      output_shape: [4] int32, the shape of the result; or a list of four.
      strides: one number, two (height, width), or one for each axis of `value`.
      padding: the padding of the convolution from the result to `value`.
      data_format: "NHWC" or "NCHW".
      name: the op's name.
      input: another name of `value`.
      filters: another name of `filter`.
      dilations: as for conv2d.

    Raises:
      ValueError: depths of `value`, `filter` and `output_shape` do not fit.
    """
    value = required_argument("value", value, "input", input)
    filter = required_argument("filter", filter, "filters", filters)
    if output_shape is None:
        raise ValueError("Argument 'output_shape' is required")
    channel = _channel_index(data_format)
    with ops.name_scope(name, "conv2d_transpose", [value, filter]) as scope:
        value = ops.convert_to_tensor(value, name="value")
        filter = ops.convert_to_tensor(filter, name="filter")
        _check_depths(value, filter, output_shape, channel)
        return conv2d_backprop_input(
            output_shape,
            filter,
            value,
            strides=1 if strides is None else strides,
            padding=padding,
            data_format=data_format,
            dilations=1 if dilations is None else dilations,
            name=scope,
        )


def _check_depths(value: Any, filter: Any, output_shape: Any, channel: int) -> None:
    value_shape = value.get_shape().with_rank(4)
    filter_shape = filter.get_shape().with_rank(4)
    if not value_shape.dims[channel].is_compatible_with(filter_shape.dims[3]):
        raise ValueError(
            "input channels does not match filter's input channels, "
            f"{value_shape.dims[channel]} != {filter_shape.dims[3]}"
        )
    if isinstance(output_shape, ops.Tensor):
        return
    if len(output_shape) != 4:
        raise ValueError(f"output_shape must have 4 values, got {output_shape!r}")
    depth = output_shape[channel]
    if not isinstance(depth, ops.Tensor):
        depth = tensor_shape.as_dimension(depth)
        if not depth.is_compatible_with(filter_shape.dims[2]):
            raise ValueError(
                "output_shape does not match filter's output channels, "
                f"{depth} != {filter_shape.dims[2]}"
            )


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: PaddingLike,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> ops.Tensor:
    """Convolution of each channel with filters of its own.

    Args:
        input: images [n, h, w, c], or [n, c, h, w] with "NCHW"; float.
        filter: [kh, kw, c, multiplier].
        strides: steps along the four axes.
        padding: "SAME", "VALID" or four [before, after] pairs.
        data_format: "NHWC" or "NCHW".
        dilations: spacing of the filter's elements along the four axes.

    Returns:
        [n, h', w', c * multiplier].

    Raises ValueError for a padding of another form or shapes that do not fit.
    """
    padding, explicit = _padding(padding)
    return gen_nn_ops.depthwise_conv2d_native(
        input,
        filter,
        strides,
        padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_native_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: PaddingLike,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> ops.Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its input.

    `input_sizes` is the input's shape, int32 [4]; the rest is as there.
    """
    padding, explicit = _padding(padding)
    return gen_nn_ops.depthwise_conv2d_native_backprop_input(
        input_sizes,
        filter,
        out_backprop,
        strides,
        padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_native_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: PaddingLike,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> ops.Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its filter.

    `filter_sizes` is the filter's shape, int32 [4]; the rest is as there.
    """
    padding, explicit = _padding(padding)
    return gen_nn_ops.depthwise_conv2d_native_backprop_filter(
        input,
        filter_sizes,
        out_backprop,
        strides,
        padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )
