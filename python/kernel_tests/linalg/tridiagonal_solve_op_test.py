# SPDX-License-Identifier: Apache-2.0
"""Tridiagonal systems against dense ones."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
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


def dense(diagonals):
    upper, main, lower = (diagonals[..., i, :] for i in range(3))
    n = main.shape[-1]
    out = np.zeros((*main.shape, n), main.dtype)
    at = np.arange(n)
    out[..., at, at] = main
    out[..., at[:-1], at[1:]] = upper[..., :-1]
    out[..., at[1:], at[:-1]] = lower[..., 1:]
    return out


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("pivoting", [False, True])
@pytest.mark.parametrize(
    ("batch", "n", "k"),
    [((), 1, 1), ((2,), 2, 3), ((2, 3), 9, 2), ((), 0, 2), ((), 200, 5)],
)
def test_solutions(batch, n, k, pivoting, dtype):
    d, b = draw(dtype, *batch, 3, n), draw(dtype, *batch, n, k, seed=1)
    d[..., 1, :] += 4

    def solve(x, y):
        return tf.linalg.tridiagonal_solve(x, y, partial_pivoting=pivoting)

    close(dense(d) @ fed(solve, d, b, known=True), b, 2000)


def test_pivots_are_needed_and_taken():
    d = np.array([[1.0, 2, 0], [0, 1, 3], [0, 4, 5]])
    b = draw(np.float64, 3, 2)
    close(dense(d) @ fed(tf.linalg.tridiagonal_solve, d, b), b)
    without = fed(
        lambda x, y: tf.linalg.tridiagonal_solve(x, y, partial_pivoting=False), d, b
    )
    assert np.isnan(without).all()
    assert np.isnan(fed(tf.linalg.tridiagonal_solve, np.zeros([3, 2]), np.eye(2))).all()


def test_formats_and_right_sides():
    d, b = draw(np.float64, 3, 5), draw(np.float64, 5, 2, seed=1)
    d[1] += 4
    want = np.linalg.solve(dense(d), b)
    solve = tf.linalg.tridiagonal_solve
    close(fed(lambda x, y: solve(x, y, "matrix"), dense(d), b, known=True), want)
    close(
        fed(lambda x, y: solve([x[0], x[1], x[2]], y, "sequence"), d, b, known=True),
        want,
    )
    close(
        fed(
            lambda x, y: solve([x[0, :-1], x[1], x[2, 1:]], y, "sequence"),
            d,
            b,
            known=True,
        ),
        want,
    )
    close(fed(solve, d, b[:, 0], known=True), want[:, 0])
    close(fed(lambda x, y: solve(x, y, transpose_rhs=True), d, b.T), want)
    with pytest.raises(ValueError, match="diagonals_format"):
        solve(d, b, "other")


@pytest.mark.parametrize(
    ("d", "b"),
    [((2, 3), (3, 1)), ((3, 3), (2, 1)), ((2, 3, 3), (3, 3, 1)), ((3,), (3, 1))],
)
def test_shapes_that_do_not_fit_are_refused(d, b):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        fed(tf.linalg.tridiagonal_solve, np.ones(d), np.ones(b))


def perturbed(x, y):
    return tf.linalg.tridiagonal_solve(x, y, perturb_singular=True)


def test_perturbation_changes_nothing_but_pivots_of_zero():
    d, b = draw(np.float64, 3, 5), draw(np.float64, 5, 2, seed=1)
    got, want = fed(perturbed, d, b), fed(tf.linalg.tridiagonal_solve, d, b)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_pivot_of_zero_becomes_rounding_of_the_largest_element(dtype):
    # [[1, 3], [1, 3]] x = [1, 2] leaves pivot x1 = 1.
    d, b = np.array([[3, 0], [1, 3], [0, 1]], dtype), np.array([[1], [2]], dtype)
    y = 1 / (3 * np.finfo(dtype).eps)
    np.testing.assert_allclose(fed(perturbed, d, b), [[-3 * y], [y]], rtol=1e-5)


def test_of_nothing_the_pivot_is_the_least_number():
    least = np.finfo(np.float64).tiny
    for zero in (0.0, -0.0):
        got = fed(perturbed, np.float64([[0], [zero], [0]]), np.float64([[least]]))
        np.testing.assert_array_equal(got, [[np.copysign(1, zero)]])


def test_perturbation_needs_pivoting():
    with pytest.raises(tf.errors.InvalidArgumentError, match="partial_pivoting"):
        fed(
            lambda x, y: tf.linalg.tridiagonal_solve(
                x, y, partial_pivoting=False, perturb_singular=True
            ),
            np.ones([3, 2]),
            np.ones([2, 1]),
        )


def test_gradient():
    d, b = draw(np.float64, 2, 3, 4), draw(np.float64, 2, 4, 2, seed=1)
    d[..., 1, :] += 4
    check_gradient(tf.linalg.tridiagonal_solve, [d, b], [0, 1])
    check_gradient(
        lambda x, y: tf.linalg.tridiagonal_solve(x, y, partial_pivoting=False),
        [d, b],
        [0, 1],
    )
