# SPDX-License-Identifier: Apache-2.0
"""Windows: weights of the samples of a frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops


def hann_window(
    window_length: TensorLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """1/2 - 1/2 cos(2 pi i / n), the raised cosine: floating [window_length].

    n is the length, or one less where not `periodic` or where the length is odd.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: TensorLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """0.54 - 0.46 cos(2 pi i / n): floating [window_length]; see `hann_window`."""
    return _raised_cosine(
        name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46
    )


def _raised_cosine(
    name: str | None,
    default_name: str,
    length: Any,
    periodic: Any,
    dtype: Any,
    a: float,
    b: float,
) -> ops.Tensor:
    dtype = _floating(dtype, default_name)
    with ops.name_scope(name, default_name, [length, periodic]):
        length = _length(length)
        periodic = math_ops.cast(ops.convert_to_tensor(periodic, dtypes.bool), "int32")
        even = 1 - length % 2
        # A window of one sample weighs it fully, as its n of 0 cannot say.
        n = math_ops.cast(math_ops.maximum(length + periodic * even - 1, 1), dtype)
        angle = math_ops.cast(2 * math.pi, dtype) / n
        cosine = math_ops.cos(angle * math_ops.cast(math_ops.range(length), dtype))
        window = math_ops.cast(a, dtype) - math_ops.cast(b, dtype) * cosine
        ones = array_ops.ones_like(window)
        return array_ops.where_v2(math_ops.equal(length, 1), ones, window)


def vorbis_window(
    window_length: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """sin(pi/2 sin^2(pi (i + 1/2) / n)), of n = `window_length`: floating [n].

    Its square and that of its other half add up to 1.
    """
    dtype = _floating(dtype, "vorbis_window")
    with ops.name_scope(name, "vorbis_window", [window_length]):
        length = _length(window_length)
        i = math_ops.cast(math_ops.range(length), dtype)
        inner = math_ops.sin(math.pi * (i + 0.5) / math_ops.cast(length, dtype))
        return math_ops.sin(math.pi / 2 * math_ops.square(inner))


def kaiser_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """I0(beta sqrt(1 - t^2)) / I0(beta), t evenly spaced from -1 to 1: floating [window_length].

    Computed in float32 for all dtypes but float64.  A window of one sample weighs it fully.
    """
    dtype = _floating(dtype, "kaiser_window")
    with ops.name_scope(name, "kaiser_window", [window_length, beta]):
        length = _length(window_length)
        kind = dtypes.float64 if dtype == dtypes.float64 else dtypes.float32
        beta = math_ops.abs(
            math_ops.cast(ops.convert_to_tensor(beta, dtype_hint=kind), kind)
        )
        beta.get_shape().assert_has_rank(0)
        i = math_ops.cast(math_ops.range(length), kind)
        last = math_ops.cast(math_ops.maximum(length - 1, 1), kind)
        # 1 - t^2 without the difference, which would cost digits near 1.
        x = beta * (2 * math_ops.sqrt(i * (last - i)) / last)
        # Both scaled by e^-x, which does not overflow.
        window = math_ops.exp(x - beta) * gen_math_ops.bessel_i0e(x)
        window = window / gen_math_ops.bessel_i0e(beta)
        ones = array_ops.ones_like(window)
        window = array_ops.where_v2(math_ops.equal(length, 1), ones, window)
        return math_ops.cast(window, dtype)


def kaiser_bessel_derived_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """Square roots of running sums of `kaiser_window` over their total, then mirrored: floating [window_length].

    The squares of the window and of its other half add up to 1.  For an odd length, it has one sample less.
    """
    dtype = _floating(dtype, "kaiser_bessel_derived_window")
    with ops.name_scope(name, "kaiser_bessel_derived_window", [window_length, beta]):
        kind = dtypes.float64 if dtype == dtypes.float64 else dtypes.float32
        half = _length(window_length) // 2
        sums = math_ops.cumsum(kaiser_window(half + 1, beta, kind))
        rising = math_ops.sqrt(sums[:-1] / sums[-1])
        window = array_ops.concat([rising, array_ops.reverse(rising, [0])], 0)
        return math_ops.cast(window, dtype)


def _floating(dtype: Any, name: str) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"{name}: dtype must be floating, got {dtype.name}")
    return dtype


def _length(value: Any) -> ops.Tensor:
    value = ops.convert_to_tensor(value, name="window_length")
    value.get_shape().assert_has_rank(0)
    return math_ops.cast(value, dtypes.int32)


def inverse_stft_window_fn(
    frame_step: TensorLike,
    forward_window_fn: Callable[..., ops.Tensor] = hann_window,
    name: str | None = None,
) -> Callable[..., ops.Tensor]:
    """The window that undoes `forward_window_fn` when frames `frame_step` apart are added.

    Returns a function of (frame_length, dtype) that gives the window: the forward one, divided by the sum of its
    squares over all frames that a sample is in.
    """

    def inverse_window(frame_length: Any, dtype: Any) -> ops.Tensor:
        with ops.name_scope(name, "inverse_stft_window_fn", [frame_step]):
            step = math_ops.cast(ops.convert_to_tensor(frame_step), dtypes.int32)
            length = _length(frame_length)
            window = forward_window_fn(frame_length, dtype=dtype)
            frames = -(-length // step)
            squares = array_ops.pad(
                math_ops.square(window), [[0, frames * step - length]]
            )
            rows = array_ops.reshape(squares, array_ops.stack([frames, step]))
            sums = array_ops.tile(
                math_ops.reduce_sum(rows, 0), array_ops.expand_dims(frames, 0)
            )
            return window / sums[:length]

    return inverse_window
