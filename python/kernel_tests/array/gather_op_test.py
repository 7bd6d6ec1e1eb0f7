# SPDX-License-Identifier: Apache-2.0
"""Gather, GatherNd, ScatterNd, OneHot, Where and Unique against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table
from tensorwright.python.ops import gen_array_ops

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


def values(shape, dtype=np.float32):
    numbers = np.arange(int(np.prod(shape)))
    if dtype is object:
        return np.array([b"s%d" % i for i in numbers], dtype=object).reshape(shape)
    return (numbers % 100).astype(dtype).reshape(shape)


def fed(build, *arrays):
    """Runs what `build` makes of placeholders of unknown shape."""
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [
            tf.placeholder(tf.as_dtype(a.dtype) if a.dtype != object else tf.string)
            for a in arrays
        ]
        return sess.run(build(*placeholders), dict(zip(placeholders, arrays)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("shape", "axis", "indices"),
    [
        ([5], 0, [4, 0, 0]),
        ([5, 3], 0, [[1, 2], [4, 0]]),
        ([5, 3], 1, [2, 2, 0, 1]),
        ([2, 5, 3], -2, [3]),
        ([2, 5, 3], 2, 1),
        ([4, 2], 0, np.zeros([0], int)),
    ],
)
def test_gather_takes_slices(dtype, index_dtype, shape, axis, indices):
    x = values(shape, dtype)
    indices = np.array(indices, index_dtype)
    want = np.take(x, indices, axis)
    got = fed(gen_array_ops.gather_v2, x, indices, np.int32(axis))
    np.testing.assert_array_equal(got, want)
    if axis == 0:
        np.testing.assert_array_equal(fed(gen_array_ops.gather, x, indices), want)


def test_gather_with_batch_dimensions():
    x = values([3, 4, 5])
    indices = np.array([[0, 3], [1, 1], [2, 0]], np.int32)
    got = fed(
        lambda p, i: gen_array_ops.gather_v2(p, i, axis=1, batch_dims=1), x, indices
    )
    np.testing.assert_array_equal(got, np.stack([x[b, indices[b]] for b in range(3)]))


@pytest.mark.parametrize(
    ("shape", "indices", "axis", "batch"),
    [
        ([3, 4, 5], [[0, 3], [1, 1], [2, 0]], 1, 1),
        ([2, 3, 4], [[0, 2], [1, 1]], 2, 1),
        ([2, 3, 4], [[0, 2, 3], [1, 1, 0]], -1, -1),
        ([4, 2], [3, 0, 3], 0, 0),
    ],
)
def test_gather_gradients(shape, indices, axis, batch):
    indices = np.array(indices, np.int32)
    op_table.check_gradient(
        lambda p: gen_array_ops.gather_v2(p, indices, axis=axis, batch_dims=batch),
        [np.random.RandomState(0).normal(size=shape)],
        by=[0],
    )


@pytest.mark.parametrize("bad", [5, -1])
def test_gather_names_the_index_that_is_out_of_range(bad):
    indices = np.array([[0, 1], [bad, 2]], np.int32)
    words = rf"indices\[1,0\] = {bad} is not in \[0, 5\)"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_array_ops.gather, values([5, 2]), indices)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gather_nd_takes_slices_by_coordinates(dtype, depth):
    x = values([3, 4, 2], dtype)
    rng = np.random.RandomState(0)
    indices = np.stack(
        [rng.randint(0, x.shape[d], [5, 2]) for d in range(depth)], -1
    ).astype(np.int32)
    got = fed(gen_array_ops.gather_nd, x, indices)
    np.testing.assert_array_equal(got, x[tuple(np.moveaxis(indices, -1, 0))])


def test_gather_nd_names_the_coordinates_that_are_out_of_range():
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"indices\[1\] = \[0, 4\] does not index into param shape \[3,4\]",
    ):
        fed(
            gen_array_ops.gather_nd,
            values([3, 4]),
            np.array([[0, 0], [0, 4]], np.int32),
        )


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.complex64])
def test_scatter_nd_adds_what_comes_twice(dtype):
    indices = np.array([[1], [3], [1]], np.int32)
    updates = values([3, 4], dtype)
    want = np.zeros([5, 4], dtype)
    np.add.at(want, indices[:, 0], updates)
    shape = np.array([5, 4], np.int32)
    got = fed(gen_array_ops.scatter_nd, indices, updates, shape)
    np.testing.assert_array_equal(got, want)


def test_scatter_nd_refuses_coordinates_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = \[5\]"):
        fed(
            gen_array_ops.scatter_nd,
            np.array([[5]], np.int32),
            np.array([1.0], np.float32),
            np.array([5], np.int32),
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("index_dtype", [np.uint8, np.int32, np.int64])
def test_one_hot_sets_one(dtype, axis, index_dtype):
    indices = np.array([[0, 2, 3], [1, 0, 9]], index_dtype)
    on, off = values([2], dtype)[::-1]
    hot = indices[..., None] == np.arange(4)
    want = np.where(np.moveaxis(hot, -1, axis), on, off)
    got = fed(
        lambda i, d, a, b: gen_array_ops._one_hot(i, d, a, b, axis=axis),
        indices,
        np.int32(4),
        np.array(on, dtype),
        np.array(off, dtype),
    )
    np.testing.assert_array_equal(got, want)


def test_one_hot_refuses_a_negative_depth():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            gen_array_ops._one_hot,
            np.array([0], np.int32),
            np.int32(-1),
            np.float32(1),
            np.float32(0),
        )


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int16, np.float16, np.float64, np.complex64]
)
@pytest.mark.parametrize("shape", [[0], [7], [3, 5], [2, 3, 4], [3, 0]])
def test_where_gives_coordinates(dtype, shape):
    x = (np.arange(int(np.prod(shape))) % 3 == 1).astype(dtype).reshape(shape)
    if np.issubdtype(dtype, np.inexact):
        x = np.where(x == 0, np.array(-0.0, dtype), x)
    np.testing.assert_array_equal(fed(gen_array_ops.where, x), np.argwhere(x))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float32, np.int64])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 1.0])
@pytest.mark.parametrize(
    "shape",
    [
        [1 << 17],
        [400, 333],
        [40, 1, 3333],
        [100003, 1],
        [11, 10, 9, 131],
        [5, 20, 3, 7, 61],
        [3, 5, 4, 6, 7, 51],
        [4, 3, 5, 2, 6, 3, 61],
        [2, 3, 4, 5, 2, 6, 9, 7],
        [16385, 8],
        [16383, 8],
    ],
)
def test_where_in_many_blocks(dtype, share, shape):
    x = (np.random.RandomState(0).uniform(size=shape) < share).astype(dtype)
    np.testing.assert_array_equal(fed(gen_array_ops.where, x), np.argwhere(x))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
def test_where_counts_nan_as_not_zero(dtype):
    x = np.zeros([3, 17], dtype)
    x[1, 3] = x[2, 16] = np.nan
    x[0, 5] = np.inf
    np.testing.assert_array_equal(
        fed(gen_array_ops.where, x), [[0, 5], [1, 3], [2, 16]]
    )


def test_where_refuses_a_scalar():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.where, np.array(True))


@pytest.mark.parametrize(
    "x",
    [
        np.array([3, 1, 3, 2, 1], np.int32),
        np.array([], np.float32),
        np.array([0.5, -0.0, 0.0, 0.5], np.float64),
        np.array([1, 2, 1], np.float16),
        np.array([b"a", b"b", b"a"], object),
        np.array([True, True, False]),
        np.random.RandomState(1).randint(0, 5000, 20000),
    ],
)
@pytest.mark.parametrize("out_idx", ["int32", "int64"])
def test_unique_keeps_the_order_of_appearance(x, out_idx):
    y, idx = fed(lambda v: gen_array_ops.unique(v, out_idx=getattr(tf, out_idx)), x)
    _, first = np.unique(x, return_index=True)
    np.testing.assert_array_equal(y, x[np.sort(first)])
    np.testing.assert_array_equal(y[idx], x)
    assert idx.dtype == np.dtype(out_idx)
