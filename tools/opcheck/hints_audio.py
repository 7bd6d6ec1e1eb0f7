# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops of sound; see draws.hint."""

from __future__ import annotations

import struct

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint


def _wav(d: Drawer) -> bytes:
    channels = d.int(1, 3)
    frames = 60_000 if d.big else d.int(0, 20)
    samples = d.rng.randint(-(1 << 15), 1 << 15, [frames, channels]).astype("<i2")
    data = samples.tobytes()
    form = struct.pack("<HHIIHH", 1, channels, 8000, 16000 * channels, 2 * channels, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


@hint("DecodeWav")
def _decode_wav(d: Drawer):
    d.attrs["desired_channels"] = d.int(-1, 3)
    d.attrs["desired_samples"] = -1 if d.big else d.int(-1, 20)
    return [np.array(_wav(d), dtype=object)]


@hint("EncodeWav")
def _encode_wav(d: Drawer):
    frames = 60_000 if d.big else d.int(0, 20)
    return [
        d.values(sig.FLOAT, [frames, d.int(1, 3)], "normal"),
        np.array(d.pick([1, 8000, 44100]), np.int32),
    ]


@hint("AudioSpectrogram")
def _spectrogram(d: Drawer):
    d.attrs["window_size"] = d.int(2, 40)
    d.attrs["stride"] = d.int(1, 9)
    samples = 30_000 if d.big else d.int(0, 90)
    return [d.values(sig.FLOAT, [samples, d.int(1, 3)], "normal")]


@hint("Mfcc")
def _mfcc(d: Drawer):
    d.attrs["lower_frequency_limit"] = float(d.int(10, 90))
    d.attrs["upper_frequency_limit"] = float(d.int(900, 4000))
    d.attrs["filterbank_channel_count"] = filters = d.int(2, 30)
    d.attrs["dct_coefficient_count"] = d.int(1, filters)
    frames = 20_000 if d.big else d.int(0, 4)
    shape = [d.int(1, 2), frames, d.pick([33, 65, 129])]
    return [d.values(sig.FLOAT, shape, "positive"), np.array(8000, np.int32)]


allowed.allow(
    allowed.NAN_SPREAD,
    "AudioSpectrogram",
    "the first sample of a window has the weight 0",
)
