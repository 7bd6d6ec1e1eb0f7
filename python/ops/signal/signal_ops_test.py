# SPDX-License-Identifier: Apache-2.0
"""tf.signal against NumPy: frames, windows, shifts, and what they refuse."""

import numpy as np
import pytest
from scipy import special

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_X = np.random.RandomState(5).normal(size=[2, 11, 3]).astype(np.float32)


def _framed(x, length, step, pad_end=False, pad_value=0.0):
    """Frames of the last axis."""
    n = x.shape[-1]
    starts = range(0, n, step) if pad_end else range(0, n - length + 1, step)
    pad = [(0, 0)] * (x.ndim - 1) + [(0, length)]
    x = np.pad(x, pad, constant_values=pad_value)
    frames = [x[..., s : s + length] for s in starts]
    return np.stack(frames, -2) if frames else np.zeros([*x.shape[:-1], 0, length])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("pad_end", [True, False])
@pytest.mark.parametrize(("length", "step"), [(1, 1), (4, 2), (3, 5), (11, 1), (12, 4)])
def test_frames_are_windows_of_the_axis(length, step, pad_end, known):
    x = tf.placeholder(tf.float32, _X.shape if known else [None] * 3)
    frames = tf.signal.frame(x, length, step, pad_end, pad_value=7, axis=1)
    expected = _framed(np.moveaxis(_X, 1, -1), length, step, pad_end, 7.0)
    expected = np.moveaxis(expected, 1, -1)  # [outer, frames, length, inner]
    assert frames.shape.is_compatible_with(expected.shape)
    assert frames.shape.is_fully_defined() is known
    np.testing.assert_array_equal(evaluate(frames, {x: _X}), expected)


def test_frames_of_integers_and_by_tensors():
    x = np.arange(10, dtype=np.int32)
    frames = tf.signal.frame(x, tf.constant(3), tf.constant(2), pad_end=True)
    np.testing.assert_array_equal(evaluate(frames), _framed(x, 3, 2, True, 0))
    assert evaluate(tf.signal.frame(x[:0], 3, 2)).shape == (0, 3)


def test_the_gradient_of_frames_counts_them():
    x = tf.constant(_X[0, :, 0])
    (gradient,) = tf.gradients(tf.signal.frame(x, 4, 3), x)
    gradient = tf.convert_to_tensor(gradient)
    np.testing.assert_array_equal(evaluate(gradient), [1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 0])


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_overlap_and_add_puts_frames_together(step):
    x = tf.placeholder(tf.float32, [None, None, None])
    expected = np.zeros([2, 10 * step + 3])
    for i in range(11):
        expected[:, i * step : i * step + 3] += _X[:, i]
    added = tf.signal.overlap_and_add(x, step)
    np.testing.assert_allclose(evaluate(added, {x: _X}), expected, rtol=1e-5, atol=1e-6)
    known = tf.signal.overlap_and_add(_X, step)
    assert known.shape.as_list() == list(expected.shape)
    assert evaluate(tf.signal.overlap_and_add(_X[:, :0], step)).shape == (2, 0)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 64])
def test_windows_are_their_formulas(n, dtype):
    i = np.arange(n)
    for periodic in (True, False):
        m = max(n if periodic and n % 2 == 0 else n - 1, 1)
        cosine = np.cos(2 * np.pi * i / m)
        for function, a, b in (
            (tf.signal.hann_window, 0.5, 0.5),
            (tf.signal.hamming_window, 0.54, 0.46),
        ):
            window = function(n, periodic, dtype)
            assert window.dtype == dtype
            expected = [1.0] if n == 1 else a - b * cosine
            np.testing.assert_allclose(evaluate(window), expected, atol=1e-6)
    vorbis = np.sin(np.pi / 2 * np.sin(np.pi * (i + 0.5) / n) ** 2)
    got = evaluate(tf.signal.vorbis_window(n, dtype))
    np.testing.assert_allclose(got, vorbis, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("beta", [0.0, 1.0, 5.5, 12.0, 29.9, 30.1, 85.0])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 65])
def test_kaiser_windows_are_numpys(n, beta, dtype):
    # NumPy's root is rounded to the narrow dtype: a unit in its last place weighs much beside the least weights.
    rtol = {np.float16: 2e-3, np.float32: 2e-4, np.float64: 1e-12}[dtype]
    expected = np.kaiser(n, beta)
    for length, b in (
        (n, beta),
        (n, -beta),
        (tf.placeholder_with_default(n, []), tf.placeholder_with_default(beta, [])),
    ):
        window = tf.signal.kaiser_window(length, b, dtype)
        assert window.dtype == tf.as_dtype(dtype)
        np.testing.assert_allclose(evaluate(window), expected, rtol, atol=1e-7)
    sums = np.cumsum(np.kaiser(n // 2 + 1, beta))
    half = np.sqrt(sums[:-1] / sums[-1])
    derived = tf.signal.kaiser_bessel_derived_window(n, beta, dtype)
    assert derived.dtype == tf.as_dtype(dtype)
    expected = np.concatenate([half, half[::-1]])
    np.testing.assert_allclose(evaluate(derived), expected, rtol, atol=1e-6)


def test_kaiser_windows_of_doubles_are_exact():
    for beta in (0.5, 12.0, 30.0, 31.0, 300.0):
        t = np.linspace(-1, 1, 33)
        x = beta * np.sqrt(1 - t**2)
        expected = np.exp(x - beta) * special.i0e(x) / special.i0e(beta)
        got = evaluate(tf.signal.kaiser_window(33, beta, tf.float64))
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(("length", "step"), [(8, 2), (8, 3), (9, 9), (16, 4)])
def test_the_inverse_window_undoes_the_forward_one(length, step):
    window = tf.signal.hamming_window
    inverse = tf.signal.inverse_stft_window_fn(step, window)(length, tf.float64)
    both = evaluate(inverse) * evaluate(window(length, dtype=tf.float64))
    for i in range(step):
        np.testing.assert_allclose(both[i::step].sum(), 1.0, rtol=1e-9)


@pytest.mark.parametrize("axes", [None, 0, -1, [1], [0, 2], (-1, -2)])
def test_shifts_are_numpys(axes):
    np.testing.assert_array_equal(
        evaluate(tf.signal.fftshift(_X, axes)), np.fft.fftshift(_X, axes)
    )
    np.testing.assert_array_equal(
        evaluate(tf.signal.ifftshift(_X, axes)), np.fft.ifftshift(_X, axes)
    )
    back = tf.signal.ifftshift(tf.signal.fftshift(_X, axes), axes)
    np.testing.assert_array_equal(evaluate(back), _X)


def test_mel_bins_are_triangles():
    got = evaluate(tf.signal.linear_to_mel_weight_matrix(6, 65, 8000, 100.0, 3000.0))
    assert got.shape == (65, 6) and got.dtype == np.float32

    def mel(f):
        return 1127 * np.log(1 + f / 700)

    f = mel(np.linspace(0, 4000, 65))
    edges = np.linspace(mel(100.0), mel(3000.0), 8)
    expected = np.stack(
        [np.interp(f, edges[i : i + 3], [0, 1, 0]) for i in range(6)], axis=1
    )
    np.testing.assert_allclose(got, expected, atol=1e-4)
    assert not got[0].any()


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.signal.frame(_X, 0, 1), ValueError, "frame_length"),
        (lambda: tf.signal.frame(_X, 1, -1), ValueError, "frame_step"),
        (lambda: tf.signal.frame(_X, 1.5, 1), TypeError, "frame_length"),
        (lambda: tf.signal.frame(_X, 1, 1, axis=3), ValueError, "axis"),
        (lambda: tf.signal.frame(tf.placeholder("float"), 1, 1), ValueError, "rank"),
        (lambda: tf.signal.overlap_and_add(_X[0, 0], 1), ValueError, "rank"),
        (lambda: tf.signal.hann_window(3, dtype=tf.int32), ValueError, "floating"),
        (lambda: tf.signal.kaiser_window(3, 1.0, tf.int32), ValueError, "floating"),
        (lambda: tf.signal.kaiser_window([3, 3]), ValueError, "rank"),
        (lambda: tf.signal.kaiser_window(3, [1.0]), ValueError, "rank"),
        (
            lambda: tf.signal.linear_to_mel_weight_matrix(num_mel_bins=0),
            ValueError,
            "num_mel_bins",
        ),
        (
            lambda: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=4001.0),
            ValueError,
            "upper_edge_hertz",
        ),
        (
            lambda: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=3900.0),
            ValueError,
            "lower_edge_hertz",
        ),
    ],
)
def test_mistakes_are_named(build, error, words):
    with pytest.raises(error, match=words):
        build()
