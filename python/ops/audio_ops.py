# SPDX-License-Identifier: Apache-2.0
"""Sound: WAV files, spectrograms, mel-frequency cepstral coefficients.  Re-exports, no code."""

from tensorwright.python.ops.gen_audio_ops import (
    audio_spectrogram,
    decode_wav,
    encode_wav,
    mfcc,
)

__all__ = ["audio_spectrogram", "decode_wav", "encode_wav", "mfcc"]
