# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.solvers against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

solvers = tf.contrib.solvers
RNG = np.random.RandomState(9)


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 4, 10])
def test_equations(dtype, n):
    a = RNG.randn(n, n)
    a = (a @ a.T + n * np.eye(n)).astype(dtype)
    b = RNG.randn(n).astype(dtype)
    operator = solvers.util.create_operator(a)
    state = run(solvers.linear_equations.conjugate_gradient(operator, b, 1e-6, 50))
    np.testing.assert_allclose(state.x, np.linalg.solve(a, b), rtol=1e-3, atol=1e-4)
    assert 1 <= state.i <= 2 * n + 1
    np.testing.assert_allclose(state.r, b - a @ state.x, atol=1e-4)


@pytest.mark.parametrize("shape", [(4, 4), (9, 5), (7, 1)])
def test_least_squares(shape):
    a, b = RNG.randn(*shape), RNG.randn(shape[0])
    operator = solvers.util.create_operator(a)
    state = run(solvers.least_squares.cgls(operator, b, 1e-9, 60))
    np.testing.assert_allclose(state.x, np.linalg.lstsq(a, b, rcond=None)[0], rtol=1e-4)


@pytest.mark.parametrize("orthogonalize", [True, False])
@pytest.mark.parametrize("shape", [(6, 6), (7, 4), (4, 7)])
def test_bidiagonal_forms(shape, orthogonalize):
    a = RNG.randn(*shape)
    k = 3
    operator = solvers.util.create_operator(a)
    state = solvers.lanczos.lanczos_bidiag(operator, k, orthogonalize)
    product = solvers.lanczos.bidiag_matmul(state.u, state.alpha, state.beta)
    state, product = run([state, product])
    assert state.u.shape == (shape[0], k + 1) and state.v.shape == (shape[1], k)
    np.testing.assert_allclose(a @ state.v, product, atol=1e-8)
    np.testing.assert_allclose(state.v.T @ state.v, np.eye(k), atol=1e-8)
    np.testing.assert_allclose(state.u.T @ state.u, np.eye(k + 1), atol=1e-8)


def test_an_invariant_space_ends_the_steps():
    a = np.diag([3.0, 0, 0, 0])
    operator = solvers.util.create_operator(a)
    state = run(solvers.lanczos.lanczos_bidiag(operator, 3, starting_vector=[1.0, 0, 0, 0]))  # fmt: skip
    assert state.alpha.tolist() == [3]


def test_vectors():
    x = np.array([[3.0], [4.0]])
    unit, length = run(solvers.util.l2normalize(tf.constant(x)))
    np.testing.assert_allclose(unit, x / 5)
    assert length == 5 and run(solvers.util.dot(x, x)) == 25
    identity = solvers.util.identity_operator(np.eye(2))
    assert run(identity.apply(tf.constant(x))).tolist() == x.tolist()
