# SPDX-License-Identifier: Apache-2.0
"""Pools in one, two and three dimensions, and greyscale morphology."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    Ints,
    PaddingLike,
    TensorLike,
)
from tensorwright.python.ops import array_ops, gen_nn_ops
from tensorwright.python.ops._nn.nn_ops_conv import _padding, _window
from tensorwright.python.ops._nn.nn_ops_conv_nd import (
    _channels_first,
    _per_axis,
    _spatial_format,
)
from tensorwright.python.ops._nn.nn_ops_space import with_space_to_batch
from tensorwright.python.ops.gen_nn_ops import (  # noqa: F401 (re-exported)
    fractional_avg_pool,
    fractional_max_pool,
)
from tensorwright.python.util.renamed_arguments import (
    deprecated_argument_lookup,
    required_argument,
)


def max_pool(
    value: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> ops.Tensor:
    """The largest element of each window.

    Args:
      value: [batch, height, width, channels] for "NHWC".
      ksize: the window: one number, two (height, width), or one for each axis.
      strides: steps between windows, as `ksize`.
      padding: "SAME", "VALID", or four [before, after] pairs.
      data_format: "NHWC" or "NCHW".
      name: the op's name.
      input: another name of `value`.
    """
    value = required_argument("value", value, "input", input)
    channel = 1 if data_format == "NCHW" else 3
    padding, explicit = _padding(padding)
    return gen_nn_ops.max_pool(
        value,
        ksize=_window("ksize", ksize, channel),
        strides=_window("strides", strides, channel),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        name=name,
    )


def avg_pool(
    value: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> ops.Tensor:
    """The mean of each window, padding not counted; arguments as for max_pool."""
    value = required_argument("value", value, "input", input)
    channel = 1 if data_format == "NCHW" else 3
    return gen_nn_ops.avg_pool(
        value,
        ksize=_window("ksize", ksize, channel),
        strides=_window("strides", strides, channel),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def max_pool2d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> ops.Tensor:
    """max_pool of images."""
    return max_pool(input, ksize, strides, padding, data_format, name)


def avg_pool2d(
    value: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> ops.Tensor:
    """avg_pool of images."""
    return avg_pool(value, ksize, strides, cast(Any, padding), data_format, name, input)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str = "NHWC",
    Targmax: DTypeLike | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
    include_batch_in_index: bool = False,
) -> gen_nn_ops._MaxPoolWithArgmaxOutput:
    """The largest element of each window, and where it is.

    Args:
      input: [batch, height, width, channels].
      ksize: the window, as for max_pool.
      strides: steps between windows.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax: int32 or int64 (the default), the dtype of the indices.
      name: the op's name.
      output_dtype: another name of `Targmax`.
      include_batch_in_index: indices count from the first image, not from their own.

    Returns:
      The maxima and their flat indices, (y * width + x) * channels + channel, of one shape.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"max_pool_with_argmax: data_format must be NHWC, got {data_format!r}"
        )
    index_type = dtypes.int64
    if Targmax is not None or output_dtype is not None:
        index_type = required_argument("Targmax", Targmax, "output_dtype", output_dtype)
    return gen_nn_ops.max_pool_with_argmax(
        input,
        ksize=_window("ksize", ksize, 3),
        strides=_window("strides", strides, 3),
        padding=padding,
        Targmax=dtypes.as_dtype(index_type),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )


def max_pool3d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> ops.Tensor:
    """The largest element of each window: [batch, depth, height, width, channels] for "NDHWC".

    Args:
      input: half, bfloat16 or float.
      ksize: the window: one number, three, or one for each axis.
      strides: steps between windows, as `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: the op's name.
    """
    data_format = _spatial_format(data_format, 3)
    return gen_nn_ops.max_pool3d(
        input,
        ksize=_per_axis(ksize, 3, data_format),
        strides=_per_axis(strides, 3, data_format),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def avg_pool3d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> ops.Tensor:
    """The mean of each window, padding not counted; arguments as for max_pool3d."""
    data_format = _spatial_format(data_format, 3)
    return gen_nn_ops.avg_pool3d(
        input,
        ksize=_per_axis(ksize, 3, data_format),
        strides=_per_axis(strides, 3, data_format),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def _pool1d(
    pool2d: Callable[..., ops.Tensor],
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
    name: str,
) -> ops.Tensor:
    """A pool of sequences is one of images of one row."""
    data_format = _spatial_format(data_format, 1)
    axis = 2 if _channels_first(data_format) else 1
    ksize = _per_axis(ksize, 1, data_format)
    strides = _per_axis(strides, 1, data_format)
    ksize.insert(axis, 1)
    strides.insert(axis, 1)
    pooled = pool2d(
        array_ops.expand_dims(input, axis),
        ksize,
        strides,
        padding,
        "NCHW" if axis == 2 else "NHWC",
    )
    return array_ops.squeeze(pooled, [axis], name=name)


def max_pool1d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> ops.Tensor:
    """The largest element of each window: [batch, width, channels] for "NWC"."""
    with ops.name_scope(name, "MaxPool1d", [input]) as scope:
        return _pool1d(max_pool, input, ksize, strides, padding, data_format, scope)


def avg_pool1d(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> ops.Tensor:
    """The mean of each window: [batch, width, channels] for "NWC"."""
    with ops.name_scope(name, "AvgPool1D", [input]) as scope:
        return _pool1d(avg_pool, input, ksize, strides, padding, data_format, scope)


def _by_rank(
    pools: tuple,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any,
    name: Any,
) -> ops.Tensor:
    input = ops.convert_to_tensor(input, name="input")
    rank = input.get_shape().ndims
    if rank not in (3, 4, 5):
        raise ValueError(
            f"`input` must have 1, 2 or 3 spatial dimensions, got shape {input.get_shape()}"
        )
    if data_format is None:
        data_format = ("NWC", "NHWC", "NDHWC")[rank - 3]
    return pools[rank - 3](input, ksize, strides, padding, data_format, name)


def max_pool_v2(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """max_pool1d, max_pool or max_pool3d, by the rank of `input`."""
    pools = (max_pool1d, max_pool, max_pool3d)
    return _by_rank(pools, input, ksize, strides, padding, data_format, name)


def avg_pool_v2(
    input: TensorLike,
    ksize: Ints,
    strides: Ints,
    padding: PaddingLike,
    data_format: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """avg_pool1d, avg_pool or avg_pool3d, by the rank of `input`."""
    pools = (avg_pool1d, avg_pool, avg_pool3d)
    return _by_rank(pools, input, ksize, strides, padding, data_format, name)


def pool(
    input: TensorLike,
    window_shape: Ints,
    pooling_type: str,
    padding: str,
    dilation_rate: Ints | None = None,
    strides: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> ops.Tensor:
    """A pool in one, two or three dimensions.

    Args:
      input: [batch, spatial..., channels], or [batch, channels, spatial...] if `data_format`
        begins with "NC".
      window_shape: N numbers, 1 <= N <= 3.
      pooling_type: "AVG" or "MAX".
      padding: "SAME" or "VALID".
      dilation_rate: N distances between a window's elements, 1 by default; not together with
        strides other than 1.  "SAME" then pads with zeros.
      strides: N numbers, 1 by default.
      name: the op's name.
      data_format: "NWC", "NHWC", "NDHWC" or, with channels first, "NCW", "NCHW", "NCDHW".
      dilations: another name of `dilation_rate`.
    """
    rate = deprecated_argument_lookup(
        "dilations", dilations, "dilation_rate", dilation_rate
    )
    window: Any = window_shape
    count = len(window)
    if not 1 <= count <= 3:
        raise ValueError(
            f"`window_shape` must have 1, 2 or 3 numbers, got {window_shape!r}"
        )
    rate = list(rate or [1] * count)
    strides = list(cast(Any, strides or [1] * count))
    if any(r != 1 for r in rate) and any(s != 1 for s in strides):
        raise ValueError(
            "strides > 1 and dilation_rate > 1 exclude each other, got "
            f"{strides!r} and {rate!r}"
        )
    pools = {
        "MAX": (max_pool1d, max_pool, max_pool3d),
        "AVG": (avg_pool1d, avg_pool, avg_pool3d),
    }
    if pooling_type not in pools:
        raise ValueError(f"`pooling_type` must be 'AVG' or 'MAX', got {pooling_type!r}")
    with ops.name_scope(name, pooling_type.lower() + "_pool", [input]) as scope:
        input = ops.convert_to_tensor(input, name="input")
        input.get_shape().with_rank(count + 2)
        layout = _spatial_format(data_format, count)
        undilated = pools[pooling_type][count - 1]

        def run(
            x: ops.Tensor, _: int, kind: str, name: str | None = None
        ) -> ops.Tensor:
            return undilated(x, list(window), strides, kind, layout, name)

        if all(r == 1 for r in rate):
            return run(input, count, padding, scope)
        return with_space_to_batch(
            input, rate, padding, run, filter_shape=window_shape, data_format=layout
        )
