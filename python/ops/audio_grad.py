# SPDX-License-Identifier: Apache-2.0
"""Sound in files is not differentiated; neither, as in TensorFlow, is what is read off its spectrum."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in ("AudioSpectrogram", "DecodeWav", "EncodeWav", "Mfcc"):
    ops.NotDifferentiable(_name)
