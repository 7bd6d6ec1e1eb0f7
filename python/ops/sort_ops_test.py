# SPDX-License-Identifier: Apache-2.0
"""sort and argsort against NumPy."""

import numpy as np
import pytest

import tensorwright as tf


def run(function, *arrays, known=True):
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = [
            tf.placeholder(tf.as_dtype(a.dtype), a.shape if known else None)
            for a in arrays
        ]
        return sess.run(function(*fed), dict(zip(fed, arrays)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_order_along_an_axis(dtype, axis, direction):
    rng = np.random.RandomState(0)
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    x = rng.randint(0, 9, [3, 4, 7]).astype(dtype)
    x[0, 0, :2] = info.min, info.max
    got = run(lambda t: tf.sort(t, axis, direction), x)
    want = np.sort(x, axis)
    if direction == "DESCENDING":
        want = np.flip(want, axis)
    np.testing.assert_array_equal(got, want)
    where = run(lambda t: tf.argsort(t, axis, direction), x)
    assert where.dtype == np.int32
    np.testing.assert_array_equal(np.take_along_axis(x, where, axis), want)


def test_equal_values_keep_their_order():
    x = np.array([2, 1, 2, 1, 2], np.int32)
    np.testing.assert_array_equal(run(tf.argsort, x, known=False), [1, 3, 0, 2, 4])
    down = run(lambda t: tf.argsort(t, direction="DESCENDING"), x)
    np.testing.assert_array_equal(down, [0, 2, 4, 1, 3])


def test_bad_arguments():
    with pytest.raises(ValueError, match="direction"):
        tf.sort([1.0], direction="UP")
    with pytest.raises(ValueError, match="axis must be in"):
        tf.argsort([1.0], axis=1)
    with pytest.raises(ValueError, match="rank of values"):
        run(lambda t: tf.sort(t, axis=0), np.zeros(3, np.float32), known=False)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32])
@pytest.mark.parametrize("axis", [-1, 0, 1, -3])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_approximate_top_k_is_exact(k, axis, dtype):
    x = np.random.RandomState(0).permutation(60).reshape(3, 4, 5).astype(np.float32)
    for most, function in ((True, tf.nn.approx_max_k), (False, tf.math.approx_min_k)):
        order = np.argsort(-x if most else x, axis)
        order = np.take(order, range(k), axis)
        for call in (
            lambda t, f=function: f(t, k, axis),
            lambda t, m=most: tf.approx_top_k(t, k, axis, is_max_k=m),
        ):
            found = run(lambda t, c=call: c(tf.cast(t, dtype)), x)
            np.testing.assert_array_equal(found.indices, order)
            want = np.take_along_axis(x, order, axis)
            np.testing.assert_array_equal(found.values.astype(np.float32), want)


def test_approximate_top_k_keeps_the_order_of_equals():
    x = np.array([1, 2, 2, 1, 2, 0], np.float32)
    assert run(lambda t: tf.nn.approx_max_k(t, 4), x).indices.tolist() == [1, 2, 4, 0]
    assert run(lambda t: tf.nn.approx_min_k(t, 4), x).indices.tolist() == [5, 0, 3, 1]


def test_the_gradient_of_approximate_top_k_goes_to_what_was_taken():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([3.0, 1.0, 2.0])
        values, _ = tf.nn.approx_min_k(x, 2)
        (gradient,) = tf.gradients(values * values, x)
        assert session.run(gradient).tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda x: tf.approx_top_k(x, 6), ValueError, "k = 6"),
        (lambda x: tf.approx_top_k(x, -1), ValueError, "k >= 0"),
        (lambda x: tf.approx_top_k(x, 1, recall_target=0), ValueError, "recall_target"),
        (lambda x: tf.nn.approx_max_k(x, 1, 1), ValueError, "axis must be in"),
        (lambda x: tf.nn.approx_min_k(tf.cast(x, "int32"), 1), TypeError, "int32"),
        (lambda x: tf.approx_top_k(x[0], 1), ValueError, "axis|rank"),
    ],
)
def test_approximate_top_k_names_mistakes(build, error, words):
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        build(tf.zeros([5]))
