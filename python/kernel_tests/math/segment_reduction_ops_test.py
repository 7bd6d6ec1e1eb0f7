# SPDX-License-Identifier: Apache-2.0
"""Segment reductions against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import rounding
from tensorwright.python.ops import gen_math_ops

REAL = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REAL += ["float16", "bfloat16", "float32", "float64"]
NUMBERS = REAL + ["complex64", "complex128"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def run(function, *arrays, narrow=False):
    """function(*arrays); with `narrow` float32 arrays go in as bfloat16, and come out as floats."""
    with tf.Graph().as_default(), tf.Session() as sess:
        feed, inputs = {}, []
        for a in arrays:
            p = tf.placeholder(tf.as_dtype(a.dtype))
            feed[p] = a
            to_bfloat16 = narrow and a.dtype == np.float32
            inputs.append(tf.cast(p, tf.bfloat16) if to_bfloat16 else p)
        out = function(*inputs)
        return sess.run(tf.cast(out, tf.float32) if narrow else out, feed)


def numbers(dtype, shape, seed=0):
    """Small whole numbers, whose sums and products every dtype holds."""
    x = np.random.RandomState(seed).randint(0, 3, shape)
    return x.astype(np.float32 if dtype == "bfloat16" else dtype)


def segments(reduce, x, ids, count, empty):
    """[count, ...]: reduce(the rows with id i), or `empty` for none."""
    rows = [x[ids == i] for i in range(count)]
    shape = x.shape[np.ndim(ids) :]
    out = [reduce(r) if len(r) else np.full(shape, empty, x.dtype) for r in rows]
    return np.array(out).reshape((count, *shape)).astype(x.dtype)


def total(rows):
    return rows.sum(0, dtype=rows.dtype)


def mean(rows):
    if rows.dtype.kind in "iu":
        return total(rows) // len(rows)
    return rows.mean(0, dtype=np.complex128 if rows.dtype.kind == "c" else np.float64)


SORTED = [
    (tf.segment_sum, total, NUMBERS, 0),
    (tf.segment_mean, mean, NUMBERS, 0),
    (tf.segment_prod, lambda r: r.prod(0, dtype=r.dtype), NUMBERS, 1),
    (tf.segment_min, lambda r: r.min(0), REAL, 0),
    (tf.segment_max, lambda r: r.max(0), REAL, 0),
]
IDS = [0, 0, 2, 2, 2, 2, 2, 3, 5]


@pytest.mark.parametrize(("function", "reduce", "dtypes", "empty"), SORTED)
def test_sorted(function, reduce, dtypes, empty):
    for dtype in dtypes:
        for index in (np.int32, np.int64):
            for shape in ([9], [9, 3], [9, 2, 1], [9, 600], [9, 0]):
                x, ids = numbers(dtype, shape), index(IDS)
                want = segments(reduce, x, ids, 6, empty)
                got = run(function, x, ids, narrow=dtype == "bfloat16")
                tol = rounding(dtype, 2)
                np.testing.assert_allclose(got, want, rtol=tol, err_msg=dtype)
        empty_ids = np.zeros([0], np.int32)
        got = run(
            function, numbers(dtype, [0, 3]), empty_ids, narrow=dtype == "bfloat16"
        )
        assert got.shape == (0, 3)


@pytest.mark.parametrize(("function", "reduce", "dtypes", "empty"), SORTED)
def test_sorted_large(function, reduce, dtypes, empty):
    rng = np.random.RandomState(3)
    x = rng.uniform(0.9, 1.1, [5000, 7])
    ids = np.sort(rng.randint(0, 90, 5000)).astype(np.int64)
    np.testing.assert_allclose(
        run(function, x, ids), segments(reduce, x, ids, ids[-1] + 1, empty), rtol=1e-12
    )
    long = run(function, x[:, 0], np.zeros(5000, np.int32))
    np.testing.assert_allclose(long, [reduce(x[:, 0])], rtol=1e-12)


def test_nan_is_the_extremum_of_its_segment():
    x, ids = np.float32([1, np.nan, 3, 4]), np.int32([0, 0, 1, 1])
    np.testing.assert_array_equal(run(tf.segment_max, x, ids), [np.nan, 4])
    np.testing.assert_array_equal(run(tf.segment_min, x, ids), [np.nan, 3])


@pytest.mark.parametrize("function", [row[0] for row in SORTED])
@pytest.mark.parametrize("ids", [[1, 0], [-1, 0], [0, 1, 2], [[0, 1]]])
def test_sorted_refuses(function, ids):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(function, np.zeros([2, 3], np.float32), np.int32(ids))


@pytest.mark.parametrize("last", [2**63 - 1, 2**62])
def test_refuses_more_rows_than_a_tensor_has(last):
    x, ids = np.zeros([2, 3], np.float32), np.int64([0, last])
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.segment_sum, x, ids)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.sparse_segment_sum, x, np.int32([0, 1]), ids)


def lowest(dtype):
    return np.finfo(dtype).min if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min


def highest(dtype):
    return np.finfo(dtype).max if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max


@pytest.mark.parametrize("index", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("count", [np.int32, np.int64])
def test_unsorted(index, count):
    for dtype in NUMBERS:
        narrow = dtype == "bfloat16"
        for ids, shape in (
            (index([3, 0, -1, 3, 1, 0]), [6, 3]),
            (index([3, 0, -1, 3, 1, 0]), [6, 90]),
            (index([[0, 1, 0]] * 6), [6, 3]),
            (index([3, 0, -1, 3, 1, 0]), [6]),
        ):
            x, n = numbers(dtype, shape), count(5)
            got = run(tf.unsorted_segment_sum, x, ids, n, narrow=narrow)
            np.testing.assert_array_equal(got, segments(total, x, ids, 5, 0))
            if index is not np.int16:
                got = run(tf.unsorted_segment_prod, x, ids, n, narrow=narrow)
                want = segments(lambda r: r.prod(0, dtype=r.dtype), x, ids, 5, 1)
                np.testing.assert_array_equal(got, want)
            if dtype in REAL and not narrow and index is not np.int16:
                got = run(tf.unsorted_segment_max, x, ids, n)
                want = segments(lambda r: r.max(0), x, ids, 5, lowest(dtype))
                np.testing.assert_array_equal(got, want)
                got = run(tf.unsorted_segment_min, x, ids, n)
                want = segments(lambda r: r.min(0), x, ids, 5, highest(dtype))
                np.testing.assert_array_equal(got, want)


def test_unsorted_means():
    rng = np.random.RandomState(0)
    x, ids = rng.uniform(-1, 1, [50, 4]), rng.randint(-1, 6, 50).astype(np.int32)
    got = run(tf.unsorted_segment_mean, x, ids, np.int32(7))
    np.testing.assert_allclose(got, segments(mean, x, ids, 7, 0), rtol=1e-12)
    got = run(tf.unsorted_segment_sqrt_n, x, ids, np.int32(7))
    want = segments(lambda r: total(r) / np.sqrt(len(r)), x, ids, 7, 0)
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    "function",
    [tf.unsorted_segment_sum, tf.unsorted_segment_max, tf.unsorted_segment_min],
)
def test_unsorted_refuses(function):
    x = np.zeros([2, 3], np.float32)
    for ids, n in (([0, 5], 5), ([0, 1, 2], 5), ([0, 1], -1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(function, x, np.int32(ids), np.int32(n))


SPARSE = [
    (tf.sparse_segment_sum, total, REAL),
    (tf.sparse_segment_mean, mean, FLOATS),
    (tf.sparse_segment_sqrt_n, lambda r: total(r) / np.sqrt(len(r)), FLOATS),
]


@pytest.mark.parametrize(("function", "reduce", "dtypes"), SPARSE)
def test_sparse(function, reduce, dtypes):
    for dtype in dtypes:
        narrow = dtype == "bfloat16"
        for shape in ([5], [5, 3], [5, 2, 300]):
            for index in (np.int32, np.int64):
                x = numbers(dtype, shape)
                indices, ids = index([4, 0, 0, 1, 2, 4]), index([0, 0, 2, 2, 2, 3])
                want = segments(reduce, x[indices], ids, 4, 0)
                got = run(function, x, indices, ids, narrow=narrow)
                np.testing.assert_allclose(got, want, rtol=rounding(dtype, 2))
    x, none = np.zeros([5, 3], np.float32), np.zeros([0], np.int32)
    assert run(function, x, none, none).shape == (0, 3)


@pytest.mark.parametrize(("function", "reduce", "dtypes"), SPARSE)
def test_sparse_with_a_number_of_segments(function, reduce, dtypes):
    for dtype in dtypes:
        for index, count in ((np.int32, np.int64), (np.int64, np.int32)):
            for rows in (4, 7):
                x = numbers(dtype, [5, 3])
                indices, ids = index([4, 0, 0, 1, 2, 4]), index([0, 0, 2, 2, 2, 3])
                want = segments(reduce, x[indices], ids, rows, 0)
                got = run(
                    lambda *a: function(*a[:3], num_segments=a[3]),
                    x,
                    indices,
                    ids,
                    count(rows),
                    narrow=dtype == "bfloat16",
                )
                np.testing.assert_allclose(got, want, rtol=rounding(dtype, 2))
    none = np.zeros([0], np.int32)
    got = run(
        lambda *a: function(*a, num_segments=3), np.ones([5, 2], np.float32), none, none
    )
    np.testing.assert_array_equal(got, np.zeros([3, 2]))


@pytest.mark.parametrize("function", [row[0] for row in SPARSE])
@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "num_segments 1, got 1"), (-1, "must be >= 0"), ([2], "scalar|rank 0")],
)
def test_sparse_refuses_numbers_of_segments(function, count, words):
    x, ids = np.zeros([5, 2], np.float32), np.int32([0, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(
            lambda *a: function(*a[:3], num_segments=a[3]), x, ids, ids, np.int32(count)
        )


def test_static_shape_has_a_known_number_of_segments():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        ids = tf.placeholder(tf.int32)
        assert tf.sparse_segment_sum(x, ids, ids, num_segments=6).shape.as_list() == [
            6,
            3,
        ]


@pytest.mark.parametrize("function", [row[0] for row in SPARSE])
@pytest.mark.parametrize(
    ("indices", "ids"),
    [([5], [0]), ([-1], [0]), ([0, 1], [1, 0]), ([0], [-1]), ([0], [0, 1])],
)
def test_sparse_refuses(function, indices, ids):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(function, np.zeros([5, 2], np.float32), np.int32(indices), np.int32(ids))


@pytest.mark.parametrize(
    ("op", "weight"),
    [
        (gen_math_ops.sparse_segment_sum_grad, lambda n: 1),
        (gen_math_ops.sparse_segment_mean_grad, lambda n: 1 / n),
        (gen_math_ops.sparse_segment_sqrt_n_grad, lambda n: 1 / np.sqrt(n)),
    ],
)
def test_sparse_gradient_ops(op, weight):
    for dtype in ("float16", "float32", "float64"):
        for width in (1, 3, 40):
            g = numbers(dtype, [4, width], 1)
            indices, ids = np.int32([4, 0, 0, 1, 2, 4]), np.int32([0, 0, 2, 2, 2, 3])
            want = np.zeros([6, width])
            for i, s in zip(indices, ids):
                want[i] += g[s] * weight((ids == s).sum())
            got = run(op, g, indices, ids, np.int32(6))
            np.testing.assert_allclose(got, want, rtol=rounding(dtype, 2))
    for indices, ids, rows in (([6], [0], 6), ([0], [4], 6), ([0], [0], -1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(op, g, np.int32(indices), np.int32(ids), np.int32(rows))


IDS_UNSORTED = np.int32([3, 0, -1, 3, 1, 0, 3, 1, 1])
INDICES = np.int32([8, 0, 0, 1, 2, 4, 5, 5, 3])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.segment_sum(x, IDS),
        lambda x: tf.segment_mean(x, IDS),
        lambda x: tf.segment_prod(x, IDS),
        lambda x: tf.segment_min(x, IDS),
        lambda x: tf.segment_max(x, IDS),
        lambda x: tf.unsorted_segment_sum(x, IDS_UNSORTED, 5),
        lambda x: tf.unsorted_segment_prod(x, IDS_UNSORTED, 5),
        lambda x: tf.unsorted_segment_max(x, IDS_UNSORTED, 4),
        lambda x: tf.unsorted_segment_min(x, IDS_UNSORTED, 4),
        lambda x: tf.unsorted_segment_mean(x, IDS_UNSORTED, 5),
        lambda x: tf.unsorted_segment_sqrt_n(x, IDS_UNSORTED, 5),
        lambda x: tf.sparse_segment_sum(x, INDICES, IDS),
        lambda x: tf.sparse_segment_mean(x, INDICES, IDS, num_segments=7),
        lambda x: tf.sparse_segment_sqrt_n(x, INDICES, IDS),
        lambda x: tf.sparse_segment_sum(x, INDICES, IDS, num_segments=6),
        lambda x: tf.sparse_segment_sqrt_n(x, INDICES, IDS, num_segments=7),
        lambda x: gen_math_ops.sparse_segment_sum_grad(x, INDICES, IDS, 10),
        lambda x: gen_math_ops.sparse_segment_mean_grad(x, INDICES, IDS, 10),
        lambda x: gen_math_ops.sparse_segment_sqrt_n_grad(x, INDICES, IDS, 10),
    ],
)
def test_gradients(function):
    x = np.random.RandomState(0).uniform(0.5, 1.5, [9, 2])
    with tf.Graph().as_default(), tf.Session():
        c = tf.constant(x)
        y = function(c)
        shape = y.eval().shape
        weights = np.random.RandomState(1).uniform(0.5, 1.5, shape)
        z = y * weights
        assert (
            tf.test.compute_gradient_error(c, x.shape, z, shape, x_init_value=x) < 1e-7
        )


def test_gradient_of_a_product_with_zeros():
    x, ids = np.array([0.0, 2, 3, 0, 0, 5]), np.int32([0, 0, 0, 1, 1, 2])
    with tf.Graph().as_default(), tf.Session() as sess:
        c = tf.constant(x)
        (g,) = tf.gradients(tf.segment_prod(c, ids), c)
        np.testing.assert_array_equal(sess.run(g), [6, 0, 0, 0, 0, 1])
        (g,) = tf.gradients(tf.unsorted_segment_prod(c, [2, 2, 2, 0, 0, -1], 3), c)
        np.testing.assert_array_equal(sess.run(g), [6, 0, 0, 0, 0, 0])


def test_ties_share_the_gradient():
    x, ids = np.float32([1, 1, 0, 2]), np.int32([0, 0, 0, 1])
    with tf.Graph().as_default(), tf.Session() as sess:
        c = tf.constant(x)
        (g,) = tf.gradients(tf.segment_max(c, ids), c)
        np.testing.assert_array_equal(sess.run(g), [0.5, 0.5, 0, 1])
        (g,) = tf.gradients(tf.unsorted_segment_max(c, ids, 2), c)
        np.testing.assert_array_equal(sess.run(g), [0.5, 0.5, 0, 1])


@pytest.mark.parametrize("function", [row[0] for row in SPARSE])
def test_sparse_gradient_is_slices_of_the_dense_one(function):
    x = np.random.RandomState(0).uniform(0.5, 1.5, [9, 2])
    with tf.Graph().as_default(), tf.Session() as sess:
        c = tf.constant(x)
        (dense,) = tf.gradients(function(c, INDICES, IDS), c)
        for count in (None, 8):
            out = function(c, INDICES, IDS, num_segments=count, sparse_gradient=True)
            (sparse,) = tf.gradients(out, c)
            assert isinstance(sparse, tf.IndexedSlices)
            a, b = sess.run([dense, tf.convert_to_tensor(sparse)])
            np.testing.assert_allclose(a, b, rtol=1e-12)
