# SPDX-License-Identifier: Apache-2.0
"""MatMul, BatchMatMul and their later versions against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {"float16": 4e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 4e-14}
DTYPES = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int32",
    "int64",
    "complex64",
    "complex128",
]


def matrix(dtype, *shape, seed=0):
    """Small whole numbers over 8: every dtype holds them and their products."""
    rng = np.random.RandomState(seed)
    x = rng.randint(-8, 9, shape)
    if dtype.startswith("int"):
        return x.astype(dtype)
    if dtype.startswith("complex"):
        return ((x + 1j * rng.randint(-8, 9, shape)) / 8).astype(dtype)
    return (x / 8).astype("float32" if dtype == "bfloat16" else dtype)


def run(function, dtype, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        inputs = placeholders
        if dtype == "bfloat16":
            inputs = [tf.cast(p, tf.bfloat16) for p in placeholders]
        out = function(*inputs)
        if dtype == "bfloat16":
            out = tf.cast(out, tf.float32)
        return sess.run(out, dict(zip(placeholders, arrays)))


def expect(got, want, dtype):
    tol = TOLERANCE.get(dtype, 1e-5)
    scale = max(1.0, float(np.abs(want).max(initial=0)))
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol * scale)


SIZES = [
    (1, 1, 1),
    (2, 3, 4),
    (17, 5, 33),
    (1, 64, 70),
    (64, 1, 70),
    (0, 3, 2),
    (2, 0, 3),
    (2, 3, 0),
    (64, 64, 64),
    (100, 130, 257),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "transposed", [(False, False), (True, False), (False, True), (True, True)]
)
def test_matmul(dtype, transposed):
    ta, tb = transposed
    for m, n, k in SIZES:
        a, b = matrix(dtype, m, k, seed=1), matrix(dtype, k, n, seed=2)
        wide = (
            np.complex128
            if a.dtype.kind == "c"
            else np.int64
            if a.dtype.kind == "i"
            else np.float64
        )
        want = a.astype(wide) @ b.astype(wide)
        got = run(
            lambda x, y: gen_math_ops.mat_mul(x, y, transpose_a=ta, transpose_b=tb),
            dtype,
            a.T.copy() if ta else a,
            b.T.copy() if tb else b,
        )
        assert got.shape == (m, n)
        expect(got, want, dtype)


@pytest.mark.parametrize("threads", [1, 2])
def test_large_products_on_any_number_of_threads(threads):
    a, b = matrix("float32", 300, 700, seed=1), matrix("float32", 700, 500, seed=2)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    for tb in (False, True):
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            got = sess.run(
                gen_math_ops.mat_mul(a, b.T.copy() if tb else b, transpose_b=tb)
            )
        expect(got, a.astype(np.float64) @ b, "float32")


def test_integers_wrap():
    a = np.full([2, 2], 2**30, np.int32)
    np.testing.assert_array_equal(run(gen_math_ops.mat_mul, "int32", a, a), a @ a)


@pytest.mark.parametrize(
    ("a", "b"), [([2, 3], [2, 3]), ([2, 3], [3]), ([], [2, 3]), ([2, 3, 4], [4, 5])]
)
def test_matmul_refuses_what_does_not_fit(a, b):
    x, y = np.zeros(a, np.float32), np.zeros(b, np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(gen_math_ops.mat_mul, "float32", x, y)
    with tf.Graph().as_default(), pytest.raises(ValueError):
        gen_math_ops.mat_mul(x, y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("adjoint", [(False, False), (True, False), (False, True)])
def test_batch_matmul(dtype, adjoint):
    ax, ay = adjoint
    for batch, m, n, k in [
        ([3], 2, 4, 5),
        ([2, 3], 33, 17, 40),
        ([], 3, 2, 2),
        ([0], 2, 2, 2),
        ([4], 2, 3, 0),
    ]:
        x, y = matrix(dtype, *batch, m, k, seed=1), matrix(dtype, *batch, k, n, seed=2)
        wide = (
            np.complex128
            if x.dtype.kind == "c"
            else np.int64
            if x.dtype.kind == "i"
            else np.float64
        )
        want = x.astype(wide) @ y.astype(wide)

        def flip(z):
            return np.conj(np.swapaxes(z, -1, -2)).copy()

        got = run(
            lambda p, q: gen_math_ops.batch_mat_mul(p, q, adj_x=ax, adj_y=ay),
            dtype,
            flip(x) if ax else x,
            flip(y) if ay else y,
        )
        expect(got, want, dtype)


@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (5, 64, 3), (97, 130, 257), (300, 20, 65)]
)
@pytest.mark.parametrize("adjoint", [(False, False), (True, False), (False, True)])
def test_broadcast_products_of_int16_wrap(sizes, adjoint):
    m, k, n = sizes
    rng = np.random.RandomState(3)
    x = rng.randint(-(2**15), 2**15, (2, 1, m, k)).astype(np.int16)
    y = rng.randint(-(2**15), 2**15, (3, k, n)).astype(np.int16)
    ax, ay = adjoint
    got = run(
        lambda a, b: gen_math_ops.batch_mat_mul_v2(a, b, adj_x=ax, adj_y=ay),
        "int16",
        np.swapaxes(x, -1, -2).copy() if ax else x,
        np.swapaxes(y, -1, -2).copy() if ay else y,
    )
    assert got.dtype == np.int16
    want = x.astype(np.int64) @ y.astype(np.int64)
    np.testing.assert_array_equal(got, want.astype(np.int16))


def test_batch_matmul_refuses_other_batches():
    x, y = np.zeros([2, 3, 4], np.float32), np.zeros([5, 4, 3], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(gen_math_ops.batch_mat_mul, "float32", x, y)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(
    "adjoint", [(False, False), (True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize(
    "sizes",
    [(1, 1, 1), (4, 4, 4), (3, 5, 2), (8, 8, 8), (7, 3, 9), (16, 16, 16), (5, 64, 17)],
)
def test_batches_of_small_matrices(dtype, adjoint, sizes):
    m, k, n = sizes
    x = matrix(dtype, 37, *((k, m) if adjoint[0] else (m, k)), seed=1)
    y = matrix(dtype, 37, *((n, k) if adjoint[1] else (k, n)), seed=2)
    got = run(
        lambda a, b: gen_math_ops.batch_mat_mul(
            a, b, adj_x=adjoint[0], adj_y=adjoint[1]
        ),
        dtype,
        x,
        y,
    )
    wide = [t.astype(np.float64) for t in (x, y)]
    left, right = (
        t.swapaxes(1, 2) if a else t for t, a in zip(wide, adjoint, strict=True)
    )
    expect(got, left @ right, dtype)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_matrices_times_vectors(dtype):
    a, b = matrix(dtype, 2, 4, 3), matrix(dtype, 2, 3, seed=1)
    got = run(tf.linalg.matvec, dtype, a, b)
    np.testing.assert_allclose(got, np.einsum("bmk,bk->bm", a, b), rtol=1e-12)
    turned = np.conj(np.swapaxes(a, 1, 2))
    np.testing.assert_array_equal(run(tf.linalg.adjoint, dtype, a), turned)
    got = run(lambda x, y: tf.linalg.matvec(x, y, adjoint_a=True), dtype, turned, b)
    np.testing.assert_allclose(got, np.einsum("bmk,bk->bm", a, b), rtol=1e-12)


V3_TYPES = [
    *((t, t, t) for t in ("float32", "float64", "int16", "int32", "int64")),
    *((t, t, t) for t in ("complex64", "complex128", "bfloat16")),
    *((a, b, "int32") for a in ("int8", "uint8") for b in ("int8", "uint8")),
    *((a, "bfloat16", "bfloat16") for a in ("int8", "uint8")),
    *(("bfloat16", b, "bfloat16") for b in ("int8", "uint8")),
]


@pytest.mark.parametrize("types", V3_TYPES)
@pytest.mark.parametrize("adjoint", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 70, 5), (2, 0, 3), (40, 33, 17)])
def test_products_of_types_that_differ(types, adjoint, sizes):
    m, k, n = sizes
    rng = np.random.RandomState(4)

    def operand(dtype, *shape):
        # Bytes at their ends; other numbers whose products bfloat16 holds.
        if dtype in ("int8", "uint8") and "bfloat16" not in types:
            info = np.iinfo(dtype)
            return rng.randint(info.min, info.max + 1, shape).astype(dtype)
        x = rng.randint(0, 3, shape)
        if dtype.startswith("complex"):
            return (x + 1j * rng.randint(-2, 3, shape)).astype(dtype)
        return x.astype(tf.as_dtype(dtype).as_numpy_dtype)

    x, y = operand(types[0], 2, 1, m, k), operand(types[1], 3, k, n)
    wide = np.complex128 if types[2].startswith("complex") else np.int64
    want = x.astype(wide) @ y.astype(wide)
    ax, ay = adjoint

    def flip(z):
        return np.conj(np.swapaxes(z, -1, -2)).copy()

    got = fed(
        lambda a, b: gen_math_ops.batch_mat_mul_v3(
            a, b, tf.as_dtype(types[2]), adj_x=ax, adj_y=ay
        ),
        flip(x) if ax else x,
        flip(y) if ay else y,
    )
    assert got.dtype == tf.as_dtype(types[2]).as_numpy_dtype
    np.testing.assert_array_equal(got.astype(wide), want)


@pytest.mark.parametrize("adjoint", [(False, False), (True, False), (False, True)])
def test_gradients_of_products_in_other_types(adjoint):
    ax, ay = adjoint
    x = np.arange(12.0).reshape(2, 3, 2) if not ax else np.arange(12.0).reshape(2, 2, 3)
    y = np.arange(8.0).reshape(1, 2, 4) if not ay else np.arange(8.0).reshape(1, 4, 2)
    g = np.arange(24.0).reshape(2, 3, 4)

    def build(op, *more):
        def gradients(a, b):
            product = op(a, b, *more, adj_x=ax, adj_y=ay)
            return tf.gradients(product, [a, b], tf.constant(g))

        return gradients

    got = fed(build(gen_math_ops.batch_mat_mul_v3, tf.float64), x, y)
    want = fed(build(gen_math_ops.batch_mat_mul_v2), x, y)
    for a, b in zip(got, want):
        np.testing.assert_array_equal(a, b)


def test_integers_beside_floats_have_no_gradient():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0]], tf.bfloat16)
        y = tf.constant([[3], [4]], tf.int8)
        product = gen_math_ops.batch_mat_mul_v3(x, y, tf.bfloat16)
        dx, dy = tf.gradients(product, [x, y])
        assert dy is None
        assert session.run(dx).tolist() == [[3, 4]]


def test_batch_matmul_v3_refuses_what_does_not_fit():
    x = np.zeros([2, 3, 4], np.int8)
    for y in (np.zeros([3, 4, 3], np.int8), np.zeros([2, 3, 4], np.int8)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            fed(lambda a, b: gen_math_ops.batch_mat_mul_v3(a, b, tf.int32), x, y)
