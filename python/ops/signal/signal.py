# SPDX-License-Identifier: Apache-2.0
"""tf.signal: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.signal.mel_ops import linear_to_mel_weight_matrix
from tensorwright.python.ops.signal.shape_ops import (
    fftshift,
    frame,
    ifftshift,
    overlap_and_add,
)
from tensorwright.python.ops.signal.window_ops import (
    hamming_window,
    hann_window,
    inverse_stft_window_fn,
    kaiser_bessel_derived_window,
    kaiser_window,
    vorbis_window,
)
