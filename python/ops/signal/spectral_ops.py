# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms, modified cosine transforms, cepstra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_math_ops,
    math_ops,
    spectral_ops,
)
from tensorwright.python.ops.signal import shape_ops, window_ops

_Window = Callable[..., Any] | None


def _length(value: Any, name: str) -> ops.Tensor:
    value = ops.convert_to_tensor(value, dtypes.int32, name=name)
    value.get_shape().assert_has_rank(0)
    return value


def _enclosing_power_of_two(value: ops.Tensor) -> Any:
    """The least power of two that is not smaller."""
    known = tensor_util.constant_value(value)
    if known is not None:
        return 1 << max(0, int(known) - 1).bit_length()
    exponent = gen_math_ops.ceil(
        gen_math_ops.log(math_ops.cast(value, dtypes.float32))
        / gen_math_ops.log(math_ops.cast(2.0, dtypes.float32))
        - 1e-6
    )
    return math_ops.cast(
        gen_math_ops._pow(math_ops.cast(2.0, dtypes.float32), exponent), dtypes.int32
    )


def stft(
    signals: TensorLike,
    frame_length: int | TensorLike,
    frame_step: int | TensorLike,
    fft_length: int | TensorLike | None = None,
    window_fn: _Window = window_ops.hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The Fourier transforms of frames of a signal.

    Args:
        signals: float32 or float64 [..., samples].
        frame_length, frame_step: int32 [], the samples of a frame, and from frame to frame.
        fft_length: int32 [], of each transform; the least power of two that is not smaller than a frame if None.
        window_fn: (length, dtype=) -> the weights of a frame's samples; None: all are 1.
        pad_end: zeros behind the signal fill the last frames.

    Returns:
        complex64 or complex128 [..., frames, fft_length / 2 + 1].
    """
    with ops.name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = ops.convert_to_tensor(signals, name="signals")
        signals.get_shape().with_rank_at_least(1)
        frame_length = _length(frame_length, "frame_length")
        frame_step = _length(frame_step, "frame_step")
        if fft_length is None:
            fft_length = _enclosing_power_of_two(frame_length)
        frames = shape_ops.frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype.base_dtype)
        return spectral_ops.rfft(frames, _vector(fft_length))


def _vector(length: Any) -> ops.Tensor:
    return array_ops.reshape(ops.convert_to_tensor(length, dtypes.int32), [1])


def inverse_stft(
    stfts: TensorLike,
    frame_length: int | TensorLike,
    frame_step: int | TensorLike,
    fft_length: int | TensorLike | None = None,
    window_fn: _Window = window_ops.hann_window,
    name: str | None = None,
) -> ops.Tensor:
    """A signal from the Fourier transforms of its frames: these are added where they overlap.

    With window_fn=inverse_stft_window_fn(frame_step) it is the signal that `stft` had, but for its ends.

    Args:
        stfts: complex64 or complex128 [..., frames, fft_length / 2 + 1].
        frame_length, frame_step, fft_length, window_fn: as in `stft`.

    Returns:
        float32 or float64 [..., samples].
    """
    with ops.name_scope(name, "inverse_stft", [stfts]):
        stfts = ops.convert_to_tensor(stfts, name="stfts")
        stfts.get_shape().with_rank_at_least(2)
        frame_length = _length(frame_length, "frame_length")
        frame_step = _length(frame_step, "frame_step")
        if fft_length is None:
            fft_length = _enclosing_power_of_two(frame_length)
        frames = spectral_ops.irfft(stfts, _vector(fft_length))
        known = tensor_util.constant_value(frame_length)
        static = frames.get_shape()
        n = frame_length if known is None else int(known)
        # Frames are cut, or padded with zeros, to the length of the window.
        frames = frames[..., :n]
        missing = frame_length - array_ops.shape(frames)[-1]
        zeros = array_ops.zeros([array_ops.rank(frames) - 1], dtypes.int32)
        after = array_ops.concat([zeros, [missing]], 0)
        frames = array_ops.pad(
            frames, array_ops.stack([array_ops.zeros_like(after), after], 1)
        )
        if static.ndims is not None:
            frames.set_shape(
                [*static.as_list()[:-1], None if known is None else int(known)]
            )
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype.base_dtype)
        return shape_ops.overlap_and_add(frames, frame_step)


def mdct(
    signals: TensorLike,
    frame_length: int | TensorLike,
    window_fn: _Window = window_ops.vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The modified discrete cosine transform (Princen, Johnson and Bradley, 1987) of frames that overlap by half.

    Args:
        signals: float32 or float64 [..., samples].
        frame_length: int32 [], divisible by 4.
        window_fn, pad_end: as in `stft`.
        norm: None or "ortho", as in `dct`.

    Returns:
        [..., frames, frame_length / 2], of the dtype of `signals`.
    """
    with ops.name_scope(name, "mdct", [signals, frame_length]):
        signals = ops.convert_to_tensor(signals, name="signals")
        signals.get_shape().with_rank_at_least(1)
        frame_length = _length(frame_length, "frame_length")
        known = tensor_util.constant_value(frame_length)
        if known is None:
            raise ValueError("mdct: frame_length must be known")
        if int(known) % 4:
            raise ValueError(
                f"mdct: frame_length must be divisible by 4, got {int(known)}"
            )
        half = int(known) // 2
        frames = shape_ops.frame(signals, frame_length, half, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype.base_dtype)
        a, b, c, d = array_ops.split(frames, 4, axis=-1)
        folded = array_ops.concat([-c[..., ::-1] - d, a - b[..., ::-1]], -1)
        return spectral_ops.dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike,
    window_fn: _Window = window_ops.vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the signal whose `mdct` this is, except its first and last half frame: [..., frames, n] -> [...,
    samples].

    The window's squares must add up to 1 where frames overlap, as those of Vorbis do.
    """
    with ops.name_scope(name, "inverse_mdct", [mdcts]):
        mdcts = ops.convert_to_tensor(mdcts, name="mdcts")
        mdcts.get_shape().with_rank_at_least(2)
        half = mdcts.get_shape()[-1].value
        if half is None:
            raise ValueError("inverse_mdct: the last dimension must be known")
        folded = spectral_ops.idct(mdcts, type=4, norm=norm)
        # Without a norm, a transform and its inverse make 2 n times the signal.
        if norm is None:
            folded = folded * (0.5 / half)
        first, second = array_ops.split(folded, 2, axis=-1)
        frames = array_ops.concat(
            [second, -second[..., ::-1], -first[..., ::-1], -first], -1
        )
        if window_fn is not None:
            frames *= window_fn(2 * half, dtype=frames.dtype.base_dtype)
        else:
            frames *= 0.5
        return shape_ops.overlap_and_add(frames, half)


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> ops.Tensor:
    """Mel-frequency cepstral coefficients: the orthonormal cosine transform of log mel spectra, [..., bins] each.

    Scaled as in HTK: by sqrt(2 / bins).
    """
    with ops.name_scope(
        name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]
    ):
        x = ops.convert_to_tensor(log_mel_spectrograms)
        bins = x.get_shape()[-1].value if x.get_shape().ndims else None
        if bins == 0:
            raise ValueError("there must be at least one mel bin")
        size = array_ops.shape(x)[-1] if bins is None else bins
        scale = gen_math_ops.rsqrt(2.0 * math_ops.cast(size, x.dtype.base_dtype))
        return spectral_ops.dct(x, type=2) * scale
