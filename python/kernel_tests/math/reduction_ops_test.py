# SPDX-License-Identifier: Apache-2.0
"""Reductions against NumPy, over dtypes, axes and sizes."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

FLOATS = ["float16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
OPS = {
    "_sum": (np.sum, FLOATS + INTS + COMPLEX),
    "_prod": (np.prod, FLOATS + INTS + COMPLEX),
    "mean": (np.mean, FLOATS + COMPLEX),
    "_max": (np.max, FLOATS + INTS),
    "_min": (np.min, FLOATS + INTS),
    "_all": (np.all, ["bool"]),
    "_any": (np.any, ["bool"]),
}
TOLERANCE = {"float16": 4e-3, "float32": 1e-5, "complex64": 1e-5}


def numbers(dtype, shape, seed=0):
    rng = np.random.RandomState(seed)
    if dtype == "bool":
        return rng.rand(*shape) > 0.4
    if dtype in INTS:
        return rng.randint(1, 4, shape).astype(dtype)
    x = rng.uniform(0.5, 1.5, shape)
    return (
        (x + 0.5j * rng.uniform(-1, 1, shape)).astype(dtype)
        if dtype in COMPLEX
        else x.astype(dtype)
    )


def reduced(numpy, x, axes, keep_dims):
    wide = {"f": np.float64, "c": np.complex128}.get(x.dtype.kind, x.dtype)
    options = {"dtype": wide} if numpy in (np.sum, np.prod) else {}
    source = x.astype(wide)
    return numpy(source, axis=tuple(axes), keepdims=keep_dims, **options).astype(
        x.dtype
    )


@pytest.mark.parametrize("name", OPS)
def test_every_dtype(name):
    numpy, dtypes = OPS[name]
    for dtype in dtypes:
        x = numbers(dtype, [3, 5, 4])
        for axes in ([], [0], [1], [2], [0, 2], [0, 1, 2], [-1], [-3, 1]):
            for keep_dims in (False, True):
                got = fed(
                    lambda v, a: getattr(gen_math_ops, name)(v, a, keep_dims=keep_dims),
                    x,
                    np.int32(axes),
                )
                want = reduced(numpy, x, axes, keep_dims)
                assert got.shape == want.shape
                tol = TOLERANCE.get(dtype, 2e-14)
                if got.dtype.kind in "fc":
                    np.testing.assert_allclose(got, want, rtol=tol)
                else:
                    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "shape",
    [
        [1],
        [17],
        [5000],
        [100001],
        [3, 1],
        [1000, 7],
        [7, 1000],
        [300, 300],
        [2, 3, 4, 5, 6],
        [1, 8, 1, 9],
        [40000, 3],
        [2, 40000, 3],
    ],
)
def test_every_set_of_axes(shape):
    x = numbers("float32", shape)
    for count in range(1, len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            got_sum, got_max = fed(
                lambda v, a: [gen_math_ops._sum(v, a), gen_math_ops._max(v, a)],
                x,
                np.int64(axes),
            )
            np.testing.assert_allclose(
                got_sum, x.sum(axes, dtype=np.float64), rtol=1e-6
            )
            np.testing.assert_array_equal(got_max, x.max(axes))


def test_a_scalar_axis_and_a_scalar_input():
    x = numbers("float32", [3, 4])
    np.testing.assert_allclose(
        fed(gen_math_ops._sum, x, np.int32(1)), x.sum(1), rtol=1e-6
    )
    assert fed(gen_math_ops._sum, np.float32(5), np.zeros([0], np.int32)) == 5


def test_nothing_to_reduce():
    x, axes = np.zeros([0, 3], np.float32), np.int32([0])
    np.testing.assert_array_equal(fed(gen_math_ops._sum, x, axes), [0, 0, 0])
    np.testing.assert_array_equal(fed(gen_math_ops._prod, x, axes), [1, 1, 1])
    np.testing.assert_array_equal(fed(gen_math_ops._max, x, axes), [-np.inf] * 3)
    np.testing.assert_array_equal(fed(gen_math_ops._min, x, axes), [np.inf] * 3)
    assert np.isnan(fed(gen_math_ops.mean, x, axes)).all()
    assert fed(gen_math_ops._sum, x, np.int32([1])).shape == (0,)


def test_nan_is_the_extremum():
    x = np.float32([[1, np.nan, 3], [1, 2, 3]])
    got = fed(gen_math_ops._max, x, np.int32([1]))
    np.testing.assert_array_equal(got, [np.nan, 3])


def test_long_sums_keep_their_digits():
    x = np.full([10_000_000], 0.1, np.float32)
    np.testing.assert_allclose(fed(gen_math_ops._sum, x, np.int32([0])), 1e6, rtol=1e-6)
    np.testing.assert_allclose(
        fed(gen_math_ops.mean, x.reshape(-1, 1), np.int32([0])), [0.1], rtol=1e-6
    )
    half = np.full([60000], 1, np.float16)
    assert fed(gen_math_ops._sum, half, np.int32([0])) == 60000


@pytest.mark.parametrize(("axes", "words"), [([2], "2"), ([-3], "-3"), ([[0]], None)])
def test_bad_axes(axes, words):
    x = np.zeros([2, 3], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_math_ops._sum, x, np.int32(axes))
    with tf.Graph().as_default(), pytest.raises(ValueError):
        gen_math_ops._sum(x, np.int32(axes))


def test_an_axis_given_twice_is_refused_in_the_run():
    with pytest.raises(tf.errors.InvalidArgumentError, match="duplicate"):
        fed(gen_math_ops._sum, np.zeros([2, 3], np.float32), np.int32([0, -2]))


@pytest.mark.parametrize("name", OPS)
def test_rows_of_any_length(name):
    """A few elements, a vector, a block, several blocks; each with columns beside it, too."""
    numpy, dtypes = OPS[name]
    for dtype in dtypes:
        for shape in (
            [300, 3],
            [50, 24],
            [50, 25],
            [9, 31],
            [5, 513],
            [3, 4097],
            [1, 9999],
        ):
            x = numbers(dtype, shape)
            if numpy is np.prod and dtype not in INTS:
                x = (x / np.abs(x)).astype(dtype)
            tol = TOLERANCE.get(dtype, 2e-14)
            for axis in (0, 1):
                got = fed(
                    lambda t: getattr(gen_math_ops, name)(t, [axis], keep_dims=False), x
                )
                want = reduced(numpy, x, [axis], False)
                np.testing.assert_allclose(got, want, rtol=20 * tol, err_msg=dtype)


@pytest.mark.parametrize("name", ["_sum", "_prod", "mean", "_max", "_min"])
def test_short_rows_of_every_length(name):
    numpy = OPS[name][0]
    for dtype in INTS + ["float16", "float32", "complex64"]:
        if dtype == "complex64" and name in ("_max", "_min"):
            continue
        for rows in (1, 2, 3, 33):
            for columns in range(1, 41):
                x = numbers(dtype, [rows, columns], seed=columns)
                if numpy is np.prod and dtype not in INTS:
                    x = (x / np.abs(x)).astype(dtype)
                want = reduced(numpy, x, [1], False)
                if numpy is np.mean and dtype in INTS:
                    want = (x.astype(np.int64).sum(1) // columns).astype(dtype)
                with tf.Graph().as_default(), tf.Session() as sess:
                    fn = getattr(gen_math_ops, name)
                    got = sess.run(fn(tf.constant(x), [1], keep_dims=False))
                np.testing.assert_allclose(
                    got,
                    want,
                    rtol=20 * TOLERANCE.get(dtype, 2e-14),
                    err_msg=f"{dtype} {x.shape}",
                )


@pytest.mark.parametrize("size", [1, 15, 64, 1000, 5000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_extrema_of_what_is_not_finite(size, dtype):
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, [4, size]).astype(dtype)
    x[0, size // 2] = np.inf
    x[1, size // 3] = -np.inf
    x[2, size - 1] = np.nan
    for name, numpy in (("_max", np.max), ("_min", np.min)):
        got = fed(lambda t: getattr(gen_math_ops, name)(t, [1], keep_dims=False), x)
        np.testing.assert_array_equal(got, numpy(x, 1))


def test_means_and_sums_of_bfloat16_are_taken_in_floats():
    x = np.ones([3, 1001], np.float32)
    got = fed(
        lambda t: tf.cast(tf.reduce_sum(tf.cast(t, tf.bfloat16), 1), tf.float32), x
    )
    np.testing.assert_array_equal(got, [1000.0] * 3)
    got = fed(
        lambda t: tf.cast(tf.reduce_sum(tf.cast(t, tf.bfloat16), 0), tf.float32), x
    )
    np.testing.assert_array_equal(got, [3.0] * 1001)
