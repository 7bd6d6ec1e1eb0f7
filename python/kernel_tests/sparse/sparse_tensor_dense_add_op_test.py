# SPDX-License-Identifier: Apache-2.0
"""A sparse tensor plus a dense one, against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.complex128, np.uint16]
)
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4), (0, 3)])
def test_sums_are_numpys(shape, dtype):
    parts = drawn.draw(shape, dtype)
    other = drawn.values(int(np.prod(shape)), dtype, 5).reshape(shape)
    want = drawn.dense(parts) + other
    np.testing.assert_array_equal(drawn.run(tf.sparse.add, parts, other), want)
    np.testing.assert_array_equal(drawn.run(tf.sparse.add, other, parts), want)


def test_repeated_elements_all_count_and_indices_may_be_narrow():
    got = drawn.run(
        gen_sparse_ops._sparse_tensor_dense_add,
        np.array([[1], [1], [0]], np.int32),
        np.float32([1, 2, 3]),
        np.array([2], np.int32),
        np.float32([10, 20]),
    )
    np.testing.assert_array_equal(got, [13, 23])


def test_gradients():
    rows, values, sizes = drawn.draw((2, 3), np.float64)
    dense = np.arange(6.0).reshape(2, 3)

    def build(x, y):
        return tf.sparse.add(tf.SparseTensor(rows, x, sizes), y)

    drawn.check_gradient(lambda x: build(x, dense), values)
    drawn.check_gradient(lambda y: build(tf.constant(values), y), dense)


@pytest.mark.parametrize(
    ("rows", "shape", "dense", "words"),
    [
        ([[0, 1]], [2, 4], np.ones([2, 3]), "does not equal"),
        ([[0, 1]], [2, 3], np.ones([3]), "rank"),
        ([[0, 3]], [2, 3], np.ones([2, 3]), "out of bounds"),
        ([[-1, 0]], [2, 3], np.ones([2, 3]), "out of bounds"),
    ],
)
def test_bad_input(rows, shape, dense, words):
    parts = np.array(rows), np.float64([1]), np.array(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.add, parts, dense)


def test_one_must_be_sparse():
    with pytest.raises(TypeError, match="at least one"):
        tf.sparse.add(1.0, 2.0)
