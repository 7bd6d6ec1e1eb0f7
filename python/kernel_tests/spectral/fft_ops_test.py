# SPDX-License-Identifier: Apache-2.0
"""Fourier and cosine transforms against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.fft

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_spectral_ops
from tensorwright.python.testing.op_testing import fed

COMPLEXES = [np.complex64, np.complex128]
FLOATS = [np.float32, np.float64]
# Powers of two, products of small primes, large primes, 1, nothing.
SHAPES = {
    1: [(8,), (3, 105), (2, 3, 101), (5, 1), (1031,), (0, 4), (4, 0)],
    2: [(8, 16), (3, 5, 7), (2, 2, 11, 1), (64, 101)],
    3: [(4, 6, 8), (2, 3, 5, 7), (17, 2, 13)],
}
FORWARD = {1: tf.fft, 2: tf.fft2d, 3: tf.fft3d}
INVERSE = {1: tf.ifft, 2: tf.ifft2d, 3: tf.ifft3d}
OLD = {
    1: (gen_spectral_ops.batch_fft, gen_spectral_ops.batch_ifft),
    2: (gen_spectral_ops.batch_fft2d, gen_spectral_ops.batch_ifft2d),
    3: (gen_spectral_ops.batch_fft3d, gen_spectral_ops.batch_ifft3d),
}
REAL = {1: tf.signal.rfft, 2: tf.signal.rfft2d, 3: tf.signal.rfft3d}
TO_REAL = {1: tf.signal.irfft, 2: tf.signal.irfft2d, 3: tf.signal.irfft3d}
CASES = [(rank, shape) for rank, shapes in SHAPES.items() for shape in shapes]


def draw(dtype, *shape, seed=0):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def axes(rank):
    return tuple(range(-rank, 0))


def close(got, want):
    want = np.asarray(want)
    assert got.shape == want.shape
    if want.size:
        scale = np.abs(want).max() * np.finfo(got.dtype).eps
        np.testing.assert_allclose(got, want, rtol=0, atol=30 * scale)


@pytest.mark.parametrize("dtype", COMPLEXES)
@pytest.mark.parametrize(("rank", "shape"), CASES)
def test_complex_transforms(rank, shape, dtype):
    x = draw(dtype, *shape)
    for op, numpy, old in (
        (FORWARD[rank], np.fft.fftn, OLD[rank][0]),
        (INVERSE[rank], np.fft.ifftn, OLD[rank][1]),
    ):
        got = fed(op, x, known=True)
        assert got.dtype == dtype
        want = numpy(x.astype(np.complex128), axes=axes(rank)) if x.size else x
        close(got, want)
        if dtype == np.complex64:
            np.testing.assert_array_equal(fed(old, x), got)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("rank", "shape"), CASES)
def test_real_transforms(rank, shape, dtype):
    x = draw(dtype, *shape)
    if 0 in shape:
        return
    want = np.fft.rfftn(x.astype(np.float64), axes=axes(rank))
    got = fed(REAL[rank], x, known=True)
    close(got, want)
    lengths = np.array(shape[-rank:], np.int32)
    close(fed(TO_REAL[rank], got, lengths, known=True), x)
    # Other lengths cut and pad.
    for change in (-1, 2):
        other = [max(1, n + change) for n in shape[-rank:]]
        want = np.fft.rfftn(x.astype(np.float64), other, axes(rank))
        close(fed(lambda y, n=other: REAL[rank](y, n), x), want)
        z = want.astype(got.dtype)
        back = [max(1, n - 1) for n in other]
        want = np.fft.irfftn(z.astype(np.complex128), back, axes(rank))
        close(fed(lambda y, n=back: TO_REAL[rank](y, n), z, known=True), want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_lengths_that_nobody_says(dtype):
    x = draw(dtype, 3, 8)
    close(fed(tf.signal.irfft, fed(tf.signal.rfft, x)), x)
    assert fed(lambda y: tf.signal.rfft(y, [0]), x).shape == (3, 0)


def test_what_does_not_fit_is_refused():
    x = np.zeros([4], np.complex64)
    for op in (tf.fft2d, tf.ifft3d):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="rank"):
            fed(op, x)
    y = np.zeros([4], np.float32)
    for length in ([5], [-1], [2, 2], 3):
        n = np.array(length, np.int32)
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            fed(gen_spectral_ops.rfft, y, n)
    for length in ([8], [-1]):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            fed(gen_spectral_ops.irfft, x, np.array(length, np.int32))
    with pytest.raises(ValueError, match="dtype"):
        tf.signal.rfft(x)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("length", [4, 5])
def test_gradients(length, rank):
    shape = [2, *[5] * rank]

    def parts(z):
        return tf.stack([tf.real(z), tf.imag(z)])

    for op in (FORWARD[rank], INVERSE[rank]):
        arrays = [draw(np.float64, *shape, seed=s) for s in (1, 2)]
        check_gradient(lambda a, b, f=op: parts(f(tf.complex(a, b))), arrays, [0, 1])
    lengths = [length] * rank
    check_gradient(
        lambda x: parts(REAL[rank](x, lengths)), [draw(np.float64, *shape)], [0]
    )
    arrays = [draw(np.float64, *shape, seed=s) for s in (1, 2)]
    check_gradient(
        lambda a, b: TO_REAL[rank](tf.complex(a, b), lengths), arrays, [0, 1]
    )


def test_second_gradient():
    def slope(x):
        y = tf.signal.rfft(x)
        power = tf.real(y) ** 2 + tf.imag(y) ** 2
        return tf.gradients(tf.reduce_sum(power**2), x)[0]

    check_gradient(slope, [draw(np.float64, 6)], [0])


def test_results_have_the_same_bits_with_one_thread_and_several():
    x = draw(np.complex64, 300, 210)

    def values(threads):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            y = tf.constant(x)
            outputs = [tf.fft(y), tf.fft2d(y), tf.signal.rfft(tf.real(y))]
            return session.run(outputs)

    for one, several in zip(values(1), values(3), strict=True):
        np.testing.assert_array_equal(one, several)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("n", [None, 5, 12])
def test_cosine_transforms(n, norm, kind, dtype):
    x = draw(dtype, 3, 8)
    if kind == 1 and norm:
        with pytest.raises(ValueError, match="orthonormal"):
            tf.spectral.dct(x, kind, norm=norm)
        return
    want = scipy.fft.dct(x.astype(np.float64), kind, n, norm=norm)
    for known in (False, True):
        got = fed(lambda y: tf.spectral.dct(y, kind, n, norm=norm), x, known=known)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, want, atol=200 * np.finfo(dtype).eps)
    back = fed(lambda y: tf.spectral.idct(y, kind, norm=norm), got)
    size = n or 8
    factor = 1 if norm else 2 * (size - 1) if kind == 1 else 2 * size
    cut = np.zeros([3, size])
    cut[:, : min(8, size)] = x[:, :size]
    np.testing.assert_allclose(back / factor, cut, atol=100 * np.finfo(dtype).eps)


def test_cosine_transforms_refuse_other_arguments():
    x = np.zeros([4], np.float32)
    for arguments in ({"type": 5}, {"n": 0}, {"norm": "other"}):
        with pytest.raises(ValueError, match="dct"):
            tf.spectral.dct(x, **arguments)
    with pytest.raises(NotImplementedError, match="axis"):
        tf.spectral.dct(x, axis=0)
