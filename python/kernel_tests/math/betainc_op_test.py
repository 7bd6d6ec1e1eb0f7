# SPDX-License-Identifier: Apache-2.0
"""The incomplete beta function against SciPy."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.testing.op_testing import fed

FLOATS = ["float32", "float64"]
SIZES = [0, 1, 7, 300]
NAN = np.nan


def close(got, want, dtype, ulps):
    tol = ulps * np.finfo(dtype).eps
    np.testing.assert_allclose(
        got, want.astype(dtype), rtol=tol, atol=np.finfo(dtype).tiny
    )


def gradient_by_last(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        constants = [tf.constant(v) for v in arrays]
        return sess.run(tf.gradients(function(*constants), constants[-1])[0])


@pytest.mark.parametrize("dtype", FLOATS)
def test_betainc(dtype):
    for size in SIZES:
        rng = np.random.RandomState(size)
        a, b, x = (rng.uniform(0.05, m, size).astype(dtype) for m in (20, 20, 1))
        want = scipy.special.betainc(*(v.astype(np.float64) for v in (a, b, x)))
        close(fed(tf.betainc, a, b, x), want, dtype, 400)
    a, one = np.array([0.5, 2, 3], dtype), np.array(0.25, dtype)
    want = scipy.special.betainc(a.astype(np.float64), 0.25, 0.25)
    close(fed(tf.betainc, a, one, one), want, dtype, 400)
    ends = np.array([0, 1, -0.1, 1.1, NAN], dtype)
    got = fed(tf.betainc, np.array(2, dtype), np.array(3, dtype), ends)
    np.testing.assert_array_equal(got, np.array([0, 1, NAN, NAN, NAN], dtype))
    got = fed(tf.betainc, np.array([0, -1], dtype), np.array(1, dtype), one)
    assert np.isnan(got).all()
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.betainc, a, a[:2], one)


@pytest.mark.parametrize("dtype", FLOATS)
def test_betainc_of_large_arguments(dtype):
    """Whole ones too, of which Boost makes binomial sums that overflow."""
    large = [0.5, 10, 17, 20, 30, 39, 299, 500, 1e4, 1e6, 1e8]
    a, b, x = (
        v.astype(dtype).ravel() for v in np.meshgrid(large, large, [1e-6, 0.05, 0.5])
    )
    want = scipy.special.betainc(*(v.astype(np.float64) for v in (a, b, x)))
    tolerance = 2e-5 if np.dtype(dtype).itemsize == 4 else 1e-8
    np.testing.assert_allclose(fed(tf.betainc, a, b, x), want, tolerance, 1e-37)


def test_gradient_of_betainc_is_its_density_to_the_ends():
    numbers = [0.1, 0.5, 1, 2, 10, 100]
    grid = np.meshgrid(numbers, numbers, [0, 1e-6, 0.5, 1 - 1e-6, 1])
    a, b, x = (v.ravel() for v in grid)
    with np.errstate(divide="ignore"):
        want = x ** (a - 1) * (1 - x) ** (b - 1) / scipy.special.beta(a, b)
    got = gradient_by_last(tf.betainc, a, b, x)
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_gradient_of_large_arguments_keeps_its_digits():
    a, b = np.float32([3e3, 1e5, 8e5]), np.float32([5e3, 3e5, 4e5])
    x = (a / (a + b)).astype(np.float32)
    want = scipy.stats.beta.pdf(x.astype(float), a.astype(float), b.astype(float))
    got = gradient_by_last(tf.betainc, a, b, x)
    np.testing.assert_allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize("shape", [[3], [2, 3], []])
def test_gradient_by_x_agrees_with_finite_differences(shape):
    rng = np.random.RandomState(0)
    arrays = [rng.uniform(low, low + 1, shape) for low in (0.6, 1.2, 0)]
    check_gradient(tf.betainc, arrays, [2])
    check_gradient(tf.betainc, [arrays[0], arrays[1], np.array(0.4)], [2])
