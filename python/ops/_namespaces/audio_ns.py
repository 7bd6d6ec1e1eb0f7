# SPDX-License-Identifier: Apache-2.0
"""tf.audio: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.audio_ops import (
    decode_wav as decode_wav,
    encode_wav as encode_wav,
)
