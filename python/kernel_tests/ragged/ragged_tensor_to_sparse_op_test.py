# SPDX-License-Identifier: Apache-2.0
"""RaggedTensorToSparse against rows in Python's lists."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import NUMBERS
from tensorwright.python.ops import ragged_ops
from tensorwright.python.testing.op_testing import fed, values as numbered

CASES = [
    # splits of each dimension, shape of the values
    ([[0, 2, 2, 5]], [5]),
    ([[0, 0, 0, 1]], [1]),
    ([[0]], [0]),
    ([[0, 0]], [0, 3]),
    ([[0, 2, 2], [0, 1, 3]], [3]),
    ([[0, 1, 3]], [3, 2]),
    ([[0, 2, 2, 3], [0, 0, 2, 2], [0, 3, 4]], [4, 1, 2]),
    ([list(range(0, 402, 2))], [400]),
]


def _rows(splits, values):
    for s in reversed(splits):
        values = [list(values[a:b]) for a, b in zip(s, s[1:])]
    return values


def _places(rows, depth):
    """(place, leaf) of each leaf, and the sizes of the box, of `depth` ragged dimensions."""
    if depth < 0:
        return [((), rows)], []
    found, boxes = [], []
    for i, row in enumerate(rows):
        below, box = _places(row, depth - 1)
        found += [((i, *place), leaf) for place, leaf in below]
        boxes.append(box)
    inner = [max(sizes) for sizes in zip(*boxes)] or [0] * depth
    return found, [len(rows), *inner]


def _build(*inputs):
    return ragged_ops.ragged_tensor_to_sparse(inputs[:-1], inputs[-1])


@pytest.mark.parametrize("split_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("splits", "shape"), CASES)
@pytest.mark.parametrize("dtype", [*NUMBERS, np.bool_, object])
def test_places_and_sizes(split_dtype, splits, shape, dtype):
    values = numbered(shape, dtype)
    found, box = _places(_rows(splits, list(range(shape[0]))), len(splits))
    box += shape[1:]
    want = [(*p, *more) for p, _ in found for more in np.ndindex(*shape[1:])]
    arrays = [np.array(s, split_dtype) for s in splits]
    for known in (False, True):
        indices, elements, sizes = fed(_build, *arrays, values, known=known)
        assert indices.dtype == sizes.dtype == np.int64
        np.testing.assert_array_equal(
            indices, np.reshape(want, [-1, len(box)]).astype(np.int64)
        )
        assert elements.dtype == values.dtype
        assert (elements == values.reshape(-1)).all()
        assert sizes.tolist() == box


def test_known_shapes():
    with tf.Graph().as_default():
        indices, elements, sizes = ragged_ops.ragged_tensor_to_sparse(
            [tf.constant([0, 1, 3])], tf.zeros([3, 2])
        )
        assert indices.shape == [6, 3] and elements.shape == [6] and sizes.shape == [3]


def test_gradients_have_the_shape_of_the_values():
    g = np.arange(6.0)

    def build(splits, values):
        _, elements, _ = ragged_ops.ragged_tensor_to_sparse([splits], values)
        return tf.gradients(elements, values, tf.constant(g))[0]

    got = fed(build, np.array([0, 1, 3]), np.zeros([3, 2]))
    np.testing.assert_array_equal(got, g.reshape(3, 2))


@pytest.mark.parametrize(
    ("splits", "values", "words"),
    [
        ([[]], [], "not be empty|not empty"),
        ([[1, 3]], [1, 2, 3], "must go from 0 to 3"),
        ([[0, 2]], [1, 2, 3], "must go from 0 to 3"),
        ([[0, 3, 2]], [1, 2], "must not decrease"),
        ([[0, 2]], 1, "at least rank 1|rank >= 1"),
        ([[[0, 1]]], [1], "must be rank 1|must be a vector"),
        ([[0, 2], [0, 1]], [1], "must go from 0 to 1"),
    ],
)
def test_bad_splits(splits, values, words):
    arrays = [np.array(s, np.int64) for s in splits]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(_build, *arrays, np.array(values, np.int32))
