# SPDX-License-Identifier: Apache-2.0
"""Unique, UniqueWithCounts and ListDiff against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.op_testing import fed
from tensorwright.python.ops import gen_array_ops

DTYPES = [
    np.bool_,
    np.int8,
    np.uint8,
    np.int16,
    np.uint16,
    np.int32,
    np.uint32,
    np.int64,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
    object,
]


def some(n, different, dtype, seed=0):
    numbers = np.random.RandomState(seed).randint(0, different, n)
    if dtype is object:
        return np.array([b"a string, number %d" % i for i in numbers], object)
    return numbers.astype(dtype)


def in_order(x):
    """(y, idx, count) of np.unique, in order of first appearance."""
    y, first, idx, count = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.argsort(order)
    return y[order], rank[idx] if len(x) else idx, count[order]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("out_idx", [tf.int32, tf.int64])
@pytest.mark.parametrize(("n", "different"), [(0, 1), (1, 5), (7, 3), (5000, 100)])
def test_different_values_in_order(dtype, out_idx, n, different):
    x = some(n, different, dtype)
    y, idx, count = in_order(x)
    for got in (
        fed(lambda x: tf.unique(x, out_idx), x),
        fed(lambda x: tf.unique_with_counts(x, out_idx), x),
    ):
        np.testing.assert_array_equal(got.y, y)
        np.testing.assert_array_equal(got.idx, idx)
        assert got.idx.dtype == out_idx.as_numpy_dtype
    np.testing.assert_array_equal(got.count, count)
    assert got.count.dtype == out_idx.as_numpy_dtype


def test_zeros_are_one_value_and_nans_are_many():
    x = np.array([0.0, -0.0, np.nan, np.nan, 1], np.float32)
    got = fed(tf.unique_with_counts, x)
    assert got.idx.tolist() == [0, 0, 1, 2, 3]
    assert got.count.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("out_idx", [tf.int32, tf.int64])
@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (1, 1), (7, 5), (3000, 2000)])
def test_differences(dtype, out_idx, n, m):
    x, y = some(n, 100, dtype), some(m, 60, dtype, seed=1)
    missing = ~np.isin(x, y)
    got = fed(lambda x, y: tf.setdiff1d(x, y, index_dtype=out_idx), x, y)
    np.testing.assert_array_equal(got.out, x[missing])
    np.testing.assert_array_equal(got.idx, np.nonzero(missing)[0])
    assert got.idx.dtype == out_idx.as_numpy_dtype


def test_nan_is_in_no_list():
    nan = np.array([np.nan, 1], np.float32)
    assert fed(tf.listdiff, nan, nan).idx.tolist() == [0]


@pytest.mark.parametrize("shape", [[], [2, 2]])
def test_vectors_only(shape):
    x = np.zeros(shape, np.int32)
    vector = np.zeros([2], np.int32)
    for build in (
        lambda: fed(gen_array_ops.unique, x),
        lambda: fed(gen_array_ops.unique_with_counts, x),
        lambda: fed(tf.listdiff, x, vector),
        lambda: fed(tf.listdiff, vector, x),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank 1"):
            build()
