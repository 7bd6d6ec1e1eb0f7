# SPDX-License-Identifier: Apache-2.0
"""Cholesky's factor and its gradient against NumPy."""

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


def positive(dtype, *shape, seed=0):
    x = draw(dtype, *shape, seed=seed)
    n = shape[-1]
    return (x @ adjoint(x) + n * np.eye(n)).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_factor_times_its_adjoint_is_the_matrix(shape, dtype):
    a = positive(dtype, *shape)
    got = fed(tf.cholesky, a, known=True)
    assert got.dtype == dtype
    np.testing.assert_array_equal(np.triu(got, 1), 0)
    close(got @ adjoint(got), a)
    # Elements above the diagonal are not read.
    np.testing.assert_array_equal(fed(tf.cholesky, np.tril(a)), got)
    if np.dtype(dtype).kind == "f":
        np.testing.assert_array_equal(fed(gen_linalg_ops.batch_cholesky, a), got)


def test_what_is_not_positive_definite_is_refused():
    for a in ([[0.0]], [[1.0, 0], [2, 1]], [[-1.0, 0], [0, 1]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not successful"):
            fed(tf.cholesky, np.array(a))
    # The op also finds the fault in a batch, and in a late block.
    a = positive(np.float32, 2, 100, 100)
    a[1, 90, 90] = -1
    with pytest.raises(tf.errors.InvalidArgumentError, match="not successful"):
        fed(tf.cholesky, a)


def test_nan_stays_nan():
    assert np.isnan(fed(tf.cholesky, np.array([[np.nan, 0], [1, 2]]))).any()


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 3)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(
        (tf.errors.InvalidArgumentError, ValueError), match="rank|squar"
    ):
        fed(tf.cholesky, np.zeros(shape))


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4)])
def test_gradient(shape, dtype):
    """The gradient of a function whose input is Hermitian, whatever is fed."""

    def factor(x):
        n = x.shape[-1].value or shape[-1]
        h = (x + tf.linalg.adjoint(x)) / 2 + 4 * tf.eye(n, dtype=x.dtype)
        y = tf.cholesky(h)
        return tf.concat([tf.real(y), tf.imag(y)], 0)

    if dtype == np.float64:
        check_gradient(lambda x: factor(x + 0.1 * x), [draw(dtype, *shape) / 4], [0])
        return
    parts = [draw(np.float64, *shape, seed=s) / 4 for s in (1, 2)]
    check_gradient(lambda a, b: factor(tf.complex(a, b)), parts, [0, 1])


def test_second_gradient():
    def slope(x):
        y = tf.cholesky(
            tf.matmul(x, x, transpose_b=True) + 3 * tf.eye(3, dtype=x.dtype)
        )
        return tf.gradients(tf.reduce_sum(tf.sin(y)), x)[0]

    check_gradient(slope, [draw(np.float64, 3, 3)], [0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 5, 5), (140, 140)])
def test_cholesky_grad_is_the_gradient(shape, dtype):
    a, g = positive(dtype, *shape), draw(dtype, *shape, seed=1)
    factor = fed(tf.cholesky, a)

    def graph(x, upstream):
        return tf.gradients(tf.cholesky(x), x, upstream)[0]

    want = fed(graph, a, g)
    close(fed(gen_linalg_ops.cholesky_grad, factor, g), want, 2000)
    np.testing.assert_array_equal(
        fed(gen_linalg_ops.batch_cholesky_grad, factor, g),
        fed(gen_linalg_ops.cholesky_grad, factor, g),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_cholesky_grad_has_the_limit_of_a_large_diagonal(dtype, sign):
    factor = np.tril(draw(dtype, 4, 4)) + 3 * np.eye(4, dtype=dtype)
    g = draw(dtype, 4, 4, seed=1)
    for i in range(4):
        factor[i, i], large = sign * np.inf, factor.copy()
        large[i, i] = sign * 1e18
        got = fed(gen_linalg_ops.cholesky_grad, factor, g)
        assert np.isfinite(got).all() and got[i, i] == 0
        want = fed(gen_linalg_ops.cholesky_grad, *(np.float64(x) for x in (large, g)))
        close(got, want.astype(dtype))
        factor[i, i] = 3


def test_cholesky_grad_refuses_other_shapes():
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        fed(gen_linalg_ops.cholesky_grad, np.eye(2), np.eye(3))


@pytest.mark.parametrize("dtype", FLOATS)
def test_cholesky_solve(dtype):
    a, b = positive(dtype, 2, 9, 9), draw(dtype, 2, 9, 3, seed=1)
    got = fed(tf.cholesky_solve, fed(tf.cholesky, a), b)
    close(a @ got, b, 3000)
