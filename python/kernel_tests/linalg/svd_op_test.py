# SPDX-License-Identifier: Apache-2.0
"""Singular values and vectors against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_linalg_ops
from tensorwright.python.testing.op_testing import fed

FLOATS = [np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(0, 0), (1, 1), (2, 0, 3, 3), (17, 17), (3, 130, 130)]


def draw(dtype, *shape, seed=0):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def close(got, want, units=500):
    """Within some units of rounding of the largest element."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    if want.size:
        scale = max(1, np.abs(want).max()) * np.finfo(got.dtype).eps
        np.testing.assert_allclose(got, want, rtol=0, atol=units * scale)


RECTANGLES = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (2, 5, 3),
    (2, 3, 5),
    (40, 90),
    (150, 67),
    (70, 70),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", RECTANGLES)
def test_the_factors_multiply_to_the_matrix(shape, full, dtype):
    a = draw(dtype, *shape)
    s, u, v = fed(lambda x: tf.svd(x, full_matrices=full), a, known=False)
    m, n = shape[-2:]
    k = min(m, n)
    assert s.dtype == np.zeros(1, dtype).real.dtype
    assert u.shape[-2:] == (m, m if full else k)
    assert v.shape[-2:] == (n, n if full else k)
    close((u[..., :k] * s[..., None, :]) @ adjoint(v[..., :k]), a)
    for x in (u, v):
        w = x.shape[-1]
        close(adjoint(x) @ x, np.broadcast_to(np.eye(w), (*shape[:-2], w, w)))
    if k:
        close(s, np.linalg.svd(a, compute_uv=False))
    close(fed(lambda x: tf.svd(x, compute_uv=False), a, known=True), s)
    old = fed(lambda x: gen_linalg_ops.batch_svd(x, full_matrices=full), a)
    np.testing.assert_array_equal(old[1], u)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_sizes_far_from_one(scale, dtype):
    a = draw(np.float64, 6, 4)
    got = fed(lambda x: tf.svd(x, compute_uv=False), (a * scale).astype(dtype))
    want = np.linalg.svd(a, compute_uv=False)
    close((got / dtype(scale)).astype(dtype), want.astype(dtype))


@pytest.mark.parametrize(
    "a",
    [
        np.zeros([4, 3]),
        np.eye(4),
        np.ones([3, 5]),
        np.diag([1.0, 1e-20, 0, 0]),
        np.triu(np.ones([5, 5]), 1),
        np.outer([1.0, 2, 3], [1.0, 0, 0, 2]),
    ],
)
def test_matrices_without_full_rank(a):
    s, u, v = fed(tf.svd, a)
    close((u * s) @ v.T, a)
    close(u.T @ u, np.eye(len(s)))
    close(v.T @ v, np.eye(len(s)))
    close(s, np.linalg.svd(a, compute_uv=False))


def test_nan_gives_nan():
    for x in (np.nan, np.inf):
        for y in fed(tf.svd, np.array([[x, 1], [2, 3]])):
            assert np.isnan(y).all()


def test_a_vector_is_refused():
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="rank"):
        fed(lambda x: tf.svd(x)[0], np.zeros([3]))


# All vectors have gradients if at most one of them belongs to no singular value.
@pytest.mark.parametrize(
    ("shape", "full"),
    [
        ((3, 3), False),
        ((5, 3), False),
        ((3, 5), False),
        ((2, 4, 3), False),
        ((3, 3), True),
        ((2, 4, 3), True),
    ],
)
def test_gradient(shape, full):
    """The gradient of values that do not depend on the vectors' signs."""

    def projections(x):
        x.set_shape(shape)
        s, u, v = tf.svd(x, full_matrices=full)
        first = tf.matmul(u[..., :2], v[..., :2], adjoint_b=True)
        last = tf.matmul(u[..., -1:], u[..., -1:], adjoint_b=True)
        values = [tf.cast(s, u.dtype), first, last]
        flat = [tf.reshape(f(y), [-1]) for y in values for f in (tf.real, tf.imag)]
        return tf.concat(flat, 0)

    check_gradient(projections, [draw(np.float64, *shape)], [0])
    arrays = [draw(np.float64, *shape, seed=s) for s in (1, 2)]
    check_gradient(lambda a, b: projections(tf.complex(a, b)), arrays, [0, 1])
    check_gradient(
        lambda x: tf.svd(x, compute_uv=False), [draw(np.float64, *shape)], [0]
    )


@pytest.mark.parametrize("shape", [(2, 5, 3), (3, 5), (4, 4)])
def test_pseudoinverse_and_rank(shape):
    a = draw(np.float64, *shape)
    a[..., 0] = a[..., 1]
    for check in (False, True):
        close(
            fed(lambda x, c=check: tf.linalg.pinv(x, validate_args=c), a),
            np.linalg.pinv(a),
        )
        rank = fed(lambda x, c=check: tf.linalg.matrix_rank(x, validate_args=c), a)
        np.testing.assert_array_equal(rank, np.linalg.matrix_rank(a))
    assert np.all(fed(lambda x: tf.linalg.matrix_rank(x, tol=1e9), a) == 0)


def test_spectral_norm():
    a = draw(np.float64, 2, 4, 3)
    for axis in ((-2, -1), (0, 2)):
        for keep in (False, True):
            got = fed(lambda x, a=axis, k=keep: tf.norm(x, 2, a, k), a, known=True)
            close(got, np.linalg.norm(a, 2, axis, keep))
