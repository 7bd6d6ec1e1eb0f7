# SPDX-License-Identifier: Apache-2.0
"""RandomPoisson and RandomPoissonV2: values for a seed, distribution, layout."""

import numpy as np
import pytest
import scipy.stats

import tensorwright as tf
from tensorwright.python.ops import gen_random_ops
from tensorwright.python.testing.op_testing import fed

RATES = [0.5, 4.0, 30.0, 1000.0]
# TensorFlow 2.21 draws these.
OF_SEED_7 = [
    [0, 1, 38, 1045],
    [0, 7, 31, 958],
    [1, 3, 28, 981],
    [0, 5, 30, 956],
]


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int32, np.int64]
)
@pytest.mark.parametrize("rate", [np.float32, np.float64, np.float16])
def test_values_of_a_seed(dtype, rate):
    got = fed(
        lambda r: tf.random_poisson(r, [4], dtype=dtype, seed=7), np.array(RATES, rate)
    )
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.array(OF_SEED_7, np.float64).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_first_version_draws_the_same(dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        kinds = {"seed": 3, "seed2": 4}
        rate = tf.constant(RATES, dtype)
        one = gen_random_ops.random_poisson([5], rate, **kinds)
        two = gen_random_ops.random_poisson_v2([5], rate, dtype=dtype, **kinds)
        np.testing.assert_array_equal(*session.run([one, two]))


@pytest.mark.parametrize("rate", [3, 9.9, 10, 250])
def test_distribution(rate):
    n = 20_000
    got = fed(lambda r: tf.random_poisson(r, [n], tf.int64, seed=1), np.float64(rate))
    law = scipy.stats.poisson(rate)
    low, high = law.ppf([0.02, 0.98]).astype(int)
    low = max(low, 1)
    counts = [np.sum(got < low)]
    counts += [np.sum(got == k) for k in range(low, high + 1)]
    counts += [np.sum(got > high)]
    chances = [law.cdf(low - 1), *law.pmf(np.arange(low, high + 1)), law.sf(high)]
    fit = scipy.stats.chisquare(counts, n * np.array(chances))
    assert fit.pvalue > 1e-3


def test_layout_and_edges():
    def op(r):
        return tf.random_poisson(r, [2, 3], tf.float64, seed=1)

    assert fed(op, np.float32([[1], [2]])).shape == (2, 3, 2, 1)
    assert fed(op, np.zeros([0], np.float32)).shape == (2, 3, 0)
    assert (fed(op, np.float64([0])) == 0).all()
    assert np.isnan(fed(op, np.float64([np.nan]))).all()
    assert (fed(op, np.float64([-1, -np.inf])) == 0).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_infinite_rate_draws_infinity(dtype):
    def op(r):
        return tf.random_poisson(r, [3], dtype, seed=1)

    assert (fed(op, np.float32([np.inf])) == np.inf).all()
    assert np.isfinite(fed(op, np.float32([1000]))).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32, np.int64])
def test_a_rate_beyond_the_type_draws_its_end(dtype):
    """No draw would do: the greatest integer, or infinity, stands for all of them."""
    is_integer = np.issubdtype(dtype, np.integer)
    greatest = np.iinfo(dtype).max if is_integer else np.finfo(dtype).max
    end = greatest if is_integer else np.inf
    rates = np.array([float(greatest) * 1.1, float(greatest) * 1e6, 3.0])
    got = fed(lambda r: tf.random_poisson(r, [50], dtype=dtype, seed=1), rates)
    np.testing.assert_array_equal(got[:, :2], np.full([50, 2], end, dtype))
    assert got[:, 2].max() < 20
    with tf.Graph().as_default(), tf.Session() as session:
        stateless = gen_random_ops.stateless_random_poisson(
            [50, 3], [1, 2], tf.constant(rates), dtype=tf.as_dtype(dtype)
        )
        got = session.run(stateless)
    np.testing.assert_array_equal(got[:, :2], np.full([50, 2], end, dtype))


def test_rates_near_the_end_of_the_type():
    """A draw that is too large is drawn again, as in TensorFlow."""
    got = fed(
        lambda r: tf.random_poisson(r, [200], dtype=np.float16, seed=1), [65504.0]
    )
    assert np.isfinite(got).all()
    assert got.min() > 64000


def test_refuses_bad_arguments():
    with pytest.raises(tf.errors.InvalidArgumentError, match="RandomPoisson"):
        fed(lambda s: tf.random_poisson([1.0], s), np.int32([-1]))
    with pytest.raises((TypeError, ValueError)):
        tf.random_poisson(["a"], [1])


def test_is_not_differentiated():
    with tf.Graph().as_default():
        rate = tf.constant(RATES)
        for drawn in (
            tf.random_poisson(rate, [2]),
            gen_random_ops.random_poisson([2], rate),
        ):
            # As in TensorFlow, nothing is registered.
            with pytest.raises(LookupError, match="No gradient defined"):
                tf.gradients(drawn, rate)
