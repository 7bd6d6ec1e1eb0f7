# SPDX-License-Identifier: Apache-2.0
"""Bits of integers against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import INTEGERS
from tensorwright.python.ops import gen_bitwise_ops
from tensorwright.python.testing.op_testing import fed

SIZES = (0, 1, 7, 17, 3001)


def drawn(dtype, size, seed=0):
    rng = np.random.RandomState(seed)
    return np.frombuffer(rng.bytes(size * np.dtype(dtype).itemsize), dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("size", SIZES)
def test_bits(dtype, size):
    x, y = drawn(dtype, size), drawn(dtype, size, 1)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        got = fed(getattr(tf.bitwise, name), x, y)
        np.testing.assert_array_equal(got, getattr(np, name)(x, y))
    np.testing.assert_array_equal(fed(tf.bitwise.invert, x), ~x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_operands_broadcast(dtype):
    x, y = np.arange(6).reshape(2, 3).astype(dtype), np.array([[1], [6]], dtype)
    np.testing.assert_array_equal(fed(tf.bitwise.bitwise_xor, x, y), x ^ y)
    np.testing.assert_array_equal(fed(tf.bitwise.left_shift, x, y % 2), x << y % 2)
    np.testing.assert_array_equal(fed(tf.bitwise.right_shift, x, y % 2), x >> y % 2)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype):
    bits = np.iinfo(dtype).bits
    for size in SIZES:
        x = drawn(dtype, size)
        y = np.random.RandomState(0).randint(0, bits, size).astype(dtype)
        got = fed(tf.bitwise.left_shift, x, y)
        np.testing.assert_array_equal(got, np.left_shift(x, y))
        got = fed(tf.bitwise.right_shift, x, y)
        np.testing.assert_array_equal(got, np.right_shift(x, y))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_places_that_there_are_not_count_as_the_nearest(dtype):
    info = np.iinfo(dtype)
    x, far = np.array([1, info.max], dtype), np.array([[info.min], [info.max]], dtype)
    near = np.array([[0], [info.bits - 1]], dtype)
    for function in (tf.bitwise.left_shift, tf.bitwise.right_shift):
        np.testing.assert_array_equal(fed(function, x, far), fed(function, x, near))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "left_shift"])
def test_refuses_floats_and_shapes_that_do_not_fit(name):
    function = getattr(tf.bitwise, name)
    with tf.Graph().as_default(), pytest.raises(TypeError, match="float32"):
        function(np.float32([1]), np.float32([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        fed(function, np.zeros(2, np.int32), np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="Incompatible shapes"):
        fed(function, np.zeros(2, np.int32), np.zeros(3, np.int32), known=True)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("size", SIZES)
def test_population_count(dtype, size):
    x = drawn(dtype, size)
    width = np.dtype(dtype).itemsize
    bits = np.unpackbits(np.ascontiguousarray(x).view(np.uint8)).reshape(-1, 8 * width)
    got = fed(gen_bitwise_ops.population_count, x)
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, bits.sum(1))
