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
