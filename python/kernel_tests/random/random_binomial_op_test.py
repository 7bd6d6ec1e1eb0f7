# SPDX-License-Identifier: Apache-2.0
"""Samples that a seed decides: TensorFlow's values, and the distributions they are of."""

import numpy as np
import pytest
import scipy.stats

import tensorwright as tf
from tensorwright.python.ops import gen_random_ops, gen_stateless_random_ops
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

SEED = [3, 5]


def test_values_of_tensorflow():
    """TensorFlow 2.21 returns these."""
    logits = np.log([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1]]).astype(np.float32)
    classes = evaluate(tf.random.stateless_categorical(logits, 6, SEED))
    assert classes.tolist() == [[2, 3, 1, 3, 3, 3], [0, 0, 1, 0, 2, 0]]
    gamma = evaluate(tf.random.stateless_gamma([3, 2], SEED, np.float32([0.5, 4])))
    want = [[0.03434157, 2.786577], [1.6419003, 2.598643], [0.089449115, 4.1534066]]
    np.testing.assert_allclose(gamma, want, rtol=1e-6)
    one = evaluate(gen_random_ops.stateless_random_gamma_v2([4], SEED, np.float64(1)))
    np.testing.assert_allclose(
        one, [3.295854782257315, 0.02501517002654738, 1.6453378226036524, 0.7359000393835513],
        rtol=1e-14,
    )  # fmt: skip
    poisson = evaluate(tf.random.stateless_poisson([4, 2], SEED, [2.0, 50.0]))
    assert poisson.tolist() == [[3, 48], [0, 56], [3, 48], [2, 50]]
    binomial = tf.random.stateless_binomial(
        [6, 3], SEED, [10.0, 100.0, 40.0], [0.3, 0.4, 0.9]
    )
    assert evaluate(binomial).tolist() == [
        [3, 39, 36], [5, 40, 35], [2, 38, 35], [5, 37, 36], [2, 38, 32], [5, 45, 37],
    ]  # fmt: skip
    few = tf.random.stateless_binomial(
        [2, 4], SEED, [1.0, 5.0, 9.0, 1e6], [0.5, 0.9, 0.1, 1e-6], tf.int64
    )
    assert evaluate(few).tolist() == [[1, 5, 0, 1], [1, 5, 3, 4]]
    broadcast = tf.random.stateless_binomial(
        [3, 2, 2], SEED, [[10.0], [100.0]], [0.3, 0.9], tf.int64
    )
    assert evaluate(broadcast).tolist() == [
        [[3, 10], [29, 92]], [[5, 10], [30, 92]], [[2, 7], [28, 87]],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, np.int32, np.int64]
)
@pytest.mark.parametrize("count, p", [(7, 0.3), (50, 0.5), (300, 0.9), (40, 0.02)])
def test_binomial_distribution(count, p, dtype):
    got = evaluate(
        gen_random_ops.stateless_random_binomial(
            [20_000], [1, 2], np.float64(count), np.float64(p), dtype=dtype
        )
    )
    assert got.dtype == dtype
    counts = np.bincount(got.astype(np.int64), minlength=count + 1)
    expected = scipy.stats.binom(count, p).pmf(np.arange(count + 1)) * len(got)
    often = expected > 5
    rest = [counts[~often].sum(), expected[~often].sum()]
    statistic = np.sum((counts[often] - expected[often]) ** 2 / expected[often])
    if rest[1] > 5:
        statistic += (rest[0] - rest[1]) ** 2 / rest[1]
    assert statistic < scipy.stats.chi2.ppf(1 - 1e-6, often.sum())


@pytest.mark.parametrize(
    "dtype", [np.int32, np.int64, np.float16, np.float32, np.float64]
)
def test_binomial_parameters_of_any_dtype(dtype):
    got = fed(
        lambda n, p: gen_random_ops.stateless_random_binomial([3, 2], SEED, n, p),
        np.array([5, 0], dtype), np.array(1, dtype),
    )  # fmt: skip
    assert got.dtype == np.int64 and got.tolist() == [[5, 0]] * 3


def test_where_binomial_is_no_distribution():
    def draw(count, p):
        return evaluate(
            gen_random_ops.stateless_random_binomial(
                [2], SEED, np.float32(count), np.float32(p), dtype=tf.float32
            )
        ).tolist()

    assert draw(-1, 0.5) == draw(5, -1) == draw(5, 0) == draw(0, 0.5) == [0, 0]
    assert draw(5, 1.5) == draw(5, 1) == draw(5, np.inf) == [5, 5]
    # Nothing is drawn of no trials, and never where no trial succeeds.
    assert draw(-np.inf, 0.5) == draw(0, np.nan) == draw(np.nan, -1) == [0, 0]
    assert np.isinf(draw(np.inf, 1)).all()
    assert np.isnan([draw(np.nan, 0.5), draw(np.inf, 0.5), draw(5, np.nan)]).all()


def test_gamma_by_seed_and_by_place_agree():
    key, counter, alg = gen_stateless_random_ops.stateless_random_get_key_counter_alg(
        SEED
    )
    alpha = tf.constant([0.5, 4.0])
    both = [
        gen_random_ops.stateless_random_gamma_v2([3, 2], SEED, alpha),
        gen_random_ops.stateless_random_gamma_v3([3, 2], key, counter, alg, alpha),
    ]
    one, other = evaluate(both)
    np.testing.assert_array_equal(one, other)
    grads = evaluate([tf.gradients(y, alpha)[0] for y in both])
    np.testing.assert_array_equal(grads[0], grads[1])
    assert grads[0].shape == (2,) and (grads[0] > 0).all()


def test_gamma_gradient_is_that_of_its_quantile():
    alpha = tf.placeholder(tf.float64, [])
    y = gen_random_ops.stateless_random_gamma_v2([50], SEED, alpha)
    (grad,) = tf.gradients(y, alpha)
    with tf.Session() as session:
        samples, got = session.run([y, grad], {alpha: 2.5})
    quantiles = scipy.stats.gamma(2.5).cdf(samples)
    ends = [scipy.stats.gamma(2.5 + h).ppf(quantiles) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(got, np.sum(ends[0] - ends[1]) / 2e-5, rtol=1e-5)


BAD = [
    (lambda: tf.random.stateless_gamma([3, 2], SEED, [1.0, 2.0, 3.0]), "shape must end with"),
    (lambda: tf.random.stateless_poisson([2], [1, 2, 3], 1.0), "imension"),
    (lambda: tf.random.stateless_multinomial(np.zeros([3]), 2, SEED), "rank 2"),
    (lambda: tf.random.stateless_multinomial(np.zeros([1, 3]), -2, SEED), "num_samples|non-negative"),
    (lambda: tf.random.stateless_binomial([3], SEED, [1.0, 2.0], [0.1, 0.2, 0.3]), "must broadcast"),
]  # fmt: skip


@pytest.mark.parametrize("build, words", BAD)
def test_bad_input(build, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        evaluate(build())
