# SPDX-License-Identifier: Apache-2.0
"""SparseMatMul against NumPy, with the hints true and false."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops


def matrix(shape, zeros, seed):
    """Small whole numbers, exact in bfloat16, a share of them zero."""
    rng = np.random.RandomState(seed)
    x = rng.randint(1, 9, shape).astype(np.float32)
    return x * (rng.uniform(0, 1, shape) >= zeros)


def cast(x, dtype):
    return tf.cast(x, tf.as_dtype(dtype))


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (7, 5, 9), (40, 70, 30), (0, 3, 4), (3, 0, 4)]
)
def test_products(ta, tb, sizes):
    m, k, n = sizes
    for zeros in (0, 0.5, 0.99):
        a = matrix((k, m) if ta else (m, k), zeros, 1)
        b = matrix((n, k) if tb else (k, n), zeros, 2)
        want = (a.T if ta else a) @ (b.T if tb else b)
        kinds = itertools.product(["float32", "bfloat16"], repeat=2)
        for (x, y), a_hint, b_hint in itertools.product(kinds, [0, 1], [0, 1]):
            with tf.Graph().as_default(), tf.Session() as sess:
                product = gen_math_ops.sparse_mat_mul(
                    cast(tf.constant(a), x),
                    cast(tf.constant(b), y),
                    transpose_a=ta,
                    transpose_b=tb,
                    a_is_sparse=bool(a_hint),
                    b_is_sparse=bool(b_hint),
                )
                got = sess.run(product)
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, want, rtol=1e-6)


def test_matmul_with_a_hint_uses_it():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3, 4])
        y = tf.placeholder(tf.float32, [4, 2])
        assert tf.matmul(x, y, a_is_sparse=True).op.type == "SparseMatMul"
        assert tf.matmul(x, y).op.type == "MatMul"
        z = tf.cast(y, tf.float64)
        assert (
            tf.matmul(tf.cast(x, tf.float64), z, b_is_sparse=True).op.type == "MatMul"
        )


@pytest.mark.parametrize(
    ("a", "b"), [([2, 3], [2, 3]), ([3], [3, 2]), ([1, 2, 3], [3, 2])]
)
def test_shapes_that_do_not_fit_are_refused(a, b):
    with tf.Graph().as_default(), tf.Session() as sess:
        p, q = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(
                gen_math_ops.sparse_mat_mul(p, q), {p: np.zeros(a), q: np.zeros(b)}
            )


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_gradients(ta, tb, kind):
    a, b = (
        matrix((4, 3) if ta else (3, 4), 0.3, 1),
        matrix((5, 4) if tb else (4, 5), 0.3, 2),
    )
    weights = matrix((3, 5), 0, 3)
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = cast(tf.constant(a), kind), cast(tf.constant(b), kind)
        z = tf.sparse_matmul(x, y, transpose_a=ta, transpose_b=tb, a_is_sparse=True)
        gx, gy = tf.gradients(z, [x, y], grad_ys=[tf.constant(weights)])
        assert gx.dtype == x.dtype and gy.dtype == y.dtype
        gx, gy = sess.run([tf.cast(gx, tf.float32), tf.cast(gy, tf.float32)])
    want_x = weights @ (b if tb else b.T)
    want_y = (a if ta else a.T) @ weights
    tol = 1e-2 if kind == "bfloat16" else 1e-6
    np.testing.assert_allclose(gx, want_x.T if ta else want_x, rtol=tol)
    np.testing.assert_allclose(gy, want_y.T if tb else want_y, rtol=tol)
