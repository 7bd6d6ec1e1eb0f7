# SPDX-License-Identifier: Apache-2.0
"""tf.sparse.matmul against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_DTYPES = {
    np.float32: 1e-5,
    np.float64: 1e-12,
    np.float16: 2e-2,
    ml_dtypes.bfloat16: 2e-2,
    np.int32: 0,
    np.complex64: 1e-5,
    np.complex128: 1e-12,
}


def _adjoint(x):
    return x.conj().T


def _number(n, dtype, seed):
    x = np.random.RandomState(seed).randint(-5, 6, n)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * x[::-1]
    return x.astype(dtype)


@pytest.mark.parametrize(("adjoint_a", "adjoint_b"), np.ndindex(2, 2))
@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("n", [1, 5, 40, 200])
def test_products_are_numpys(n, dtype, adjoint_a, adjoint_b):
    m, k = 7, 11
    rows, _, sizes = drawn.draw((k, m) if adjoint_a else (m, k))
    order = np.random.RandomState(4).permutation(len(rows))
    values = _number(len(rows), dtype, 1)
    b = _number(k * n, dtype, 2).reshape((n, k) if adjoint_b else (k, n))
    exact = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    left = drawn.dense((rows, values.astype(exact), sizes))
    right = b.astype(exact)
    want = (_adjoint(left) if adjoint_a else left) @ (
        _adjoint(right) if adjoint_b else right
    )
    for given in ((rows, values, sizes), (rows[order], values[order], sizes)):
        got = drawn.run(
            lambda sp, y: tf.sparse.matmul(sp, y, bool(adjoint_a), bool(adjoint_b)),
            given,
            b,
        )
        np.testing.assert_allclose(
            got.astype(exact), want, rtol=_DTYPES[dtype], atol=_DTYPES[dtype]
        )


def test_large_products_take_several_threads():
    rows, values, sizes = drawn.draw((300, 200), np.float64, part=0.2)
    for n in (20, 300):
        b = np.random.RandomState(1).normal(size=(200, n))
        want = drawn.dense((rows, values, sizes)) @ b
        for order in (slice(None), np.random.RandomState(2).permutation(len(rows))):
            given = rows[order], values[order], sizes
            got = drawn.run(tf.sparse.matmul, given, b)
            np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-8)


def test_the_right_side_may_be_the_sparse_one():
    parts = drawn.draw((3, 4), np.complex64)
    left = np.arange(10).reshape(5, 2).astype(np.complex64) * 1j
    got = drawn.run(
        lambda x, sp: tf.sparse.matmul(x, sp, False, True),
        left[:, :1] * np.ones([1, 4], np.complex64),
        parts,
    )
    want = (left[:, :1] * np.ones([1, 4])) @ _adjoint(drawn.dense(parts))
    np.testing.assert_allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize(("adjoint_a", "adjoint_b"), np.ndindex(2, 2))
def test_gradients(adjoint_a, adjoint_b):
    rows, values, sizes = drawn.draw((3, 2) if adjoint_a else (2, 3), np.float64)
    b = np.random.RandomState(3).normal(size=(4, 3) if adjoint_b else (3, 4))

    def build(x, y):
        sparse = tf.SparseTensor(rows, x, sizes)
        return tf.sparse.matmul(sparse, y, bool(adjoint_a), bool(adjoint_b))

    drawn.check_gradient(lambda x: build(x, b), values)
    drawn.check_gradient(lambda y: build(tf.constant(values), y), b)


def test_narrow_indices():
    got = drawn.run(
        gen_sparse_ops._sparse_tensor_dense_mat_mul,
        np.array([[0, 1], [1, 0]], np.int32),
        np.float32([2, 3]),
        np.array([2, 2]),
        np.float32([[1, 2], [3, 4]]),
    )
    np.testing.assert_array_equal(got, [[6, 8], [3, 6]])


@pytest.mark.parametrize(
    ("rows", "shape", "b", "words"),
    [
        ([[0, 1]], [2, 4], np.ones([3, 1]), "inner dimension|equal"),
        ([[0, 3]], [2, 3], np.ones([3, 1]), "out of bounds"),
        ([[2, 0]], [2, 3], np.ones([3, 1]), "out of bounds"),
        ([[-1, 0]], [2, 3], np.ones([3, 1]), "out of bounds"),
        ([[0, 1]], [-2, 3], np.ones([3, 1]), "."),
        ([[0, 1]], [1 << 62, 3], np.ones([3, 4]), "."),
        ([[0]], [3], np.ones([3, 4]), "."),
        ([[0, 1]], [-1, 3], np.ones([3, 4]), "a_shape must not be negative"),
        ([[0, 1]], [2, 3], np.ones([3]), "matrix|rank 2"),
    ],
)
def test_bad_input(rows, shape, b, words):
    parts = np.array(rows), np.float64([1]), np.array(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.sparse.matmul, parts, b)
