# SPDX-License-Identifier: Apache-2.0
"""The sum of two sparse tensors, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_DTYPES = [np.float32, np.float64, np.int8, np.int64, np.complex64, np.complex128]


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4), (0, 3)])
def test_sums_are_numpys(shape, dtype):
    a, b = drawn.draw(shape, dtype), drawn.draw(shape, dtype, seed=5)
    for known in (False, True):
        got = drawn.run(tf.sparse.add, a, b, known=known)
        np.testing.assert_array_equal(drawn.dense(got), drawn.dense(a) + drawn.dense(b))
        both = {tuple(row) for row in (*a[0], *b[0])}
        assert [tuple(row) for row in got.indices] == sorted(both)


def test_sums_that_are_nearly_nothing_are_left_out():
    a = np.array([[0], [1], [2], [3]]), np.float64([1, -0.5, 0.5, 3]), np.array([5])
    b = np.array([[0], [2], [4]]), np.float64([-1, 0.5, -0.2]), np.array([5])
    got = drawn.run(lambda x, y: tf.sparse.add(x, y, threshold=0.6), a, b)
    # An element that only one of the two has is kept.
    np.testing.assert_array_equal(got.indices, [[1], [2], [3], [4]])
    np.testing.assert_array_equal(got.values, [-0.5, 1, 3, -0.2])
    whole = drawn.run(tf.sparse.add, a, b)
    np.testing.assert_array_equal(whole.values, [0, -0.5, 1, 3, -0.2])


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_the_least_short_integer_is_large(dtype):
    limits = np.iinfo(dtype)
    a = np.array([[0], [1]]), dtype([limits.max, 1]), np.array([3])
    b = np.array([[0], [1]]), dtype([1, -1]), np.array([3])
    got = drawn.run(lambda x, y: tf.sparse.add(x, y, threshold=1), a, b)
    np.testing.assert_array_equal(got.indices, [[0]])
    np.testing.assert_array_equal(got.values, [limits.min])


@pytest.mark.parametrize("threshold", [0, 1.5])
def test_gradients(threshold):
    a, b = drawn.draw((3, 4), np.float64), drawn.draw((3, 4), np.float64, seed=5)

    def build(x, y):
        left, right = tf.SparseTensor(a[0], x, a[2]), tf.SparseTensor(b[0], y, b[2])
        return tf.sparse.add(left, right, threshold=threshold).values

    drawn.check_gradient(lambda x: build(x, tf.constant(b[1])), a[1])
    drawn.check_gradient(lambda y: build(tf.constant(a[1]), y), b[1])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [([2, 3], [2, 4], "do not match"), ([2, 3], [2, 3, 1], "equal|ranks")],
)
def test_different_shapes_are_refused(a, b, words):
    parts = [(np.zeros([1, len(s)], int), np.float32([1]), np.array(s)) for s in (a, b)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.add, *parts)


@pytest.mark.parametrize(
    ("grad", "total", "words"),
    [([1.0], [[0], [1]], "match|equal"), ([1.0], [[0, 1]], "rank|equal")],
)
def test_bad_input_of_the_gradient(grad, total, words):
    rows = np.array([[0], [2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(
            gen_sparse_ops._sparse_add_grad,
            np.float32(grad),
            rows,
            rows,
            np.array(total),
        )


def test_sums_that_are_no_numbers_are_of_no_size():
    """NaN sums are left out; an element of only one of the two tensors is kept."""
    a = np.array([[0], [1], [2]]), np.float32([np.nan, 1, np.nan]), np.array([4])
    b = np.array([[1], [2], [3]]), np.float32([np.nan, 5, 7]), np.array([4])
    got = drawn.run(tf.sparse.add, a, b)
    np.testing.assert_array_equal(got.indices, [[0], [3]])
    np.testing.assert_array_equal(got.values, np.float32([np.nan, 7]))
