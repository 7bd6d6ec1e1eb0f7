# SPDX-License-Identifier: Apache-2.0
"""ParameterizedTruncatedNormal: distributions wherever the bounds are."""

import numpy as np
import pytest
import scipy.stats

import tensorwright as tf
from tensorwright.python.ops import gen_random_ops, random_ops
from tensorwright.python.testing.op_testing import fed

INF = np.inf
# (mean, deviation, lower, upper): by normal, uniform and exponential numbers, and turned around.
BOUNDS = [
    (0, 1, -1, 2),
    (3, 2, -INF, 4),
    (0, 1, -0.2, 0.5),
    (0, 1, 2, 2.3),
    (0, 1, 3, 9),
    (0, 1, 2, INF),
    (1, 2, -INF, -4),
    (0, 1, -9, -3),
]


def drawn(shape, means, stdevs, minvals, maxvals, seed=1):
    return fed(
        lambda *p: random_ops.parameterized_truncated_normal(
            shape, *p, dtype=p[0].dtype, seed=seed
        ),
        *(np.asarray(p) for p in (means, stdevs, minvals, maxvals)),
    )


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distribution(bounds, dtype):
    got = drawn([5_000], *np.array(bounds, dtype))
    mean, stdev, low, high = bounds
    law = scipy.stats.truncnorm(
        (low - mean) / stdev, (high - mean) / stdev, mean, stdev
    )
    assert got.dtype == dtype
    assert (got >= low).all() and (got <= high).all()
    assert scipy.stats.kstest(got.astype(np.float64), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("bounds", "want"),
    [
        ((-1, 2), [1.0616621, -0.8785783, 0.11187216, 0.18511717, 0.90922564]),
        ((3, 9), [3.2874894, 3.0070825, 3.2075748, 3.4735026, 3.2595017]),
        ((-0.2, 0.5), [0.070850566, 0.05201836, 0.48381573, -0.13943854, 0.09708096]),
    ],
)
def test_values_of_a_seed(bounds, want):
    """TensorFlow 2.21 draws these."""
    got = drawn([6], *np.float32([0, 1, *bounds]), seed=3)
    np.testing.assert_allclose(got[:5], want, 2e-6)


@pytest.mark.parametrize(
    ("dtype", "low", "want"),
    [
        (np.float32, [-2.6, -1.7, -1.5], [0.8817, 1.3257, 1.2248, 1.9202, 0.8331, 0.2227]),
        (np.float32, [1.6, 1.7, 1.5], [1.8786, 1.8834, 1.8354, 1.8067, 1.6352, 1.7823]),
        (np.float64, [2.6, 6.7, 3.5], [2.9426, 2.8079, 6.8218, 7.2261, 3.6018, 3.9633]),
    ],
)  # fmt: skip
def test_batches_go_on_in_the_stream_of_those_before_them(dtype, low, want):
    """The expected numbers are TensorFlow 2.21's."""
    high = 1.9 if low[0] == 1.6 else 8.4
    means, stdevs, maxvals = (dtype([v]) for v in (1, 0.9, high))
    with tf.Graph().as_default(), tf.Session() as sess:
        got = sess.run(_seeded([3, 2], means, stdevs, dtype(low), maxvals))
    np.testing.assert_allclose(got.reshape(-1), want, atol=6e-5)


def test_bounds_in_a_vector_are_of_batches_though_they_are_one():
    """Returns the draws of TensorFlow 2.21: the batches of scalar bounds are those of 100 samples."""
    together = [1.5924, 1.2062, 0.6868, 1.5981, 1.816, 1.3759]
    by_batches = [1.5924, 1.2062, 1.816, 1.3759, 1.2956, 0.7478]
    numbers = np.float32([0.8, 0.98, 0.55, 1.9])
    for of, want in ((numbers, together), (numbers[:, None], by_batches)):
        with tf.Graph().as_default(), tf.Session() as sess:
            y = gen_random_ops._parameterized_truncated_normal(
                [3, 2], *of, seed=77, seed2=63
            )
            np.testing.assert_allclose(sess.run(y).reshape(-1), want, atol=6e-5)


def test_the_next_run_goes_on_after_all_that_the_batches_may_use():
    """The expected numbers are those of TensorFlow 2.21's second run."""
    of_batches = [[2.3651, 1.3087], [2.3988, 1.3292], [2.0822, 2.5932]]
    of_one = [1.2969104, 1.1508104, 1.4530832, 0.40549392]
    stdev, low, high = np.float32(1), np.float32(0), np.float32(9)
    for shape, means, want in (
        ([3, 2], np.float32([1, 2, 3]), of_batches),
        ([250], np.float32(1), of_one),
    ):
        with tf.Graph().as_default(), tf.Session() as sess:
            y = _seeded(shape, means, stdev, low, high)
            sess.run(y)
            got = sess.run(y)[: len(want)]
        np.testing.assert_allclose(got, want, atol=6e-5)


def _seeded(shape, *parameters):
    return gen_random_ops._parameterized_truncated_normal(
        shape, *parameters, seed=61, seed2=36
    )


@pytest.mark.parametrize("mean", [INF, -INF])
def test_parameters_by_which_nothing_is_between_the_bounds_are_refused(mean):
    words = "batch 1 none of 1000 proposals"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn([2, 3], *np.float32([[1, mean]]), *np.float32([1, 0, 3]))


def test_numbers_are_the_same_on_any_number_of_threads():
    means = np.linspace(0, 9, 400, dtype=np.float32)
    found = []
    for threads in (1, 4):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            y = _seeded([400, 50], means, *np.float32([1, -1, 12]))
            found.append(sess.run(y))
    np.testing.assert_array_equal(*found)


def test_parameters_of_each_batch():
    """Far apart, so that a batch with another's parameters is seen."""
    means = np.float32([0, 100, 200])
    got = drawn([3, 400], means, np.float32([1]), means - 1, means + 2)
    assert ((got >= means[:, None] - 1) & (got <= means[:, None] + 2)).all()
    assert len(np.unique(got)) > 1000


@pytest.mark.parametrize("dtype", [np.float16, tf.bfloat16.as_numpy_dtype])
def test_narrow_dtypes(dtype):
    got = drawn([1000], *np.array([0, 1, -1, 1], np.float32).astype(dtype))
    assert got.dtype == dtype
    got = got.astype(np.float64)
    # Cut at +-1 a normal has a deviation of 0.54; of 1,000 draws the mean has a standard error of 0.017, and the
    # deviation one of less.
    assert np.abs(got).max() <= 1 and abs(got.mean()) < 4 * 0.017
    assert abs(got.std() - 0.5396) < 4 * 0.017


def test_empty_outputs():
    assert drawn([0, 3], *np.float32([0, 1, -1, 1])).shape == (0, 3)
    assert drawn([2, 0], *np.float32([0, 1, -1, 1])).shape == (2, 0)


@pytest.mark.parametrize(
    ("shape", "parameters", "words"),
    [
        ([2], (0, 0, -1, 1), "stdev must be positive"),
        ([2], (0, 1, 1, 1), "minval less than maxval"),
        ([2], (0, 1, -INF, INF), "finite"),
        ([2], (np.nan, 1, np.nan, 1), "minval less than maxval"),
        ([3], ([0, 0], 1, -1, 1), "means must be a scalar"),
        ([3], (0, 1, -1, [[1]]), "rank|maxvals must be a scalar"),
        ([], (0, 1, -1, 1), "shape must have a first size"),
    ],
)
def test_refuses_bad_arguments(shape, parameters, words):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
        drawn(shape, *(np.float32(p) for p in parameters))


def test_is_not_differentiated():
    with tf.Graph().as_default():
        mean = tf.constant(0.0)
        values = random_ops.parameterized_truncated_normal([3], mean)
        assert tf.gradients(values, mean) == [None]
