# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.slice against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.float32, np.int16, object])
@pytest.mark.parametrize(
    ("start", "size"),
    [([0, 0, 0], [3, 7, 5]), ([1, 2, 0], [1, 3, 9]), ([3, 0, 0], [2, 2, 2])],
)
def test_boxes_are_numpys(start, size, dtype):
    parts = drawn.draw((3, 7, 5), dtype)
    got = drawn.run(tf.sparse.slice, parts, np.array(start), np.array(size))
    box = tuple(slice(a, a + n) for a, n in zip(start, size, strict=True))
    np.testing.assert_array_equal(drawn.dense(got), drawn.dense(parts)[box])


def test_sizes_may_be_as_large_as_there_are():
    parts = drawn.draw((3, 4))
    got = drawn.run(tf.sparse.slice, parts, np.array([1, 0]), np.array([2**63 - 1] * 2))
    np.testing.assert_array_equal(drawn.dense(got), drawn.dense(parts)[1:])


def test_gradient():
    rows, values, _ = drawn.draw((3, 4), np.float64)

    def build(x):
        return tf.sparse.slice(tf.SparseTensor(rows, x, [3, 4]), [1, 1], [2, 2]).values

    drawn.check_gradient(build, values)


@pytest.mark.parametrize(
    ("start", "size", "words"),
    [([0, 0], [1, -1], "non-negative"), ([0], [1, 1], "equal|length")],
)
def test_bad_input(start, size, words):
    parts = drawn.draw((3, 4))
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.slice, parts, np.array(start), np.array(size))


@pytest.mark.parametrize(
    ("shape", "words"), [([-2, 4], "non-negative"), ([2**62, 4], "elements")]
)
def test_shapes_that_no_tensor_has_are_refused(shape, words):
    parts = np.zeros([0, 2], int), np.float32([]), np.array(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.slice, parts, np.array([0, 0]), np.array([1, 1]))


@pytest.mark.parametrize(
    ("grad", "out", "words"),
    [
        ([1.0, 2.0], [[0, 0], [0, 9]], "aren't all propagated"),
        ([1.0], [[0, 0], [0, 1]], "Dimensions must be equal"),
        ([1.0], [[0]], "same ndims|Dimensions must be equal"),
    ],
)
def test_bad_input_of_the_gradient(grad, out, words):
    rows = np.array([[0, 1], [1, 0], [1, 2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(
            gen_sparse_ops.sparse_slice_grad,
            np.float32(grad),
            rows,
            np.array([1, 0]),
            np.array(out),
        )
