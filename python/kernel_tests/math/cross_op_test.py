# SPDX-License-Identifier: Apache-2.0
"""Cross products against NumPy; their gradient is in special_math_test.py."""

import numpy as np
import pytest

import tensorwright as tf

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES += ["float16", "float32", "float64"]


def run(a, b, narrow=False):
    with tf.Graph().as_default(), tf.Session() as sess:
        p, q = (
            tf.placeholder(tf.as_dtype(a.dtype)),
            tf.placeholder(tf.as_dtype(b.dtype)),
        )
        if narrow:
            out = tf.cross(tf.cast(p, tf.bfloat16), tf.cast(q, tf.bfloat16))
            return sess.run(tf.cast(out, tf.float32), {p: a, q: b})
        return sess.run(tf.cross(p, q), {p: a, q: b})


@pytest.mark.parametrize("shape", [[3], [0, 3], [1, 3], [5, 3], [2, 70, 3]])
def test_cross(shape):
    rng = np.random.RandomState(0)
    a, b = rng.randint(0, 9, shape), rng.randint(0, 9, shape)
    for dtype in DTYPES:
        want = np.cross(a.astype(dtype), b.astype(dtype))
        np.testing.assert_array_equal(run(a.astype(dtype), b.astype(dtype)), want)
    a, b = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_array_equal(run(a, b, narrow=True), np.cross(a, b))


@pytest.mark.parametrize(
    ("a", "b"), [([2], [2]), ([], []), ([2, 3], [3]), ([3, 2], [3, 2])]
)
def test_cross_refuses(a, b):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(np.zeros(a, np.float32), np.zeros(b, np.float32))
    with tf.Graph().as_default(), pytest.raises(ValueError):
        tf.cross(np.zeros(a, np.float32), np.zeros(b, np.float32))
