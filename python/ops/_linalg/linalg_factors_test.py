# SPDX-License-Identifier: Apache-2.0
"""Matrices given in parts, against SciPy and NumPy."""

import numpy as np
import pytest
import scipy.linalg

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(11)


@pytest.mark.parametrize("shape", [[3, 3], [1, 1], [2, 4, 4], [2, 3, 5, 5]])
def test_a_matrix_comes_back_from_its_factors(shape):
    matrices = _RANDOM.normal(size=shape)
    factors, permutations = [], []
    for matrix in matrices.reshape(-1, *shape[-2:]):
        factor, swaps = scipy.linalg.lu_factor(matrix)
        order = np.arange(len(matrix))
        for i, j in enumerate(swaps):
            order[[i, j]] = order[[j, i]]
        factors.append(factor)
        permutations.append(order)
    got = tf.linalg.lu_reconstruct(
        np.reshape(factors, shape), np.reshape(permutations, shape[:-1]), True
    )
    np.testing.assert_allclose(evaluate(got), matrices, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize(("batch", "m", "n"), [([], 5, 2), ([3], 1, 4), ([2, 2], 4, 1)])
def test_three_diagonals_multiply_as_their_matrix(batch, m, n, dtype):
    matrix = _RANDOM.normal(size=[*batch, m, m]).astype(dtype)
    rhs = _RANDOM.normal(size=[*batch, m, n]).astype(dtype)
    expected = np.triu(np.tril(matrix, 1), -1) @ rhs
    upper, main, lower = np.full([3, *batch, m], 7, dtype)  # 7 where nothing counts.
    main[:] = np.diagonal(matrix, 0, -2, -1)
    upper[..., :-1] = np.diagonal(matrix, 1, -2, -1)
    lower[..., 1:] = np.diagonal(matrix, -1, -2, -1)
    for form, diagonals in {
        "compact": np.stack([upper, main, lower], -2),
        "sequence": [upper, main, lower],
        "matrix": matrix,
    }.items():
        got = tf.linalg.tridiagonal_matmul(diagonals, rhs, form)
        assert got.dtype == dtype
        np.testing.assert_allclose(evaluate(got), expected, rtol=1e-5, atol=1e-6)


def test_mistakes_are_named():
    x = np.ones([3, 3])
    with pytest.raises(ValueError, match="diagonals_format"):
        tf.linalg.tridiagonal_matmul(x, x, "dense")
    with pytest.raises(ValueError, match="three in a sequence"):
        tf.linalg.tridiagonal_matmul([x, x], x, "sequence")
    with pytest.raises(ValueError, match="not compatible|incompatible"):
        tf.linalg.lu_reconstruct(x, [0, 1])
    perm = tf.placeholder(tf.int32, [None])
    matrix = tf.placeholder(tf.float64, [None, None])
    got = tf.linalg.lu_reconstruct(matrix, perm, validate_args=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="each row"):
        evaluate(got, {matrix: x, perm: [0, 1]})
