# SPDX-License-Identifier: Apache-2.0
"""Counts of vectors and of rows against NumPy's."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [np.int32, np.int64, np.float32, np.float64]


def counts(row, size, weights=None, binary=False):
    row = np.asarray(row)
    inside = row < size
    weights = None if weights is None else np.asarray(weights)[inside]
    found = np.bincount(row[inside], weights, minlength=size)
    return np.minimum(np.bincount(row[inside], minlength=size), 1) if binary else found


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [17], [3, 50], [2, 0], [0, 4]])
def test_dense(shape, dtype, index, known):
    rng = np.random.RandomState(0)
    x = rng.randint(0, 9, shape).astype(index)
    weights = rng.randint(-5, 6, shape).astype(dtype)
    rows = x if x.ndim == 2 else x.reshape(1, -1)
    for given in (weights, np.zeros(0, dtype)):
        for binary in (False, True):
            got = fed(
                lambda x, size, w: gen_math_ops.dense_bincount(x, size, w, binary),
                x, index(7), given, known=known,
            )  # fmt: skip
            assert got.dtype == dtype
            plain = given.size == 0
            want = [
                counts(r, 7, None if plain else w, binary)
                for r, w in zip(rows, weights.reshape(rows.shape))
            ]
            want = np.reshape(want, [len(rows), 7]) if x.ndim == 2 else want[0]
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sparse(dtype):
    indices = np.int64([[2, 0], [0, 1], [0, 3], [2, 2]])
    values = np.int32([4, 1, 9, 4])
    weights = np.arange(4).astype(dtype)
    run = gen_math_ops.sparse_bincount
    got = fed(run, indices, values, np.int64([3, 4]), np.int32(5), weights)
    np.testing.assert_array_equal(got, [[0, 1, 0, 0, 0], [0] * 5, [0, 0, 0, 0, 3]])
    got = fed(run, indices[:, 1:], values, np.int64([4]), np.int32(5), weights[:0])
    np.testing.assert_array_equal(got, [0, 1, 0, 0, 2])
    deep = np.concatenate([indices, indices[:, :1]], 1)
    got = fed(
        lambda *a: run(*a, binary_output=True),
        deep, values, np.int64([3, 4, 3]), np.int32(5), weights[:0],
    )  # fmt: skip
    np.testing.assert_array_equal(got, [[0, 1, 0, 0, 0], [0] * 5, [0, 0, 0, 0, 1]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_ragged(dtype):
    values = np.int64([1, 1, 2, 0])
    weights = np.arange(1, 5).astype(dtype)
    got = fed(
        gen_math_ops.ragged_bincount,
        np.int64([0, 2, 2, 4]), values, np.int64(3), weights,
    )  # fmt: skip
    np.testing.assert_array_equal(got, [[0, 3, 0], [0, 0, 0], [4, 0, 3]])
    assert got.dtype == dtype


NONE = np.zeros(0, np.float32)


@pytest.mark.parametrize(
    "op, arguments, words",
    [
        ("dense", ([1, -2], 3, NONE), "non-negative, got -2"),
        ("dense", ([[1, -2]], 3, NONE), "non-negative, got -2"),
        ("dense", ([1], -3, NONE), "size must be >= 0"),
        ("dense", ([1], [3], NONE), "rank 0"),
        ("dense", ([[[1]]], 3, NONE), "at most rank 2"),
        ("dense", ([1, 1], 3, np.float32([1])), "weights must be empty or"),
        ("sparse", (np.int64([[3, 0]]), [1], np.int64([3, 4]), 3, NONE), r"indices\[0, 0\] must be in"),
        ("sparse", (np.int64([[0, -1]]), [1], np.int64([3, 4]), 3, NONE), r"indices\[0, 1\] must be in"),
        ("sparse", (np.int64([[0, 0]]), [1, 2], np.int64([3, 4]), 3, NONE), "imension"),
        ("sparse", (np.zeros([0, 2], np.int64), np.zeros(0, np.int32), np.int64([-3, 4]), 3, NONE), "not be negative"),
        ("ragged", (np.int64([0, 2]), [1, 1, 1], 3, NONE), "splits must start"),
        ("ragged", (np.int64([1, 3]), [1, 1, 1], 3, NONE), "splits must start"),
        ("ragged", (np.int64([0, 2, 1, 3]), [1, 1, 1], 3, NONE), "splits must start"),
        ("ragged", (np.zeros(0, np.int64), np.zeros(0, np.int32), 3, NONE), "splits must have|must be >= 0"),
        ("ragged", (np.int64([0, 1]), [-1], 3, NONE), "non-negative, got -1"),
    ],
)  # fmt: skip
def test_bad_input(op, arguments, words):
    arrays = [a if isinstance(a, np.ndarray) else np.int32(a) for a in arguments]
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(getattr(gen_math_ops, f"{op}_bincount"), *arrays)
