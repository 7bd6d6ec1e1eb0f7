# SPDX-License-Identifier: Apache-2.0
"""RaggedGather against rows in Python's lists."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import NUMBERS
from tensorwright.python.ops import ragged_ops
from tensorwright.python.testing.op_testing import fed, values as numbered

CASES = [
    # splits of each dimension, shape of the values, indices
    ([[0, 2, 2, 5]], [5], [2, 0, 2]),
    ([[0, 2, 2, 5]], [5], [[2, 0], [1, 1]]),
    ([[0, 2, 2, 5]], [5], 2),
    ([[0, 2, 2, 5]], [5], []),
    ([[0, 2, 2, 5]], [5], np.zeros([0, 3])),
    ([[0, 2]], [2], np.zeros([2, 0, 2])),
    ([[0, 2]], [2], np.zeros([2, 1, 2])),
    ([[0, 1, 3], [0, 2, 3, 3]], [3, 2], [1, 1, 0]),
    ([[0, 1, 3], [0, 2, 3, 3]], [3, 2], 1),
    ([[0, 1, 3], [0, 2, 3, 3], [0, 1, 1, 2]], [2], [[1], [0]]),
    ([[1, 2, 3]], [5], [1, 0]),  # Values before and behind all rows.
]


def _build(*inputs):
    *splits, values, indices = inputs
    rank = len(splits) - 1 + indices.shape.ndims
    return ragged_ops.ragged_gather(splits, values, indices, rank)


def _flat(result):
    splits, values = result
    return [*splits, values]


def _wanted(splits, values, indices):
    """Splits of each dimension, and which values, row by row."""
    indices = np.asarray(indices)
    result, rows = [], 1
    for d in range(indices.ndim - 1):
        rows *= indices.shape[d]
        result.append([i * indices.shape[d + 1] for i in range(rows + 1)])
    level = [int(i) for i in indices.reshape(-1)]
    for d, s in enumerate(splits):
        sizes = [s[i + 1] - s[i] for i in level]
        if d > 0 or indices.ndim > 0:
            result.append(np.cumsum([0, *sizes]).tolist())
        level = [j for i in level for j in range(s[i], s[i + 1])]
    return result, values[np.array(level, int)]


@pytest.mark.parametrize("split_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("splits", "shape", "indices"), CASES)
def test_rows(split_dtype, index_dtype, splits, shape, indices):
    arrays = [np.array(s, split_dtype) for s in splits]
    indices = np.array(indices, index_dtype)
    for dtype in (*NUMBERS, np.bool_, object):
        values = numbered(shape, dtype)
        want_splits, want = _wanted(splits, values, indices)
        got = fed(lambda *a: _flat(_build(*a)), *arrays, values, indices, known=True)
        assert [s.tolist() for s in got[:-1]] == want_splits
        assert all(s.dtype == split_dtype for s in got[:-1])
        assert got[-1].dtype == values.dtype and got[-1].shape == want.shape
        assert (got[-1] == want).all()


def test_shapes_that_are_not_known():
    def build(splits, values, indices):
        (outer,), got = ragged_ops.ragged_gather([splits], values, indices, 1)
        return outer, got

    outer, got = fed(build, np.int64([0, 2, 3]), np.float32([7, 8, 9]), np.int32([1]))
    assert outer.tolist() == [0, 1] and got.tolist() == [9]


def test_gradients_add_up_where_values_were():
    g = np.arange(10.0).reshape(5, 2)

    def build(outer, inner, values, indices):
        _, y = ragged_ops.ragged_gather([outer, inner], values, indices, 2)
        (slices,) = tf.gradients(y, values, tf.constant(g))
        return tf.convert_to_tensor(slices)

    got = fed(
        build,
        np.int64([0, 1, 3]),
        np.int64([0, 2, 3, 3]),
        np.zeros([3, 2]),
        np.int32([0, 1, 0]),
    )
    want = np.stack([g[0] + g[3], g[1] + g[4], g[2]])
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_gradients_do_not_depend_on_the_number_of_splits(rank):
    splits = [np.int64([0, 1, 3]), np.int64([0, 2, 3, 3]), np.int64([0, 1, 2, 2])]
    _, rows = _wanted(splits[:rank], np.arange(3), [1, 0, 1])
    g = np.arange(1.0, len(rows) + 1)

    def build(*inputs):
        _, y = _build(*inputs)
        (slices,) = tf.gradients(y, inputs[-2], tf.constant(g))
        return tf.convert_to_tensor(slices)

    got = fed(build, *splits[:rank], np.zeros(3), np.int32([1, 0, 1]), known=True)
    np.testing.assert_array_equal(got, np.bincount(rows, g, 3))


@pytest.mark.parametrize(
    ("splits", "values", "indices", "rank", "words"),
    [
        ([[0, 2]], [1, 2], [1], 1, r"indices\[0\] = 1 is not in \[0, 1\)"),
        ([[0, 2]], [1, 2], [-1], 1, "is not in"),
        ([[0, 5]], [1, 2], [0], 1, "must not decrease, from 0 to 2"),
        ([[0, 2, 1]], [1, 2], [1], 1, "must not decrease"),
        ([[0, -1]], [1, 2], [0], 1, "must not decrease"),
        ([[]], [1, 2], [], 1, "not be empty|not empty"),
        ([[[0, 2]]], [1, 2], [0], 1, "must be rank 1|must be a vector"),
        ([[0, 2]], 1, [0], 1, "at least rank 1|rank >= 1"),
        ([[0, 2]], [1, 2], [0], 2, "must be rank 2|OUTPUT_RAGGED_RANK"),
        ([[0, 2], [0, 1, 1]], [1], 0, 0, "OUTPUT_RAGGED_RANK"),
    ],
)
def test_bad_input(splits, values, indices, rank, words):
    arrays = [np.array(s, np.int64) for s in splits]
    arrays += [np.array(values, np.int32), np.array(indices, np.int32)]

    def build(*inputs):
        *splits, values, indices = inputs
        return _flat(ragged_ops.ragged_gather(splits, values, indices, rank))

    errors = (tf.errors.InvalidArgumentError, ValueError)
    with pytest.raises(errors, match=words):
        fed(build, *arrays)
