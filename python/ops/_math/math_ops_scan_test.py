# SPDX-License-Identifier: Apache-2.0
"""Cumulative sums of exponentials against NumPy's logaddexp."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(9)


def _expected(x, axis, exclusive, reverse):
    if reverse:
        return np.flip(_expected(np.flip(x, axis), axis, exclusive, False), axis)
    y = np.logaddexp.accumulate(x.astype(np.float64), axis)
    if exclusive and x.shape[axis]:
        first = np.full_like(np.take(y, [0], axis), -np.inf)
        y = np.concatenate([first, np.delete(y, -1, axis)], axis)
    return y.astype(x.dtype)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [([1], 0), ([7], 0), ([8], -1), ([3, 5, 4], 1), ([0, 3], 0), ([2, 33], -1)],
)
def test_sums_are_numpys(shape, axis, exclusive, reverse):
    for dtype, rtol in ((np.float64, 1e-12), (np.float32, 1e-5), (np.float16, 2e-3)):
        x = (_RANDOM.normal(size=shape) * 20).astype(dtype)
        expected = _expected(x, axis, exclusive, reverse)
        fed = tf.placeholder(dtype)
        place = tf.placeholder(tf.int32, [])
        for source, where in ((x, axis), (fed, axis), (fed, place)):
            y = tf.math.cumulative_logsumexp(source, where, exclusive, reverse)
            assert y.dtype == dtype
            got = evaluate(y, {fed: x, place: axis})
            np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


def test_sums_in_bfloat16():
    x = _RANDOM.normal(size=[3, 9]).astype(ml_dtypes.bfloat16)
    got = evaluate(tf.math.cumulative_logsumexp(tf.constant(x), 1))
    assert got.dtype == x.dtype
    want = np.logaddexp.accumulate(x.astype(np.float64), 1)
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=1e-2, atol=1e-2)


def test_a_nan_stays():
    got = evaluate(tf.math.cumulative_logsumexp(np.array([1, np.nan, 2.0])))
    np.testing.assert_array_equal(got, [1, np.nan, np.nan])


@pytest.mark.parametrize("shape", [[300, 70], [2, 100_003]])
def test_large_arrays_are_shared_out(shape):
    x = _RANDOM.normal(size=shape).astype(np.float64)
    for axis in (0, 1):
        got = evaluate(tf.math.cumulative_logsumexp(tf.constant(x), axis))
        np.testing.assert_allclose(got, np.logaddexp.accumulate(x, axis), rtol=1e-12)


def test_numbers_far_apart_and_infinite():
    x = np.array([-np.inf, -1e4, 0.0, 1e4, -1e4, np.inf, 1.0])
    got = evaluate(tf.math.cumulative_logsumexp(x))
    np.testing.assert_array_equal(got, [-np.inf, -1e4, 0, 1e4, 1e4, np.inf, np.inf])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
def test_gradients_are_numeric_ones(exclusive, reverse):
    x = _RANDOM.normal(size=[2, 5])
    upstream = _RANDOM.normal(size=[2, 5])

    def total(x):
        y = _expected(x, 1, exclusive, reverse)
        return (np.where(np.isinf(y), 0, y) * upstream).sum()

    t = tf.constant(x)
    y = tf.math.cumulative_logsumexp(t, 1, exclusive, reverse)
    (gradient,) = tf.gradients(y, t, tf.constant(upstream))
    h, numeric = 1e-6, np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        numeric[i] = (total(up) - total(down)) / (2 * h)
    np.testing.assert_allclose(evaluate(gradient), numeric, atol=1e-7)


def test_the_second_derivative_of_a_sum_is_that_of_softmax():
    values = np.array([0.3, -0.5, 1.0])
    x = tf.constant(values)
    last = tf.math.cumulative_logsumexp(x)[-1]
    (first,) = tf.gradients(last, x)
    (second,) = tf.gradients(first[0], x)
    p = np.exp(values) / np.exp(values).sum()
    one, two = evaluate([first, second])
    np.testing.assert_allclose(one, p, rtol=1e-9)
    np.testing.assert_allclose(two, p[0] * (np.eye(3)[0] - p), rtol=1e-7)


def test_mistakes_are_named():
    x = np.ones([2, 3])
    with pytest.raises(ValueError, match="axis must be in"):
        tf.math.cumulative_logsumexp(x, 2)
    with pytest.raises(TypeError, match="floating"):
        tf.math.cumulative_logsumexp([1, 2])
    with pytest.raises(TypeError, match="axis"):
        tf.math.cumulative_logsumexp(x, 0.5)
    axis = tf.placeholder(tf.int32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="scan axis in the range"):
        evaluate(tf.math.cumulative_logsumexp(x, axis), {axis: -3})
