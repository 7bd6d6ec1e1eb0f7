# SPDX-License-Identifier: Apache-2.0
"""EncodeWav: what the standard library reads back."""

import io
import wave

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed


def encode(audio, rate):
    return fed(tf.audio.encode_wav, np.asarray(audio, np.float32), np.int32(rate))


@pytest.mark.parametrize("shape", [(0, 1), (1, 1), (5, 2), (1000, 7)])
def test_is_read_back(shape):
    audio = np.random.RandomState(0).uniform(-1, 1, shape).astype(np.float32)
    content = encode(audio, 44100)
    with wave.open(io.BytesIO(content)) as file:
        assert file.getframerate() == 44100
        assert file.getnchannels() == shape[1]
        assert file.getsampwidth() == 2
        got = np.frombuffer(file.readframes(shape[0]), "<i2").reshape(shape)
    # Halves go away from zero.
    wanted = np.trunc(audio * 32768 + np.copysign(0.5, audio))
    np.testing.assert_array_equal(got, np.clip(wanted, -32768, 32767))


def test_limits():
    content = encode([[2.0], [-3.0], [np.nan], [np.inf]], 1)
    samples = np.frombuffer(content[-8:], "<i2")
    assert samples.tolist() == [32767, -32768, 0, 32767]


def test_there_and_back():
    audio = np.array([[0.5, -0.25], [0, 1 / 32768]], np.float32)
    got = fed(lambda a: tf.audio.decode_wav(tf.audio.encode_wav(a, 8000)).audio, audio)
    np.testing.assert_array_equal(got, audio)


@pytest.mark.parametrize(
    ("audio", "rate", "words"),
    [
        ([1.0], 8000, "rank|samples, channels"),
        ([[1.0]], [8000], "rank|scalar"),
        ([[1.0]], 0, "sample_rate must be positive"),
        ([[1.0]], -5, "sample_rate must be positive"),
        (np.zeros([1, 0]), 1, "channels must be > 0"),
        (np.zeros([1, 40_000]), 1, "too many"),
    ],
)
def test_refuses_bad_arguments(audio, rate, words):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
        encode(audio, rate)


def test_is_not_differentiated():
    with tf.Graph().as_default():
        audio = tf.constant([[1.0]])
        assert tf.gradients(tf.audio.encode_wav(audio, 1), audio) == [None]
