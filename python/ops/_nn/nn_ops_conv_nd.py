# SPDX-License-Identifier: Apache-2.0
"""Convolution in one and three dimensions, dilated convolution, and convolution of any rank."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    Ints,
    PaddingLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import array_ops, gen_nn_ops
from tensorwright.python.ops._nn.nn_ops_conv import (
    conv2d,
    conv2d_backprop_input,
    conv2d_transpose,
)
from tensorwright.python.util.renamed_arguments import (
    deprecated_argument_lookup,
    required_argument,
)

_SPACE = {1: "W", 2: "HW", 3: "DHW"}


def _spatial_format(data_format: str | None, count: int) -> str:
    """A data format with `count` spatial letters; None stands for channels last."""
    last, first = f"N{_SPACE[count]}C", f"NC{_SPACE[count]}"
    if data_format is None or data_format == last:
        return last
    if data_format == first:
        return first
    if count == 1 and data_format in ("NHWC", "NCHW"):  # what conv1d used to be told
        return last if data_format == "NHWC" else first
    raise ValueError(f"data_format must be {last} or {first}, got {data_format!r}")


def _channels_first(data_format: str) -> bool:
    return data_format.startswith("NC")


def _per_axis(value: Any, count: int, data_format: str) -> list[int]:
    """One number for each axis, from one, `count`, or all."""
    if value is None:
        value = 1
    values = [int(v) for v in value] if hasattr(value, "__len__") else [int(value)]
    if len(values) == count + 2:
        return values
    if len(values) == 1:
        values *= count
    if len(values) != count:
        raise ValueError(f"expected 1, {count} or {count + 2} values, got {value!r}")
    return [1, 1, *values] if _channels_first(data_format) else [1, *values, 1]


def conv1d(
    value: TensorLike | None = None,
    filters: TensorLike | None = None,
    stride: Ints | None = None,
    padding: PaddingLike | None = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """Slides filters over sequences, as conv2d over images of one row.

    Args:
      value: [batch, width, channels] ("NWC") or [batch, channels, width] ("NCW").
      filters: [width, channels, out_channels].
      stride: one number, or one for each axis of `value`.
      padding: "SAME" or "VALID".
      use_cudnn_on_gpu: has no effect on the CPU.
      data_format: "NWC" (the default) or "NCW".
      name: the op's name.
      input: another name of `value`.
      dilations: distances between taps of the filter, as `stride`.
    """
    value = required_argument("value", value, "input", input)
    data_format = _spatial_format(data_format, 1)
    with ops.name_scope(name, "conv1d", [value, filters]) as scope:
        axis = 2 if _channels_first(data_format) else 1
        strides = _per_axis(stride, 1, data_format)
        rates = _per_axis(dilations, 1, data_format)
        strides.insert(axis, 1)
        rates.insert(axis, 1)
        result = conv2d(
            array_ops.expand_dims(value, axis),
            array_ops.expand_dims(cast(Any, filters), 0),
            strides,
            padding,
            use_cudnn_on_gpu=use_cudnn_on_gpu is not False,
            data_format="NCHW" if axis == 2 else "NHWC",
            dilations=rates,
        )
        return array_ops.squeeze(result, [axis], name=scope)


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Ints,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Ints | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The transpose of conv1d: [batch, width, in], [width, out, in] -> `output_shape` [3]."""
    data_format = _spatial_format(data_format, 1)
    with ops.name_scope(name, "conv1d_transpose", [input, filters]) as scope:
        axis = 2 if _channels_first(data_format) else 1
        steps = _per_axis(strides, 1, data_format)
        rates = _per_axis(dilations, 1, data_format)
        steps.insert(axis, 1)
        rates.insert(axis, 1)
        if isinstance(output_shape, (list, tuple)):
            sizes: Any = [*output_shape[:axis], 1, *output_shape[axis:]]
        else:
            given = ops.convert_to_tensor(output_shape)
            sizes = array_ops.concat([given[:axis], [1], given[axis:]], 0)
        result = conv2d_transpose(
            array_ops.expand_dims(input, axis),
            array_ops.expand_dims(filters, 0),
            sizes,
            steps,
            padding,
            "NCHW" if axis == 2 else "NHWC",
            dilations=rates,
        )
        return array_ops.squeeze(result, [axis], name=scope)


def conv3d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Ints | None = None,
    padding: str | None = None,
    data_format: str = "NDHWC",
    dilations: Ints = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> ops.Tensor:
    """Slides filters over videos or volumes.

    Args:
      input: [batch, depth, height, width, channels] ("NDHWC"), or with channels second
        ("NCDHW"); half, bfloat16, float or double.
      filter: [depth, height, width, channels, out_channels], of the same dtype.
      strides: one number, three, or one for each axis of `input`.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: distances between taps of the filter, as `strides`.
      name: the op's name.
      filters: another name of `filter`.
    """
    data_format = _spatial_format(data_format, 3)
    return gen_nn_ops.conv3d(
        input,
        required_argument("filter", filter, "filters", filters),
        strides=_per_axis(strides, 3, data_format),
        padding=cast(Any, padding),
        data_format=data_format,
        dilations=_per_axis(dilations, 3, data_format),
        name=name,
    )


def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Ints,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Ints = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> ops.Tensor:
    """The gradient of conv3d with respect to its filter, of shape `filter_sizes`."""
    data_format = _spatial_format(data_format, 3)
    return gen_nn_ops.conv3d_backprop_filter_v2(
        input,
        filter_sizes,
        out_backprop,
        strides=_per_axis(strides, 3, data_format),
        padding=padding,
        data_format=data_format,
        dilations=_per_axis(dilations, 3, data_format),
        name=name,
    )


conv3d_backprop_filter_v2 = conv3d_backprop_filter


def conv3d_transpose(
    value: TensorLike,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: Ints | None = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """The transpose of conv3d, its gradient with respect to its input.

    Args:
      value: [batch, depth, height, width, in_channels] for NDHWC.
      filter: [depth, height, width, out_channels, in_channels], of the same dtype.
      output_shape: [5] int32 or int64, the shape of the result.
      strides: one number, three, or one for each axis of `value`.
      padding: the padding of the convolution from the result to `value`.
      data_format: "NDHWC" or "NCDHW".
      name: the op's name.
      input: another name of `value`.
      filters: another name of `filter`.
      dilations: as for conv3d.
    """
    value = required_argument("value", value, "input", input)
    filter = required_argument("filter", filter, "filters", filters)
    if output_shape is None:
        raise ValueError("Argument 'output_shape' is required")
    data_format = _spatial_format(data_format, 3)
    with ops.name_scope(name, "conv3d_transpose", [value, filter]) as scope:
        return gen_nn_ops.conv3d_backprop_input_v2(
            output_shape,
            filter,
            value,
            strides=_per_axis(strides, 3, data_format),
            padding=padding,
            data_format=data_format,
            dilations=_per_axis(dilations, 3, data_format),
            name=scope,
        )


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: Ints,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: Ints | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """conv1d_transpose, conv2d_transpose or conv3d_transpose, by the length of `output_shape`."""
    with ops.name_scope(name, "conv_transpose", [input, filters]) as scope:
        if isinstance(output_shape, ops.Tensor):
            length = output_shape.get_shape().as_list()[0]
        else:
            length = len(cast(Any, output_shape))
        if length not in (3, 4, 5):
            raise ValueError(
                f"output_shape must have 3, 4 or 5 numbers, got {output_shape!r}"
            )
        transpose = (conv1d_transpose, conv2d_transpose, conv3d_transpose)[length - 3]
        return transpose(
            input,
            filters,
            output_shape,
            strides,
            padding=padding,
            data_format=_spatial_format(data_format, length - 2),
            dilations=dilations,
            name=scope,
        )


def convolution(
    input: TensorLike,
    filter: TensorLike,
    padding: str,
    strides: Ints | None = None,
    dilation_rate: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """Convolution with one, two or three spatial dimensions, N for short.

    Args:
      input: [batch, spatial..., channels], or [batch, channels, spatial...] if `data_format`
        begins with "NC".
      filter: [spatial..., channels, out_channels].
      padding: "SAME" or "VALID".
      strides: N numbers, 1 by default.
      dilation_rate: N distances between taps of the filter, 1 by default; not together with
        strides other than 1.
      name: the op's name.
      data_format: "NWC", "NHWC", "NDHWC" or, with channels first, "NCW", "NCHW", "NCDHW".
      filters: another name of `filter`.
      dilations: another name of `dilation_rate`.
    """
    filter = required_argument("filter", filter, "filters", filters)
    rate = deprecated_argument_lookup(
        "dilations", dilations, "dilation_rate", dilation_rate
    )
    with ops.name_scope(name, "convolution", [input, filter]) as scope:
        input = ops.convert_to_tensor(input, name="input")
        filter = ops.convert_to_tensor(filter, name="filter")
        rank = input.get_shape().ndims or filter.get_shape().ndims
        if rank not in (3, 4, 5):
            raise ValueError(
                f"`input` must have 1, 2 or 3 spatial dimensions, got shape {input.get_shape()}"
            )
        count = rank - 2
        filter.get_shape().with_rank(rank)
        data_format = _spatial_format(data_format, count)
        steps = _per_axis(strides, count, data_format)
        rates = _per_axis(rate, count, data_format)
        if any(s != 1 for s in steps) and any(r != 1 for r in rates):
            raise ValueError(
                "strides > 1 and dilation_rate > 1 exclude each other, got "
                f"{strides!r} and {rate!r}"
            )
        convolve = (conv1d, conv2d, conv3d)[count - 1]
        return convolve(
            input,
            filter,
            steps,
            padding,
            data_format=data_format,
            dilations=rates,
            name=scope,
        )


class Convolution:
    """`convolution` of inputs and filters of these shapes, any number of times.

    Args:
        input_shape: the static shape of inputs, whose rank and channels must be known.
        filter_shape: the static shape of filters.
        padding: as of `convolution`, like the arguments that follow.
        strides: ...
        dilation_rate: ...
        name: the ops' name.
        data_format: ...

    Raises:
        ValueError: unknown or different ranks, or numbers of channels that differ.
    """

    def __init__(
        self,
        input_shape: ShapeLike,
        filter_shape: ShapeLike,
        padding: str,
        strides: Ints | None = None,
        dilation_rate: Ints | None = None,
        name: str | None = None,
        data_format: str | None = None,
    ):
        inputs = tensor_shape.as_shape(input_shape)
        filters = tensor_shape.as_shape(filter_shape)
        rank = inputs.ndims or filters.ndims
        if rank not in (3, 4, 5):
            raise ValueError(
                f"`input_shape` must have 1, 2 or 3 spatial dimensions, got {inputs}"
            )
        inputs, filters = inputs.with_rank(rank), filters.with_rank(rank)
        is_first = data_format is not None and data_format.startswith("NC")
        channels = inputs[1 if is_first else rank - 1]
        if not channels.is_compatible_with(filters[rank - 2]):
            raise ValueError(
                f"number of input channels does not match corresponding dimension of filter, {channels} != {filters[rank - 2]}"
            )
        self._arguments = (padding, strides, dilation_rate, name, data_format)

    def __call__(self, inp: TensorLike, filter: TensorLike) -> ops.Tensor:
        """The convolution of `inp` with `filter`."""
        return convolution(inp, filter, *self._arguments)


def atrous_conv2d(
    value: TensorLike,
    filters: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> ops.Tensor:
    """conv2d whose filter's taps lie `rate` apart: [n, h, w, c], [kh, kw, c, d] -> [n, oh, ow, d]."""
    return convolution(value, filters, padding, dilation_rate=[rate, rate], name=name)


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> ops.Tensor:
    """The transpose of atrous_conv2d: [n, h, w, d], [kh, kw, c, d] -> `output_shape` [4]."""
    if rate < 1:
        raise ValueError(f"rate {rate} cannot be less than one")
    with ops.name_scope(name, "atrous_conv2d_transpose", [value, filters]) as scope:
        return conv2d_backprop_input(
            output_shape,
            filters,
            value,
            strides=1,
            padding=padding,
            dilations=[rate, rate],
            name=scope,
        )
