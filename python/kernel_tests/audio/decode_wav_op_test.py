# SPDX-License-Identifier: Apache-2.0
"""DecodeWav: samples, wanted sizes, files that are not what they say."""

import io
import struct
import wave

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed


def file_of(samples, rate=8000, width=2):
    """Returns the WAV file that the standard library writes of [frames, channels] integers."""
    content = io.BytesIO()
    with wave.open(content, "wb") as out:
        out.setnchannels(samples.shape[1])
        out.setsampwidth(width)
        out.setframerate(rate)
        out.writeframes(samples.tobytes())
    return content.getvalue()


def decode(content, **kwargs):
    return fed(
        lambda c: tf.audio.decode_wav(c, **kwargs), np.array(content, dtype=object)
    )


SAMPLES = np.array([[0, 1], [-32768, 32767], [5, -6]], np.int16)


def test_samples_are_divided_by_32768():
    audio, rate = decode(file_of(SAMPLES, 16000))
    assert rate == 16000 and rate.dtype == np.int32
    assert audio.dtype == np.float32
    np.testing.assert_array_equal(audio, SAMPLES / np.float32(32768))


@pytest.mark.parametrize("channels", [-1, 0, 1, 2, 4])
@pytest.mark.parametrize("frames", [-1, 0, 2, 5])
def test_wanted_sizes(channels, frames):
    """More channels repeat the last one, more frames are silent."""
    audio, _ = decode(
        file_of(SAMPLES), desired_channels=channels, desired_samples=frames
    )
    wanted = SAMPLES / np.float32(32768)
    if channels >= 0:
        wanted = wanted[:, [min(c, 1) for c in range(channels)]]
    if frames >= 0:
        wanted = np.concatenate([wanted, np.zeros_like(wanted)])[:frames]
    np.testing.assert_array_equal(audio, wanted)


def test_other_chunks_and_long_formats():
    content = file_of(SAMPLES)
    header, body = content[:12], content[12:]
    odd = b"LIST" + struct.pack("<I", 3) + b"abc\0"
    assert (decode(header + odd + body)[0] == decode(content)[0]).all()
    at = content.index(b"fmt ")
    longer = (
        content[: at + 4]
        + struct.pack("<I", 18)
        + content[at + 8 : at + 24]
        + b"\0\0"
        + content[at + 24 :]
    )
    assert (decode(longer)[0] == decode(content)[0]).all()


def _patched(offset, layout, value):
    content = bytearray(file_of(SAMPLES))
    struct.pack_into(layout, content, offset, value)
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "ends in its header"),
        (b"RIFX" + file_of(SAMPLES)[4:], "Expected RIFF"),
        (_patched(8, "<4s", b"WAVX"), "Expected WAVE"),
        (_patched(20, "<H", 3), "Expected 1"),
        (_patched(22, "<H", 0), "number of channels"),
        (_patched(32, "<H", 2), "bytes per sample"),
        (_patched(34, "<H", 8), "16-bit"),
        (_patched(24, "<I", 1 << 31), "sample rate"),
        (_patched(40, "<I", 0xFFFFFFFF), "ends in a chunk"),
        (file_of(SAMPLES)[:36], "No data"),
        (file_of(SAMPLES)[:12], "No fmt"),
        (file_of(SAMPLES.astype(np.uint8), width=1), "16-bit"),
    ],
)
def test_refuses_other_files(content, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        decode(content)


def test_no_corruption_is_a_crash():
    content = file_of(SAMPLES)
    refused = 0
    for cut in range(len(content)):
        for wrong in (
            content[:cut],
            content[:cut] + bytes([content[cut] ^ 0x81]) + content[cut + 1 :],
        ):
            try:
                audio, _ = decode(wrong)
                assert audio.size <= len(content)
            except tf.errors.InvalidArgumentError:
                refused += 1
    assert refused > len(content)


def test_refuses_bad_arguments():
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="desired_channels"
    ):
        decode(file_of(SAMPLES), desired_channels=-2)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="rank|scalar"
    ):
        decode([file_of(SAMPLES)])


def test_is_not_differentiated():
    with tf.Graph().as_default():
        content = tf.placeholder(tf.string, [])
        assert tf.gradients(tf.audio.decode_wav(content).audio, content) == [None]
