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
