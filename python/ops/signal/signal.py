# SPDX-License-Identifier: Apache-2.0
"""tf.signal: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.signal.mel_ops import (
    linear_to_mel_weight_matrix as linear_to_mel_weight_matrix,
)
from tensorwright.python.ops.signal.shape_ops import (
    fftshift as fftshift,
    frame as frame,
    ifftshift as ifftshift,
    overlap_and_add as overlap_and_add,
)
from tensorwright.python.ops.signal.spectral_ops import (
    inverse_mdct as inverse_mdct,
    inverse_stft as inverse_stft,
    mdct as mdct,
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
    stft as stft,
)
from tensorwright.python.ops.signal.window_ops import (
    hamming_window as hamming_window,
    hann_window as hann_window,
    inverse_stft_window_fn as inverse_stft_window_fn,
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
    kaiser_window as kaiser_window,
    vorbis_window as vorbis_window,
)
from tensorwright.python.ops.spectral_ops import (
    dct as dct,
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    idct as idct,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
    irfft as irfft,
    irfft2d as irfft2d,
    irfft3d as irfft3d,
    rfft as rfft,
    rfft2d as rfft2d,
    rfft3d as rfft3d,
)
from tensorwright.python.ops.spectral_ops_nd import (
    fftnd as fftnd,
    ifftnd as ifftnd,
    irfftnd as irfftnd,
    rfftnd as rfftnd,
)
