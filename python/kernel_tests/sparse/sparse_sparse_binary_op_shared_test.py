# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.maximum and minimum against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn

pytestmark = pytest.mark.usefixtures("fresh_graph")

_DTYPES = [np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.int64, np.uint32]


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4)])
def test_extrema_are_numpys(shape, dtype):
    a, b = drawn.draw(shape, dtype), drawn.draw(shape, dtype, seed=5)
    for op, reference in (
        (tf.sparse.maximum, np.maximum),
        (tf.sparse.minimum, np.minimum),
    ):
        got = drawn.run(op, a, b)
        want = reference(drawn.dense(a), drawn.dense(b))
        np.testing.assert_array_equal(drawn.dense(got), want)
        both = {tuple(row) for row in (*a[0], *b[0])}
        assert [tuple(row) for row in got.indices] == sorted(both)


@pytest.mark.parametrize("op", [tf.sparse.maximum, tf.sparse.minimum])
def test_gradients(op):
    a, b = drawn.draw((3, 4), np.float64), drawn.draw((3, 4), np.float64, seed=5)

    def build(x, y):
        left, right = tf.SparseTensor(a[0], x, a[2]), tf.SparseTensor(b[0], y, b[2])
        return op(left, right).values

    drawn.check_gradient(lambda x: build(x, tf.constant(b[1] + 0.5)), a[1])
    drawn.check_gradient(lambda y: build(tf.constant(a[1] + 0.5), y), b[1])


@pytest.mark.parametrize(
    ("rows", "shapes", "words"),
    [
        ([[0, 1]], ([2, 3], [2, 4]), "do not match"),
        ([[0, 3]], ([2, 3], [2, 3]), "out of bounds"),
        ([[0, 1]], ([-2, 3], [-2, 3]), "out of bounds"),
    ],
)
def test_bad_input(rows, shapes, words):
    parts = [(np.array(rows), np.float32([1]), np.array(s)) for s in shapes]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.maximum, *parts)
