# SPDX-License-Identifier: Apache-2.0
"""AudioSpectrogram against NumPy's Fourier transform."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import audio_ops
from tensorwright.python.testing.op_testing import fed


def reference(audio, window_size, stride, squared):
    samples, channels = audio.shape
    padded = 1 << (window_size - 1).bit_length()
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    frames = 0 if samples < window_size else 1 + (samples - window_size) // stride
    out = np.zeros([channels, frames, padded // 2 + 1])
    for c in range(channels):
        for f in range(frames):
            part = audio[f * stride :][:window_size, c].astype(np.float64) * window
            out[c, f] = np.abs(np.fft.rfft(part, padded)) ** (2 if squared else 1)
    return out


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("window_size", [2, 3, 16, 100, 512])
@pytest.mark.parametrize(("samples", "channels", "stride"), [(700, 1, 7), (600, 3, 90)])
def test_spectrograms_are_those_of_numpy(
    squared, window_size, samples, channels, stride
):
    audio = np.random.RandomState(1).normal(size=[samples, channels])
    audio = audio.astype(np.float32)
    got = fed(
        lambda a: audio_ops.audio_spectrogram(
            a, window_size=window_size, stride=stride, magnitude_squared=squared
        ),
        audio,
    )
    wanted = reference(audio, window_size, stride, squared)
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, 1e-6, 1e-6)


@pytest.mark.parametrize("shape", [(0, 2), (9, 2), (20, 0)])
def test_nothing_to_transform(shape):
    got = fed(
        lambda a: audio_ops.audio_spectrogram(a, window_size=10, stride=1),
        np.zeros(shape, np.float32),
    )
    assert got.shape == (shape[1], 11 if shape[0] == 20 else 0, 9)


@pytest.mark.parametrize(
    ("shape", "window_size", "stride", "words"),
    [
        ([4], 2, 1, "rank|samples, channels"),
        ([4, 1], 1, 1, "window_size"),
        ([4, 1], 2, 0, "window_size|stride"),
        ([4, 1], -5, 1, "window_size"),
        ([4, 1], 2**31 - 1, 1, "window_size"),
    ],
)
def test_refuses_bad_arguments(shape, window_size, stride, words):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
        fed(
            lambda a: audio_ops.audio_spectrogram(
                a, window_size=window_size, stride=stride
            ),
            np.zeros(shape, np.float32),
        )


def test_is_not_differentiated():
    with tf.Graph().as_default():
        audio = tf.zeros([9, 1])
        out = audio_ops.audio_spectrogram(audio, window_size=4, stride=1)
        assert out.shape.as_list() == [1, 6, 3]
        # As in TensorFlow, nothing is registered.
        with pytest.raises(LookupError, match="No gradient defined"):
            tf.gradients(out, audio)
