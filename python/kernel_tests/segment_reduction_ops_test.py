# SPDX-License-Identifier: Apache-2.0
"""Segment sums against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops

NUMBERS = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def run(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        return sess.run(function(*placeholders), dict(zip(placeholders, arrays)))


def numbers(dtype, shape, seed=0):
    return np.random.RandomState(seed).randint(0, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_segment_sums(dtype, index):
    x, ids = numbers(dtype, [6, 3]), index([0, 0, 2, 2, 2, 3])
    want = np.stack([x[ids == i].sum(0, dtype=x.dtype) for i in range(4)])
    np.testing.assert_array_equal(run(gen_math_ops.segment_sum, x, ids), want)
    mixed = index([3, 0, -1, 3, 1, 0])
    want = np.stack([x[mixed == i].sum(0, dtype=x.dtype) for i in range(5)])
    got = run(gen_math_ops.unsorted_segment_sum, x, mixed, np.int32(5))
    np.testing.assert_array_equal(got, want)
    two = index([[0, 1, 0]] * 6)
    want = np.stack([x[two == i].sum(dtype=x.dtype) for i in range(2)])
    np.testing.assert_array_equal(
        run(gen_math_ops.unsorted_segment_sum, x, two, np.int32(2)), want
    )


@pytest.mark.parametrize("ids", [[1, 0], [-1, 0], [0, 1, 2]])
def test_segment_sum_refuses(ids):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(gen_math_ops.segment_sum, np.zeros([2, 3], np.float32), np.int32(ids))
