# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.fill_empty_rows against loops."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.int16, object])
@pytest.mark.parametrize("shape", [(6, 4), (5,), (4, 2, 2), (0, 3), (3, 1)])
@pytest.mark.parametrize("part", [0.0, 0.2, 1.0])
def test_each_row_has_an_element(part, shape, dtype):
    rows, values, sizes = drawn.draw(shape, dtype, part)
    fill = drawn.values(1, dtype, 9)[0]
    order = np.random.RandomState(4).permutation(len(rows))
    for given in (np.arange(len(rows)), order):
        parts = rows[given], values[given], sizes
        filled, empty = drawn.run(
            lambda sp, f: tf.sparse.fill_empty_rows(sp, f), parts, fill
        )
        want_rows, want_values = [], []
        for row in range(shape[0]):
            mine = [i for i in range(len(rows)) if parts[0][i, 0] == row]
            assert empty[row] == (not mine)
            want_rows += [parts[0][i] for i in mine] or [[row] + [0] * (len(shape) - 1)]
            want_values += [parts[1][i] for i in mine] or [fill]
        np.testing.assert_array_equal(
            filled.indices, np.reshape(want_rows, (-1, len(shape)))
        )
        assert filled.values.tolist() == want_values
        np.testing.assert_array_equal(filled.dense_shape, sizes)


def test_gradients():
    rows, values, sizes = drawn.draw((5, 4), np.float64, 0.2)

    def build(x, fill):
        return tf.sparse.fill_empty_rows(tf.SparseTensor(rows, x, sizes), fill)[
            0
        ].values

    drawn.check_gradient(lambda x: build(x, 0.5), values)
    drawn.check_gradient(lambda f: build(tf.constant(values), f), np.array(0.5))


@pytest.mark.parametrize(
    ("rows", "shape", "fill", "words"),
    [
        ([[5, 0]], [5, 3], 1.0, "invalid"),
        ([[-1, 0]], [5, 3], 1.0, "invalid"),
        ([[0, 0]], [0, 3], 1.0, "invalid"),
        ([[0, 0]], [-1, 3], 1.0, "non-negative"),
        ([[0, 0]], [5, 3], [1.0], "scalar|rank 0"),
    ],
)
def test_bad_input(rows, shape, fill, words):
    arrays = np.array(rows), np.float64([1]), np.array(shape), np.array(fill)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(gen_sparse_ops._sparse_fill_empty_rows, *arrays)


def test_too_many_rows_are_an_error():
    arrays = np.zeros([0, 2], int), np.zeros(0), np.array([1 << 60, 3]), np.array(1.0)
    errors = tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError
    with pytest.raises(errors):
        drawn.run(gen_sparse_ops._sparse_fill_empty_rows, *arrays)


@pytest.mark.parametrize("places", [[3], [-1]])
def test_bad_input_of_the_gradient(places):
    with pytest.raises(tf.errors.InvalidArgumentError, match="reverse index"):
        drawn.run(
            gen_sparse_ops._sparse_fill_empty_rows_grad,
            np.array(places),
            np.float32([1, 2, 3]),
        )
