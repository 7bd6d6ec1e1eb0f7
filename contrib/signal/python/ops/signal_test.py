# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.signal: frames, and a transform that is undone."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

signal = tf.contrib.signal


@pytest.mark.parametrize("samples", [2, 6, 8, 9])
def test_frames_reach_the_last_sample(samples):
    x = np.arange(1, 2 * samples + 1, dtype=np.float32).reshape(2, samples)
    with tf.Session() as session:
        got = session.run(signal.frames(x, 4, 2))
    count = 1 + -(-max(samples - 4, 0) // 2)
    padded = np.zeros([2, 2 * count + 2], np.float32)
    padded[:, :samples] = x
    want = np.stack([padded[:, 2 * i : 2 * i + 4] for i in range(count)], 1)
    np.testing.assert_array_equal(got, want)


def test_transforms_are_undone():
    x = np.random.RandomState(0).randn(64).astype(np.float32)
    spectra = signal.stft(x, 16, 4, window_fn=signal.hamming_window)
    assert spectra.shape.as_list() == [13, 9]
    frames = signal.frame(x, 16, 4)
    summed = signal.overlap_and_add(frames, 4)
    back = signal.inverse_stft(signal.stft(x, 16, 16, window_fn=None), 16, 16, window_fn=None)  # fmt: skip
    with tf.Session() as session:
        frames, summed, back, window = session.run(
            [frames, summed, back, signal.hann_window(4)]
        )
    np.testing.assert_allclose(summed[16:48], 4 * x[16:48], rtol=1e-5)
    np.testing.assert_allclose(back, x, atol=1e-5)
    np.testing.assert_allclose(window, [0, 0.5, 1, 0.5], atol=1e-6)


def test_features_of_speech():
    """A chain of the names that programs use, on a tone, whose bin of the mel scale is the loudest."""
    wave = np.sin(2 * np.pi * 1000 * np.arange(4000) / 8000).astype(np.float32)
    spectrum = tf.abs(signal.stft(wave, 256, 128))
    matrix = signal.linear_to_mel_weight_matrix(20, 129, 8000, 80.0, 4000.0)
    mel = tf.matmul(spectrum, matrix)
    cepstrum = signal.mfccs_from_log_mel_spectrograms(tf.log(mel + 1e-6))[..., :13]
    back = signal.inverse_stft(signal.stft(wave, 256, 128), 256, 128, window_fn=signal.inverse_stft_window_fn(128))  # fmt: skip
    with tf.Session() as session:
        mel, weights, cepstrum, back = session.run([mel, matrix, cepstrum, back])
    assert cepstrum.shape == (30, 13) and np.isfinite(cepstrum).all()
    assert set(mel.argmax(1)) == {weights[round(1000 / 8000 * 256)].argmax()}
    np.testing.assert_allclose(back[256:-256], wave[256 : len(back) - 256], atol=1e-4)
