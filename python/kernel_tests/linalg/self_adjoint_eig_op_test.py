# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues and eigenvectors of Hermitian matrices against NumPy."""

import numpy as np
import pytest
import scipy.linalg

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


def hermitian(dtype, *shape):
    x = draw(dtype, *shape)
    return ((x + adjoint(x)) / 2).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_values_and_vectors(shape, dtype):
    a = hermitian(dtype, *shape)
    e, v = fed(tf.self_adjoint_eig, a)
    close((v * e[..., None, :]) @ adjoint(v), a)
    close(adjoint(v) @ v, np.broadcast_to(np.eye(shape[-1]), shape))
    if a.size:
        close(e, np.linalg.eigvalsh(a).astype(dtype))
    alone = fed(tf.self_adjoint_eigvals, np.tril(a), known=True)
    close(alone, e)
    if np.dtype(dtype).kind == "f":
        old = fed(gen_linalg_ops.batch_self_adjoint_eig_v2, a)
        np.testing.assert_array_equal(old[1], v)
        for op in (
            gen_linalg_ops.self_adjoint_eig,
            gen_linalg_ops.batch_self_adjoint_eig,
        ):
            both = fed(op, a)
            assert both.shape == (*shape[:-2], shape[-1] + 1, shape[-1])
            np.testing.assert_array_equal(both[..., :1, :], e[..., None, :])
            np.testing.assert_array_equal(both[..., 1:, :], v)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_sizes_far_from_one(scale, dtype):
    a = hermitian(np.float64, 6, 6)
    got = fed(tf.self_adjoint_eigvals, (a * scale).astype(dtype))
    close((got / dtype(scale)).astype(dtype), np.linalg.eigvalsh(a).astype(dtype))


@pytest.mark.parametrize(
    "a",
    [
        np.zeros([5, 5]),
        np.eye(5),
        np.ones([5, 5]),
        np.diag([3.0, 1, 2]),
        np.diag([1.0, 1e-20, 0]),
    ],
)
def test_repeated_and_zero_values(a):
    e, v = fed(tf.self_adjoint_eig, a)
    close(e, np.linalg.eigvalsh(a))
    close(v.T @ v, np.eye(len(a)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_matrix_of_one_element_is_its_own_value(dtype):
    a = np.array([2, -3, np.nan, np.inf, 0], dtype).reshape(5, 1, 1)
    e, v = fed(tf.self_adjoint_eig, a)
    np.testing.assert_array_equal(e, a[..., 0].real)
    np.testing.assert_array_equal(v, np.ones_like(a))
    np.testing.assert_array_equal(fed(tf.self_adjoint_eigvals, a), a[..., 0].real)


def test_what_has_none_is_refused():
    for x in (np.nan, np.inf):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not successful"):
            fed(tf.self_adjoint_eigvals, np.array([[x, 0], [0, 1.0]]))
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="squar"):
        fed(tf.self_adjoint_eigvals, np.zeros([2, 3]))


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4)])
def test_gradient(shape):
    """The gradient is that by the lower triangle; the values do not depend on the vectors' signs."""

    def projections(x):
        e, v = tf.self_adjoint_eig(x)
        lowest = v[..., :, :1]
        p = tf.matmul(lowest, lowest, adjoint_b=True)
        values = [e, p]
        flat = [tf.reshape(f(y), [-1]) for y in values for f in (tf.real, tf.imag)]
        return tf.concat(flat, 0)

    a = hermitian(np.float64, *shape)
    check_gradient(projections, [a], [0])
    check_gradient(tf.self_adjoint_eigvals, [a], [0])

    def complex_input(a, b):
        z = tf.complex(a, b)
        return projections(tf.matmul(z, z, adjoint_b=True))

    check_gradient(
        complex_input, [draw(np.float64, *shape, seed=s) for s in (1, 2)], [0, 1]
    )


def test_three_diagonals():
    alpha, beta = draw(np.float64, 6), draw(np.float64, 5, seed=1)
    want, vectors = scipy.linalg.eigh_tridiagonal(alpha, beta)
    close(fed(tf.linalg.eigh_tridiagonal, alpha, beta), want)

    def build(a, b):
        return tf.linalg.eigh_tridiagonal(a, b, False, "i", (1, 3))

    e, v = fed(build, alpha, beta)
    close(e, want[1:4])
    close(np.abs(v), np.abs(vectors[:, 1:4]), 5000)
    between = fed(
        lambda a, b: tf.linalg.eigh_tridiagonal(a, b, True, "v", (-0.5, 0.9)),
        alpha,
        beta,
    )
    close(between, want[(want >= -0.5) & (want <= 0.9)])
