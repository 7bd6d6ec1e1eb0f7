# SPDX-License-Identifier: Apache-2.0
"""Unique, UniqueWithCounts and ListDiff against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import fed

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


def in_order_along(x, axis):
    """(y, idx, count) of np.unique along an axis, in order of first appearance."""
    y, first, idx, count = np.unique(
        x, axis=axis, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    return np.take(y, order, axis), np.argsort(order)[idx.reshape(-1)], count[order]


ALONG = [([7], 0), ([1], -1), ([40, 2], 0), ([2, 40], 1), ([2, 30, 2], 1)]
ALONG += [([30, 2, 2], -3), ([2, 2, 30], -1), ([5, 0], 0), ([3000, 3], 0)]


@pytest.mark.parametrize("dtype", DTYPES[:-1])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(("shape", "axis"), ALONG)
def test_different_slices_in_order(dtype, index, shape, axis):
    x = some(shape, 3, dtype)
    y, idx, count = in_order_along(x, axis)
    out_idx = tf.as_dtype(index)
    for op in (gen_array_ops.unique_v2, gen_array_ops.unique_with_counts_v2):
        got = fed(lambda x, a: op(x, a, out_idx=out_idx), x, index([axis]))
        np.testing.assert_array_equal(got.y, y)
        np.testing.assert_array_equal(got.idx, idx)
        assert got.idx.dtype == index
    np.testing.assert_array_equal(got.count, count)
    assert got.count.dtype == index


def test_no_axis_is_for_vectors():
    x, none = some(50, 5, np.int32), np.zeros([0], np.int64)
    y, idx, _ = in_order(x)
    got = fed(gen_array_ops.unique_v2, x, none)
    np.testing.assert_array_equal(got.y, y)
    np.testing.assert_array_equal(got.idx, idx)


def test_slices_of_strings():
    x = np.array([[b"a", b"b"], [b"a", b"c"], [b"a", b"b"]], object)
    got = fed(gen_array_ops.unique_v2, x, np.int64([0]))
    assert got.y.tolist() == [[b"a", b"b"], [b"a", b"c"]]
    assert got.idx.tolist() == [0, 1, 0]


def test_a_slice_with_nan_equals_none_and_zeros_are_equal():
    x = np.array([[0.0, 1], [-0.0, 1], [np.nan, 1], [np.nan, 1]])
    got = fed(gen_array_ops.unique_v2, x, np.int64([0]))
    assert got.idx.tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("shape", "axis", "words"),
    [
        ([2, 3], [], "vector|rank"),
        ([2, 3], [2], "must be in"),
        ([2, 3], [-3], "must be in"),
        ([2, 3], [0, 1], "at most one"),
        ([2, 3], 0, "vector|rank"),
    ],
)
def test_bad_axes_are_refused(shape, axis, words):
    x, axis = np.zeros(shape, np.float32), np.int64(axis)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_array_ops.unique_v2, x, axis)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        gen_array_ops.unique_v2(tf.constant(x), axis)


def test_static_shapes_of_slices():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 5])
        y, idx, count = gen_array_ops.unique_with_counts_v2(x, [1])
        assert y.shape.as_list() == [4, None]
        assert idx.shape.as_list() == [5]
        assert count.shape.as_list() == [None]
