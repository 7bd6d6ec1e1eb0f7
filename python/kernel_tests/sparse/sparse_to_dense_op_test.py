# SPDX-License-Identifier: Apache-2.0
"""tf.sparse_to_dense against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int64, bool, object])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (0, 3)])
def test_values_are_at_their_places(shape, dtype):
    parts = drawn.draw(shape, dtype)
    for known in (False, True):
        got = drawn.run(tf.sparse.to_dense, parts, known=known)
        np.testing.assert_array_equal(got, drawn.dense(parts))


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_scalars_and_vectors_index_too(index):
    def build(i, shape, x):
        return tf.sparse_to_dense(i, shape, x, default_value=-1.0)

    size = np.array([4], index)
    one = drawn.run(build, index(2), size, np.float32(5))
    np.testing.assert_array_equal(one, [-1, -1, 5, -1])
    two = drawn.run(build, np.array([0, 3], index), size, np.float32([7, 8]))
    np.testing.assert_array_equal(two, [7, -1, -1, 8])
    same = drawn.run(build, np.array([[0], [3]], index), size, np.float32(6))
    np.testing.assert_array_equal(same, [6, -1, -1, 6])


def test_the_last_of_repeated_ones_counts():
    got = drawn.run(
        lambda i, x: tf.sparse_to_dense(i, [3], x, validate_indices=False),
        np.array([2, 0, 2], np.int64),
        np.float32([1, 2, 3]),
    )
    np.testing.assert_array_equal(got, [2, 0, 3])


@pytest.mark.parametrize("values", [np.array([1.0, 2.0, 3.0]), np.array(2.0)])
def test_gradients(values):
    rows = np.array([[0, 1], [1, 0], [1, 2]])

    def of_values(x):
        return tf.sparse_to_dense(rows, [2, 3], x)

    def of_default(x):
        return tf.sparse_to_dense(rows, [2, 3], tf.constant(values), x)

    drawn.check_gradient(of_values, values)
    drawn.check_gradient(of_default, np.array(0.5))


@pytest.mark.parametrize(
    ("rows", "shape", "values", "words"),
    [
        ([[0, 3]], [2, 3], [1.0], "out of bounds"),
        ([[-1, 0]], [2, 3], [1.0], "out of bounds"),
        ([[1, 0], [0, 0]], [2, 3], [1.0, 2.0], "out of order"),
        ([[1, 0], [1, 0]], [2, 3], [1.0, 2.0], "repeated"),
        ([[1, 0]], [2, -3], [1.0], ">= "),
        ([[1, 0]], [2], [1.0], "incorrect number of elements"),
        ([[1, 0]], [2, 3], [1.0, 2.0], "incorrect shape"),
        ([[1, 0]], [1 << 40, 1 << 40], [1.0], "."),
    ],
)
def test_bad_input(rows, shape, values, words):
    arrays = np.array(rows, np.int64), np.array(shape, np.int64), np.array(values)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse_to_dense, *arrays)


def test_indicators():
    ids = (np.array([[0, 0], [0, 1], [2, 0]]), np.array([3, 1, 0]), np.array([3, 2]))
    got = drawn.run(lambda sp: tf.sparse_to_indicator(sp, 4), ids)
    want = [[False, True, False, True], [False] * 4, [True, False, False, False]]
    np.testing.assert_array_equal(got, want)
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        drawn.run(lambda sp: tf.sparse_to_indicator(sp, 3), ids)
