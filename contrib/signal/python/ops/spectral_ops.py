# SPDX-License-Identifier: Apache-2.0
"""Short-time Fourier transforms under the argument names of tf.contrib."""

from __future__ import annotations

import functools
from collections.abc import Callable

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops.signal import spectral_ops, window_ops

inverse_stft = spectral_ops.inverse_stft


def stft(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., ops.Tensor] | None = functools.partial(
        window_ops.hann_window, periodic=True
    ),
    pad_end: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """`tf.signal.stft`: [..., samples] -> complex64 [..., frames, fft_length / 2 + 1]."""
    return spectral_ops.stft(
        signal, frame_length, frame_step, fft_length, window_fn, pad_end, name
    )
