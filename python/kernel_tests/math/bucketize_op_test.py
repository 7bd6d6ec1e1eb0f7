# SPDX-License-Identifier: Apache-2.0
"""Bucketize against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops


def evaluate(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
def test_bucketize(dtype, count):
    rng = np.random.RandomState(count)
    edges = np.sort(rng.randint(-9, 9, count)).astype(float).tolist()
    for shape in ([0], [1], [33], [30, 40]):
        x = rng.randint(-12, 12, shape).astype(dtype)
        got = evaluate(lambda v: gen_math_ops.bucketize(v, boundaries=edges), x)
        np.testing.assert_array_equal(got, np.digitize(x, edges))
        assert got.dtype == np.int32


def test_bucketize_of_what_is_no_number_and_bad_boundaries():
    x = np.float32([np.nan, np.inf, -np.inf])
    got = evaluate(lambda v: gen_math_ops.bucketize(v, boundaries=[0.0, 1.0]), x)
    np.testing.assert_array_equal(got, [2, 2, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="sorted"):
        evaluate(lambda v: gen_math_ops.bucketize(v, boundaries=[1.0, 0.0]), x)
