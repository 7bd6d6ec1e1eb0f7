# SPDX-License-Identifier: Apache-2.0
"""RandomGamma: its values for a seed, its distribution, its layout."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

import tensorwright as tf
from tensorwright.python.ops import gen_random_ops
from tensorwright.python.testing.op_testing import fed

# TensorFlow 2.21 draws these.
OF_SEED_5 = [
    [0.027734944, 0.591601254, 4.536923284],
    [0.080376962, 1.454369295, 9.711221412],
    [0.104876528, 0.824419969, 6.278531586],
]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_values_of_a_seed(dtype):
    got = fed(
        lambda a: tf.random_gamma([3], a, dtype=a.dtype, seed=5),
        np.array([0.5, 1, 7.5], dtype),
    )
    assert got.dtype == dtype
    np.testing.assert_allclose(got, OF_SEED_5, 4 * np.finfo(dtype).eps + 1e-8)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.0, 100.0])
def test_distribution(alpha):
    got = fed(
        lambda a: tf.random_gamma([20_000], a, 2.0, dtype=tf.float64, seed=1),
        np.float64(alpha),
    )
    fit = scipy.stats.kstest(got, scipy.stats.gamma(alpha, scale=0.5).cdf)
    assert fit.pvalue > 1e-3


def test_parameters_broadcast_and_come_last():
    got = fed(
        lambda a: tf.random_gamma([4, 5], a, [[1.0, 2, 3]], seed=1),
        np.float32([[1], [2]]),
    )
    assert got.shape == (4, 5, 2, 3)
    assert fed(lambda a: tf.random_gamma([0], a), np.float32([1])).shape == (0, 1)
    assert fed(lambda a: tf.random_gamma([], a), np.float32([1])).shape == (1,)


def test_every_call_goes_on():
    with tf.Graph().as_default(), tf.Session() as session:
        draw = tf.random_gamma([8], 2.0, seed=1)
        one, two = session.run(draw), session.run(draw)
        assert (one != two).all()


def test_refuses_bad_arguments():
    def op(shape):
        return gen_random_ops.random_gamma(shape, tf.constant([1.0]))

    with pytest.raises(tf.errors.InvalidArgumentError, match="RandomGamma"):
        fed(op, np.int32([-1]))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        fed(op, np.int32([[1]]))
    # No gamma distribution has such a shape.
    assert np.isnan(
        fed(lambda a: gen_random_ops.random_gamma([2], a), np.float32([-1.0]))
    ).all()


def _quantile_derivative(alpha, x):
    """-(dP/dalpha) / (dP/dx), by differences of SciPy's P."""
    step = 1e-5 * alpha
    p = [scipy.special.gammainc(a, x) for a in (alpha + step, alpha - step)]
    return -(p[0] - p[1]) / (2 * step) / scipy.stats.gamma(alpha).pdf(x)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 2e-3), (np.float64, 1e-6)])
def test_the_derivative_of_a_sample_keeps_its_quantile(dtype, rtol):
    alpha = np.array([0.2, 0.7, 1.0, 2.5, 30.0, 400.0])[:, None]
    x = scipy.stats.gamma(alpha).ppf([0.05, 0.3, 0.6, 0.95])
    got = fed(gen_random_ops.random_gamma_grad, alpha.astype(dtype), x.astype(dtype))
    assert got.dtype == dtype and got.shape == (6, 4)
    np.testing.assert_allclose(got, _quantile_derivative(alpha, x), rtol)


def test_the_derivative_at_the_ends():
    got = fed(
        gen_random_ops.random_gamma_grad,
        np.array([1.0, 0.0, -1.0, 2.0, np.nan]),
        np.array([0.0, 1.0, 1.0, -1.0, 1.0]),
    )
    assert got[0] == 0 and np.isnan(got[1:]).all()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradients_are_summed_over_samples(known, dtype):
    alpha = np.array([[0.5], [3.0]], dtype)
    upstream = np.random.RandomState(0).normal(size=(4, 3, 2, 1)).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        shape = tf.constant([4, 3])
        if not known:
            shape = tf.placeholder_with_default(shape, None)
        a = tf.constant(alpha)
        sample = gen_random_ops.random_gamma(shape, a, seed=3)
        (grad,) = tf.gradients(sample, a, upstream)
        x, got = session.run([sample, grad])
    wide = x.astype(np.float64)
    derivative = _quantile_derivative(alpha.astype(np.float64), wide)
    want = (upstream * derivative).sum((0, 1))
    rtol = {np.float16: 2e-2, np.float32: 1e-3, np.float64: 1e-6}[dtype]
    np.testing.assert_allclose(got, want, rtol, rtol)


def test_the_gradient_by_the_scale():
    with tf.Graph().as_default(), tf.Session() as session:
        beta = tf.constant(np.float64(2.5))
        draw = tf.random_gamma([7], 1.5, beta, dtype=tf.float64, seed=1)
        (grad,) = tf.gradients(draw, beta)
        x, got = session.run([draw, grad])
    np.testing.assert_allclose(got, -(x / 2.5).sum())
