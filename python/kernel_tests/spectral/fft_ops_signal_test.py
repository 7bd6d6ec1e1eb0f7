# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms against NumPy, and against their inverses."""

import numpy as np
import pytest
import scipy.fft

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.testing.op_testing import fed

X = np.random.RandomState(0).normal(size=[2, 70])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("length", "step", "fft"), [(16, 8, None), (12, 5, 16), (9, 9, None)]
)
@pytest.mark.parametrize("window", [tf.signal.hann_window, None])
def test_stft(window, length, step, fft, known):
    def build(x):
        x.set_shape([None, None])
        return tf.signal.stft(x, length, step, fft, window)

    got = fed(build, X, known=known)
    starts = range(0, X.shape[1] - length + 1, step)
    frames = np.stack([X[:, s : s + length] for s in starts], 1)
    if window is not None:
        frames = frames * (
            0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / (length - length % 2))
        )
    want = np.fft.rfft(frames, fft or 16)
    np.testing.assert_allclose(got, want, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("length", "step"), [(16, 8), (16, 4), (12, 6)])
def test_inverse_stft_gives_the_signal_back(length, step, dtype):
    def build(x):
        y = tf.signal.stft(x, length, step)
        window = tf.signal.inverse_stft_window_fn(step)
        return tf.signal.inverse_stft(y, length, step, window_fn=window)

    got = fed(build, X.astype(dtype), known=True)
    inside = slice(length, got.shape[1] - length)
    np.testing.assert_allclose(got[:, inside], X[:, inside], atol=1e-5)


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("length", [4, 8, 16])
def test_mdct_and_its_inverse(length, norm):
    n = length // 2
    x = X[:, : n * (X.shape[1] // n)].astype(np.float32)
    coefficients = fed(lambda y: tf.signal.mdct(y, length, norm=norm), x, known=True)
    frame = x[0, :length] * np.sin(
        np.pi / 2 * np.sin(np.pi / length * (np.arange(length) + 0.5)) ** 2
    )
    k = np.arange(n)[:, None]
    angle = np.pi / n * (np.arange(length) + 0.5 + n / 2) * (k + 0.5)
    want = 2 * np.cos(angle) @ frame
    if norm:
        want = want / np.sqrt(2 * n)
    np.testing.assert_allclose(coefficients[0, 0], want, atol=1e-4)
    back = fed(lambda y: tf.signal.inverse_mdct(y, norm=norm), coefficients, known=True)
    inside = slice(n, x.shape[1] - n)
    np.testing.assert_allclose(back[:, inside], x[:, inside], atol=1e-5)


def test_mdct_refuses_lengths_that_are_not_divisible_by_four():
    with pytest.raises(ValueError, match="divisible"):
        tf.signal.mdct(X, 6)


def test_cepstra_are_cosine_transforms():
    mel = np.random.RandomState(1).normal(size=[3, 10])
    got = fed(tf.signal.mfccs_from_log_mel_spectrograms, mel)
    np.testing.assert_allclose(got, scipy.fft.dct(mel, 2) / np.sqrt(20), atol=1e-6)


def test_gradient_of_stft():
    def power(x):
        x.set_shape([2, 20])
        return tf.abs(tf.signal.stft(x, 8, 4, window_fn=None)) ** 2

    check_gradient(power, [X[:, :20]], [0])
