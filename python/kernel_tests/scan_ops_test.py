# SPDX-License-Identifier: Apache-2.0
"""Cumsum and Cumprod against NumPy."""

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


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_scans(name, dtype):
    numpy = getattr(np, name)
    for shape, axis in (([5], 0), ([3, 4], 1), ([3, 4, 2], -2), ([0, 3], 0)):
        x = (numbers("int64", shape) % 3).astype(dtype)
        want = numpy(x, axis, dtype=x.dtype)
        np.testing.assert_array_equal(
            run(getattr(gen_math_ops, name), x, np.int32(axis)), want
        )
        flipped = np.flip(numpy(np.flip(x, axis), axis, dtype=x.dtype), axis)
        got = run(
            lambda v, a: getattr(gen_math_ops, name)(v, a, reverse=True),
            x,
            np.int32(axis),
        )
        np.testing.assert_array_equal(got, flipped)
        got = run(
            lambda v, a: getattr(gen_math_ops, name)(v, a, exclusive=True),
            x,
            np.int32(axis),
        )
        if x.size:
            first = np.full_like(np.take(x, [0], axis), name == "cumprod")
            shifted = np.concatenate(
                [first, np.take(want, range(x.shape[axis] - 1), axis)], axis
            )
            np.testing.assert_array_equal(got, shifted)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(getattr(gen_math_ops, name), numbers(dtype, [3]), np.int32(1))
