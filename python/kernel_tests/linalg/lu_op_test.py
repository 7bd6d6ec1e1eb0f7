# SPDX-License-Identifier: Apache-2.0
"""LU factors against their product."""

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


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("index", [tf.int32, tf.int64])
@pytest.mark.parametrize("shape", SHAPES)
def test_product_of_factors_is_the_permuted_matrix(shape, index, dtype):
    a = draw(dtype, *shape)
    lu, p = fed(lambda x: tf.linalg.lu(x, index), a)
    assert p.dtype == index.as_numpy_dtype
    lower = np.tril(lu, -1) + np.eye(shape[-1], dtype=dtype)
    if a.size:
        permuted = np.take_along_axis(a, p[..., None].astype(np.int64), -2)
        close(lower @ np.triu(lu), permuted)
        # Partial pivoting: no factor is larger than 1.
        assert np.abs(np.tril(lu, -1)).max() <= 1 + 1e-5
        close(fed(tf.linalg.lu_reconstruct, lu, p, known=True), a)


def test_solutions_from_factors():
    a, b = draw(np.float64, 2, 5, 5), draw(np.float64, 2, 5, 3, seed=1)
    lu, p = fed(tf.linalg.lu, a)
    for check in (False, True):

        def solve(x, y, z, check=check):
            return tf.linalg.lu_solve(x, y, z, validate_args=check)

        close(a @ fed(solve, lu, p, b, known=True), b, 5000)
    close(fed(tf.linalg.lu_matrix_inverse, lu, p, known=True), np.linalg.inv(a), 5000)
    close(
        a @ fed(tf.linalg.lu_solve, lu, p, b[0], known=True), np.stack([b[0]] * 2), 5000
    )


def test_singular_matrices_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        fed(tf.linalg.lu, np.ones([2, 2]))


def test_gradient():
    check_gradient(lambda x: tf.linalg.lu(x)[0], [draw(np.float64, 2, 4, 4)], [0])
