# SPDX-License-Identifier: Apache-2.0
"""Bitcast against NumPy's view."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed, values

DTYPES = [
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.float16,
    np.int32,
    np.uint32,
    np.float32,
    np.int64,
    np.uint64,
    np.float64,
    np.complex64,
    np.complex128,
]


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [3], [2, 5]])
@pytest.mark.parametrize("known", [True, False])
def test_bytes_stay(source, target, shape, known):
    small, large = sorted([np.dtype(source).itemsize, np.dtype(target).itemsize])
    if np.dtype(source).itemsize < np.dtype(target).itemsize:
        shape = [*shape, large // small]
    x = values(shape, source)
    want = np.frombuffer(x.tobytes(), target)
    got = fed(lambda x: tf.bitcast(x, tf.as_dtype(target)), x, known=known)
    assert got.dtype == target
    np.testing.assert_array_equal(got.reshape(-1), want)
    if np.dtype(source).itemsize == np.dtype(target).itemsize:
        assert list(got.shape) == shape


def test_the_last_dimension_must_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot bitcast"):
        fed(lambda x: tf.bitcast(x, tf.float32), values([4, 3], np.uint8))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
        fed(lambda x: tf.bitcast(x, tf.float32), np.uint8(3))


def test_strings_have_no_bits():
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError)):
        tf.bitcast(tf.constant("text"), tf.uint8)
