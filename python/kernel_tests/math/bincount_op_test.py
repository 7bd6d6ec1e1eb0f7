# SPDX-License-Identifier: Apache-2.0
"""Counting in bins: Bincount, Bucketize, histograms, confusion matrices."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops


def evaluate(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [[0], [1], [17], [40, 50]])
def test_bincount(dtype, shape):
    rng = np.random.RandomState(0)
    arr = rng.randint(0, 9, shape).astype(np.int32)
    weights = rng.randint(0, 5, shape).astype(dtype)
    for size in (0, 4, 12):
        want = np.bincount(arr.ravel(), weights.ravel(), 12)[:size]
        got = evaluate(gen_math_ops.bincount, arr, np.int32(size), weights)
        np.testing.assert_array_equal(got, want.astype(dtype))
        none = np.zeros([0], dtype)
        want = np.bincount(arr.ravel(), minlength=12)[:size]
        got = evaluate(gen_math_ops.bincount, arr, np.int32(size), none)
        np.testing.assert_array_equal(got, want.astype(dtype))
        assert got.dtype == dtype


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 7, 300, 5000])
def test_large_arrays_without_weights(dtype, size):
    arr = np.random.RandomState(size).randint(0, 400, 100001).astype(np.int32)
    arr[-1] = np.iinfo(np.int32).max  # In no bin.
    none = np.zeros([0], dtype)
    got = evaluate(gen_math_ops.bincount, arr, np.int32(size), none)
    want = np.bincount(arr[:-1], minlength=size)[:size]
    np.testing.assert_array_equal(got, want.astype(dtype))
    for place in (0, 54321, 100000):
        arr[place] = -1
        with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
            evaluate(gen_math_ops.bincount, arr, np.int32(size), none)
        arr[place] = 0


def test_bincount_function():
    arr = np.int32([1, 1, 3, 0])
    weights = np.float32([0.5, 1, 2, 4])
    np.testing.assert_array_equal(evaluate(tf.bincount, arr), [1, 2, 0, 1])
    np.testing.assert_array_equal(evaluate(tf.bincount, arr, weights), [4, 1.5, 0, 2])
    got = evaluate(lambda a: tf.bincount(a, minlength=6), arr)
    np.testing.assert_array_equal(got, [1, 2, 0, 1, 0, 0])
    got = evaluate(lambda a: tf.bincount(a, maxlength=2, dtype=tf.float64), arr)
    np.testing.assert_array_equal(got, [1, 2])
    assert evaluate(tf.bincount, np.zeros([0], np.int32)).shape == (0,)


def test_bincount_refuses():
    none = np.zeros([0], np.float32)
    for arr, size, weights in (
        ([1, -1], 3, none),
        ([1, 1], -1, none),
        ([1, 1], 3, np.ones([3], np.float32)),
        ([1, 1], [3], none),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            evaluate(gen_math_ops.bincount, np.int32(arr), np.int32(size), weights)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_histograms(dtype):
    x = np.array([-1, 0, 1, 2, 5, 15], dtype)
    edges = np.array([0, 5], dtype)
    got = evaluate(lambda v, e: tf.histogram_fixed_width(v, e, nbins=5), x, edges)
    np.testing.assert_array_equal(got, [2, 1, 1, 0, 2])
    got = evaluate(lambda v, e: tf.histogram_fixed_width_bins(v, e, nbins=5), x, edges)
    np.testing.assert_array_equal(got, [0, 0, 1, 2, 4, 4])
    got = evaluate(
        lambda v, e: tf.histogram_fixed_width(v, e, nbins=3, dtype=tf.int64),
        x[:0],
        edges,
    )
    np.testing.assert_array_equal(got, [0, 0, 0])
    assert got.dtype == np.int64
    for bad, bins in ((edges[::-1], 5), (edges, 0)):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            evaluate(lambda v, e: tf.histogram_fixed_width(v, e, nbins=bins), x, bad)


def test_confusion_matrix():
    labels, predictions = np.int32([1, 2, 4, 1]), np.int64([2, 2, 4, 2])
    want = np.zeros([5, 5])
    np.add.at(want, (labels, predictions), 1)
    np.testing.assert_array_equal(
        evaluate(tf.confusion_matrix, labels, predictions), want
    )
    got = evaluate(
        lambda a, b: tf.confusion_matrix(a, b, 6, tf.float32), labels, predictions
    )
    assert got.shape == (6, 6) and got.dtype == np.float32
    weights = np.float32([1, 2, 3, 0.5])
    got = evaluate(
        lambda a, b, w: tf.confusion_matrix(a, b, dtype=tf.float32, weights=w),
        labels,
        predictions,
        weights,
    )
    np.testing.assert_array_equal(got[1, 2], 1.5)
    for bad in ([1, 2, -1, 1], [1, 2, 7, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            evaluate(
                lambda a, b: tf.confusion_matrix(a, b, 6), np.int32(bad), predictions
            )
    with tf.Graph().as_default(), tf.Session() as sess:
        column = tf.constant(labels[:, None])
        got = sess.run(tf.confusion_matrix(column, tf.constant(predictions)))
    np.testing.assert_array_equal(got, want)
