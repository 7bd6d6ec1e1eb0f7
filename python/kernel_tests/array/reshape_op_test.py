# SPDX-License-Identifier: Apache-2.0
"""Reshape and its kin, Fill, Shape, Transpose, CheckNumerics against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


def values(shape, dtype=np.float32):
    numbers = np.arange(int(np.prod(shape)))
    if dtype is object:
        return np.array([b"s%d" % i for i in numbers], dtype=object).reshape(shape)
    return (numbers % 100).astype(dtype).reshape(shape)


def fed(build, *arrays):
    """Runs what `build` makes of placeholders of unknown shape."""
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [
            tf.placeholder(tf.as_dtype(a.dtype) if a.dtype != object else tf.string)
            for a in arrays
        ]
        return sess.run(build(*placeholders), dict(zip(placeholders, arrays)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("shape", "new"),
    [([6], [2, 3]), ([2, 3], [-1]), ([2, 3, 4], [4, -1]), ([1], []), ([0, 3], [3, 0])],
)
def test_reshape_keeps_the_elements(dtype, index_dtype, shape, new):
    x = values(shape, dtype)
    got = fed(gen_array_ops.reshape, x, np.array(new, index_dtype))
    np.testing.assert_array_equal(got, x.reshape(new))


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ([-1, -1], "Only one input size may be -1"),
        ([4], "6 elements to shape .4. .4 elements"),
        ([-1, 4], "evenly divisible by 4 but is 6"),
        ([-2, 3], ">= -1, got -2"),
        ([-1, 0], "cannot infer|has 0"),
    ],
)
def test_reshape_refuses_what_does_not_fit(new, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_array_ops.reshape, values([2, 3]), np.array(new, np.int32))


def test_expand_dims_and_squeeze():
    x = values([2, 3])
    for dim in (-3, -1, 0, 1, 2):
        got = fed(gen_array_ops._expand_dims, x, np.int32(dim))
        np.testing.assert_array_equal(got, np.expand_dims(x, dim))
    y = values([1, 2, 1, 3])
    np.testing.assert_array_equal(fed(gen_array_ops._squeeze, y), y.squeeze())
    got = fed(lambda v: gen_array_ops._squeeze(v, [-2]), y)
    np.testing.assert_array_equal(got, y.squeeze(2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops._expand_dims, x, np.int32(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="squeeze"):
        fed(lambda v: gen_array_ops._squeeze(v, [1]), y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "perm"),
    [
        ([3, 70], [1, 0]),
        ([2, 3, 4], [2, 0, 1]),
        ([5], [0]),
        ([], []),
        # More than a tile, few rows, few columns, odd sizes.
        ([2, 300, 67], [0, 2, 1]),
        ([3, 20001], [1, 0]),
        ([20001, 3], [1, 0]),
        ([33, 5, 7, 19], [0, 3, 1, 2]),
        ([33, 5, 7, 19], [3, 1, 0, 2]),
    ],
)
def test_transpose_moves_dimensions(dtype, shape, perm):
    x = values(shape, dtype)
    got = fed(gen_array_ops.transpose, x, np.array(perm, np.int32))
    np.testing.assert_array_equal(got, np.transpose(x, perm))


def test_invert_permutation():
    x = np.array([2, 0, 3, 1], np.int32)
    np.testing.assert_array_equal(
        fed(gen_array_ops.invert_permutation, x), np.argsort(x)
    )
    for bad, words in [([0, 0], "duplicated"), ([0, 2], "not between 0 and 2")]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            fed(gen_array_ops.invert_permutation, np.array(bad, np.int32))
