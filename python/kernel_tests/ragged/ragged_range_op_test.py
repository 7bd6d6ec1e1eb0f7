# SPDX-License-Identifier: Apache-2.0
"""RaggedRange against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import ragged_ops
from tensorwright.python.testing.op_testing import fed


@pytest.mark.parametrize("splits", [tf.int32, tf.int64])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize(
    ("starts", "limits", "deltas"),
    [
        ([0, 5, 8], [3, 5, 12], 1),
        (0, [3, 1, 4], [1, 2, 3]),
        (5, 0, -2),
        ([], 3, 1),
        ([5, 0], [0, 5], [1, -1]),
        (0, 1000, 1),
    ],
)
def test_rows(splits, dtype, starts, limits, deltas):
    arrays = [np.array(a, dtype) for a in (starts, limits, deltas)]
    rows = [np.arange(*row) for row in np.broadcast(*arrays)]
    for known in (False, True):
        got_splits, values = fed(
            lambda *a: ragged_ops.ragged_range(*a, Tsplits=splits), *arrays, known=known
        )
        assert got_splits.dtype == splits.as_numpy_dtype and values.dtype == dtype
        np.testing.assert_array_equal(got_splits, np.cumsum([0, *map(len, rows)]))
        want = np.concatenate(rows) if rows else np.zeros(0)
        np.testing.assert_allclose(values, want)


def test_steps_that_are_no_whole_numbers():
    splits, values = fed(
        ragged_ops.ragged_range,
        np.float32(0),
        np.float32([1, 2.5]),
        np.float32([0.3, -1]),
    )
    assert splits.tolist() == [0, 4, 4]
    np.testing.assert_allclose(values, [0, 0.3, 0.6, 0.9], rtol=1e-6)


def test_ends_of_integers():
    lowest, highest = -(2**31), 2**31 - 1
    _, values = fed(
        ragged_ops.ragged_range,
        np.int32([highest, highest - 3]),
        np.int32([lowest, highest]),
        np.int32([lowest, 2]),
    )
    assert values.tolist() == [highest, -1, highest - 3, highest - 1]


def test_known_sizes():
    with tf.Graph().as_default():
        splits, values = ragged_ops.ragged_range([1, 2], 5, 1)
        assert splits.shape == [3] and values.shape.as_list() == [None]
        splits, _ = ragged_ops.ragged_range(tf.placeholder(tf.int32), 5, 1)
        assert splits.shape.as_list() == [None]


@pytest.mark.parametrize(
    ("starts", "limits", "deltas", "words"),
    [
        (np.int32(0), np.int32(3), np.int32(0), "delta != 0"),
        (np.int32([0, 1]), np.int32([1, 2, 3]), np.int32(1), "must be equal|one size"),
        (np.int32([[0]]), np.int32(3), np.int32(1), "at most rank 1|a vector"),
        (np.float32(0), np.float32(np.inf), np.float32(1), "row 0: Range: Requires"),
        (np.float32(0), np.float32(1), np.float32(np.nan), "Requires"),
        (np.int64(-(2**62)), np.int64(2**62), np.int64(1), "Requires"),
        (np.int64([0, 0]), np.int64(2**62), np.int64(1), "at most"),
    ],
)
def test_bad_rows(starts, limits, deltas, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(ragged_ops.ragged_range, starts, limits, deltas)


def test_more_values_than_splits_count():
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32 splits"):
        fed(
            lambda *a: ragged_ops.ragged_range(*a, Tsplits=tf.int32),
            np.int64([0, 0]),
            np.int64(2**31 - 1),
            np.int64(1),
        )
