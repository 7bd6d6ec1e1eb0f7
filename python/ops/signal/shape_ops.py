# SPDX-License-Identifier: Apache-2.0
"""Signals cut into frames and put together again; spectra with zero in the middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import Ints, TensorLike
from tensorwright.python.ops import array_ops, math_ops


def _positive(name: str, value: Any) -> int | ops.Tensor:
    """An int, or an int32 scalar tensor; ValueError for one that is known not to be positive."""
    tensor = ops.convert_to_tensor(value, name=name)
    if not tensor.dtype.is_integer:
        raise TypeError(f"{name} must be an integer, got {tensor.dtype.name}")
    tensor.get_shape().assert_has_rank(0)
    static = tensor_util.constant_value(tensor)
    if static is None:
        return math_ops.cast(tensor, dtypes.int32)
    if static < 1:
        raise ValueError(f"{name} must be positive, got {static}")
    return int(static)


def _max(a: int, b: int | ops.Tensor) -> int | ops.Tensor:
    return max(a, b) if isinstance(b, int) else math_ops.maximum(a, b)


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> ops.Tensor:
    """Cuts windows of `frame_length` elements, one every `frame_step`, along `axis`.

    signal: [outer..., samples, inner...] of any dtype -> [outer..., frames, frame_length, inner...].  A frame that
    the samples do not fill is left out; with `pad_end` one starts at every multiple of the step, and `pad_value` fills
    the missing samples.

    Raises:
        ValueError: for a length or step below 1, or a rank that is not known.
    """
    with ops.name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = ops.convert_to_tensor(signal, name="signal")
        rank = signal.get_shape().with_rank_at_least(1).ndims
        if rank is None:
            raise ValueError("frame: the rank of signal must be known")
        if not -rank <= axis < rank:
            raise ValueError(f"frame: axis must be in [{-rank}, {rank}), got {axis}")
        axis %= rank
        length = _positive("frame_length", frame_length)
        step = _positive("frame_step", frame_step)
        samples = array_ops.sizes(signal)[axis]
        if pad_end:
            frames = -(-samples // step)
            missing = _max(0, (frames - 1) * step + length - samples)
            paddings = [[0, missing if i == axis else 0] for i in range(rank)]
            value = math_ops.cast(pad_value, signal.dtype)
            signal = array_ops.pad(signal, paddings, constant_values=value)
        else:
            frames = _max(0, 1 + (samples - length) // step)
        starts = array_ops.expand_dims(math_ops.range(frames) * step, 1)
        return array_ops.gather(signal, starts + math_ops.range(length), axis=axis)


def overlap_and_add(
    signal: TensorLike, frame_step: TensorLike, name: str | None = None
) -> ops.Tensor:
    """The sum of frames, each `frame_step` after the one before it.

    signal: [outer..., frames, frame_length] -> [outer..., (frames - 1) * frame_step + frame_length].

    Raises:
        ValueError: for a step below 1 or a rank below 2 or not known.
    """
    with ops.name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = ops.convert_to_tensor(signal, name="signal")
        rank = signal.get_shape().with_rank_at_least(2).ndims
        if rank is None:
            raise ValueError("overlap_and_add: the rank of signal must be known")
        step = _positive("frame_step", frame_step)
        *outer, frames, length = array_ops.sizes(signal)
        if isinstance(frames, int):
            total = (frames - 1) * step + length if frames else 0
        else:
            total = (frames - 1) * step + length
            total = array_ops.where(math_ops.equal(frames, 0), 0, total)
        # The places of elements in the sum: ids of segments of the flattened frames, summed over the first dimension.
        places = array_ops.expand_dims(math_ops.range(frames) * step, 1)
        places = array_ops.reshape(places + math_ops.range(length), [-1])
        count = math_ops.reduce_prod(ops.convert_to_tensor(outer, dtypes.int32))
        flat = array_ops.reshape(signal, [count, frames * length])
        summed = math_ops.unsorted_segment_sum(array_ops.transpose(flat), places, total)
        return array_ops.reshape(array_ops.transpose(summed), [*outer, total])


def _shifted(
    x: Any, axes: Any, half: Callable[[ops.Tensor], ops.Tensor], name: str
) -> ops.Tensor:
    x = ops.convert_to_tensor(x)
    shape = array_ops.shape(x)
    axes = math_ops.range(array_ops.rank(x)) if axes is None else axes
    axes = ops.convert_to_tensor(axes, dtype_hint=dtypes.int32)
    # A negative axis counts from the end.
    places = math_ops.floormod(math_ops.cast(axes, dtypes.int32), array_ops.rank(x))
    return array_ops.roll(x, half(array_ops.gather(shape, places)), axes, name=name)


def fftshift(
    x: TensorLike, axes: Ints | None = None, name: str | None = None
) -> ops.Tensor:
    """`x` rolled by half its size along `axes` (an int, several, or None for all): zero comes to the middle."""
    with ops.name_scope(name, "fftshift") as scope:
        return _shifted(x, axes, lambda n: n // 2, scope)


def ifftshift(
    x: TensorLike, axes: Ints | None = None, name: str | None = None
) -> ops.Tensor:
    """Reverses `fftshift`; the two differ if a size is odd."""
    with ops.name_scope(name, "ifftshift") as scope:
        return _shifted(x, axes, lambda n: -(n // 2), scope)
