# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.signal: frames, windows and short-time Fourier transforms.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.signal.python.ops.shape_ops import frame, frames
from tensorwright.contrib.signal.python.ops.spectral_ops import inverse_stft, stft
from tensorwright.python.ops.signal.mel_ops import linear_to_mel_weight_matrix
from tensorwright.python.ops.signal.shape_ops import overlap_and_add
from tensorwright.python.ops.signal.spectral_ops import mfccs_from_log_mel_spectrograms
from tensorwright.python.ops.signal.window_ops import (
    hamming_window,
    hann_window,
    inverse_stft_window_fn,
)
