# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.reorder and what rests on it, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.complex128, object])
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4), (60, 70)])
def test_rows_come_in_order(shape, dtype):
    rows, values, sizes = drawn.draw(shape, dtype)
    order = np.random.RandomState(3).permutation(len(rows))
    got = drawn.run(tf.sparse.reorder, (rows[order], values[order], sizes))
    np.testing.assert_array_equal(got.indices, rows)
    np.testing.assert_array_equal(got.values, values)
    np.testing.assert_array_equal(got.dense_shape, sizes)


@pytest.mark.parametrize("size", [5, 1 << 40])
def test_rows_outside_are_put_in_order_too(size):
    rows = np.array([[9, 1], [0, 0], [-1, 0], [0, 0]])
    values = np.array([1, 2, 3, 4])
    got = drawn.run(tf.sparse.reorder, (rows, values, np.array([size, size])))
    np.testing.assert_array_equal(got.indices, rows[[2, 1, 3, 0]])
    np.testing.assert_array_equal(got.values, [3, 2, 4, 1])


def test_gradient():
    rows = np.array([[2, 0], [0, 1], [1, 1], [0, 0]])

    def build(x):
        return tf.sparse.reorder(tf.SparseTensor(rows, x, [3, 2])).values

    drawn.check_gradient(build, np.array([1.0, 2.0, 3.0, 4.0]))


@pytest.mark.parametrize("perm", [None, [1, 0, 2], [2, 0, 1], [0, 1, 2]])
def test_transposed(perm):
    parts = drawn.draw((2, 3, 4))
    for known in (False, True):
        got = drawn.run(lambda sp: tf.sparse.transpose(sp, perm), parts, known=known)
        np.testing.assert_array_equal(
            drawn.dense(got), drawn.dense(parts).transpose(perm)
        )
        assert [tuple(row) for row in got.indices] == sorted(map(tuple, got.indices))
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 5])
    assert tf.sparse.transpose(sparse).shape.as_list() == [5, 2]


def test_ids_become_coordinates():
    ids = (np.array([[0, 0], [0, 1], [2, 0]]), np.array([3, 1, 0]), np.array([3, 2]))
    weights = (ids[0], np.float32([5, 6, 7]), ids[2])
    got = drawn.run(lambda a, b: tf.sparse.merge(a, b, 4), ids, weights)
    np.testing.assert_array_equal(got.indices, [[0, 1], [0, 3], [2, 0]])
    np.testing.assert_array_equal(got.values, [6, 5, 7])
    np.testing.assert_array_equal(got.dense_shape, [3, 4])
    pair = drawn.run(lambda a, b: tf.sparse.merge([a, a], b, [4, 5]), ids, weights)
    np.testing.assert_array_equal(pair.indices, [[0, 1, 1], [0, 3, 3], [2, 0, 0]])
    np.testing.assert_array_equal(pair.dense_shape, [3, 4, 5])


@pytest.mark.parametrize(
    ("rows", "values", "shape", "words"),
    [
        ([[0, 1]], [1.0], [2, 2, 2], "rank|equal"),
        ([[0, 1]], [1.0, 2.0], [2, 2], "as many|equal"),
        ([0, 1], [1.0, 2.0], [2], "matrix|rank 2"),
    ],
)
def test_bad_input(rows, values, shape, words):
    arrays = np.array(rows, np.int64), np.array(values), np.array(shape, np.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(gen_sparse_ops._sparse_reorder, *arrays)
