# SPDX-License-Identifier: Apache-2.0
"""Solutions of linear systems, inverses and functions of matrices against NumPy and SciPy."""

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


def regular(dtype, *shape, seed=0):
    n = shape[-1]
    return (draw(dtype, *shape, seed=seed) + 2 * n**0.5 * np.eye(n)).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_inverse(shape, flag, dtype):
    a = regular(dtype, *shape)
    got = fed(lambda x: tf.matrix_inverse(x, adjoint=flag), a, known=True)
    turned = adjoint(a) if flag else a
    close(got @ turned, np.broadcast_to(np.eye(shape[-1]), shape), 5000)
    if np.dtype(dtype).kind == "f":
        old = fed(lambda x: gen_linalg_ops.batch_matrix_inverse(x, adjoint=flag), a)
        np.testing.assert_array_equal(old, got)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("k", [1, 9])
@pytest.mark.parametrize("shape", SHAPES)
def test_solve(shape, k, flag, dtype):
    a, b = regular(dtype, *shape), draw(dtype, *shape[:-1], k, seed=1)
    got = fed(lambda x, y: tf.matrix_solve(x, y, adjoint=flag), a, b, known=True)
    close((adjoint(a) if flag else a) @ got, b, 5000)
    if np.dtype(dtype).kind == "f":
        old = fed(
            lambda x, y: gen_linalg_ops.batch_matrix_solve(x, y, adjoint=flag), a, b
        )
        np.testing.assert_array_equal(old, got)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("k", [0, 37])
@pytest.mark.parametrize("shape", SHAPES)
def test_triangular_solve(shape, k, lower, flag, dtype):
    a, b = regular(dtype, *shape), draw(dtype, *shape[:-1], k, seed=1)

    def solve(x, y, op=tf.matrix_triangular_solve):
        return op(x, y, lower=lower, adjoint=flag)

    got = fed(solve, a, b, known=True)
    t = np.tril(a) if lower else np.triu(a)
    close((adjoint(t) if flag else t) @ got, b, 5000)
    if np.dtype(dtype).kind == "f":
        op = gen_linalg_ops.batch_matrix_triangular_solve
        np.testing.assert_array_equal(fed(lambda x, y: solve(x, y, op), a, b), got)


def test_triangular_solve_broadcasts():
    a, b = regular(np.float64, 3, 1, 4, 4), draw(np.float64, 2, 4, 5)
    got = fed(tf.matrix_triangular_solve, a, b, known=True)
    close(np.tril(a) @ got, np.broadcast_to(b, (3, 2, 4, 5)))
    check_gradient(tf.matrix_triangular_solve, [a, b], [0, 1])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        fed(tf.matrix_triangular_solve, regular(np.float64, 3, 4, 4), b)


@pytest.mark.parametrize("op", [tf.matrix_solve, tf.matrix_triangular_solve])
def test_shapes_that_do_not_fit_are_refused(op):
    for a, b in [((2, 3), (2, 1)), ((2, 2), (3, 1)), ((2, 2), (2,)), ((2,), (2, 1))]:
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            fed(op, np.ones(a), np.ones(b))


def test_singular_matrices_are_refused():
    one = np.ones([2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        fed(tf.matrix_inverse, one)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="matrix is not invertible"
    ):
        fed(tf.matrix_solve, np.stack([np.eye(2), one]), np.ones([2, 2, 1]))


@pytest.mark.parametrize("flag", [False, True])
def test_gradients(flag):
    a, b = regular(np.float64, 2, 3, 3), draw(np.float64, 2, 3, 2, seed=1)
    check_gradient(lambda x: tf.matrix_inverse(x, adjoint=flag), [a], [0])
    check_gradient(lambda x, y: tf.matrix_solve(x, y, adjoint=flag), [a, b], [0, 1])
    for lower in (False, True):

        def solve(x, y, lower=lower):
            return tf.matrix_triangular_solve(x, y, lower=lower, adjoint=flag)

        check_gradient(solve, [a, b], [0, 1])

        def parts(p, q, y, lower=lower):
            z, y = tf.complex(p, q), tf.complex(y, 2 * y)
            values = [
                tf.matrix_inverse(z, adjoint=flag),
                tf.matrix_solve(z, y, adjoint=flag),
                tf.matrix_triangular_solve(z, y, lower=lower, adjoint=flag),
            ]
            return tf.concat([f(v) for v in values for f in (tf.real, tf.imag)], -1)

        check_gradient(parts, [a, draw(np.float64, 2, 3, 3), b], [0, 1, 2])


def test_second_gradients():
    def slope(x, y):
        z = tf.reduce_sum(tf.matrix_solve(x, y)) + tf.reduce_sum(tf.matrix_inverse(x))
        return tf.gradients(
            z + tf.reduce_sum(tf.matrix_triangular_solve(x, y) ** 2), x
        )[0]

    arrays = [regular(np.float64, 3, 3), draw(np.float64, 3, 2)]
    check_gradient(slope, arrays, [0, 1])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("l2", [0.0, 0.7])
@pytest.mark.parametrize(
    "shape", [(4, 4), (2, 7, 3), (2, 3, 7), (90, 40), (0, 2), (2, 0)]
)
def test_least_squares(shape, l2, dtype):
    a, b = draw(dtype, *shape), draw(dtype, *shape[:-1], 2, seed=1)
    n = shape[-1]
    got = fed(lambda x, y: tf.matrix_solve_ls(x, y, l2), a, b, known=True)
    if min(shape[-2:]):
        m = shape[-2]
        gram = (adjoint(a) @ a + l2 * np.eye(n)).astype(np.complex128)
        if m < n:
            gram = (a @ adjoint(a) + l2 * np.eye(m)).astype(np.complex128)
            want = adjoint(a) @ np.linalg.solve(gram, b)
        else:
            want = np.linalg.solve(gram, adjoint(a) @ b)
        want = want if np.dtype(dtype).kind == "c" else want.real
        close(got, want.astype(dtype), 20000)
        exact = fed(lambda x, y: tf.matrix_solve_ls(x, y, fast=False), a, b)
        want = np.linalg.pinv(a.astype(np.complex128)) @ b
        want = want if np.dtype(dtype).kind == "c" else want.real
        close(exact, want.astype(dtype), 5000)
    else:
        np.testing.assert_array_equal(got, np.zeros((*shape[:-2], n, 2)))
    if np.dtype(dtype).kind == "f":
        old = gen_linalg_ops.batch_matrix_solve_ls
        np.testing.assert_array_equal(fed(lambda x, y: old(x, y, l2), a, b), got)


def test_least_squares_without_full_rank():
    for shape in ((5, 3), (3, 5)):
        a, b = draw(np.float64, *shape), draw(np.float64, shape[0], 2)
        a[:, 1] = 2 * a[:, 0]
        a[-1] = a[0]
        got = fed(lambda x, y: tf.matrix_solve_ls(x, y, fast=False), a, b)
        close(got, np.linalg.pinv(a) @ b, 5000)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank deficient"):
        fed(tf.matrix_solve_ls, np.zeros([3, 2]), np.ones([3, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="l2_regularizer"):
        fed(
            lambda x, y: tf.matrix_solve_ls(x, y, -1.0),
            np.ones([2, 2]),
            np.ones([2, 1]),
        )


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 3, 3)])
def test_least_squares_gradient(shape):
    arrays = [draw(np.float64, *shape), draw(np.float64, *shape[:-1], 2, seed=1)]
    check_gradient(lambda x, y: tf.matrix_solve_ls(x, y, 0.5), arrays, [0, 1])

    def known(x, y):
        return tf.matrix_solve_ls(tf.reshape(x, shape), y, 0.5)

    check_gradient(known, arrays, [0, 1])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="fast"):
        x = tf.placeholder(tf.float32, [2, 2])
        tf.gradients(tf.matrix_solve_ls(x, x, fast=False), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_functions_of_matrices(n, dtype):
    a = draw(dtype, 2, n, n) / 3
    a = (a @ adjoint(a) + np.eye(n)).astype(dtype)
    root = fed(tf.linalg.sqrtm, a, known=True)
    close(root @ root, a, 3000)
    power = fed(tf.linalg.expm, a)
    want = np.array([scipy.linalg.expm(x) for x in a.astype(np.complex128)])
    want = want.reshape(a.shape)
    want = want if np.dtype(dtype).kind == "c" else want.real
    close(power, want.astype(dtype), 5000)
    if np.dtype(dtype).kind == "c":
        close(fed(tf.linalg.logm, want.astype(dtype)), a, 20000)


def test_matrices_without_a_root_or_logarithm_give_nan():
    for a in (
        np.array([[0.0, 1], [0, 0]]),
        np.array([[np.nan, 1], [1, 0]]),
        np.diag([-1.0, 4]),
    ):
        assert np.isnan(fed(tf.linalg.sqrtm, a)).all()
    for a in (np.zeros([2, 2]), np.full([2, 2], np.inf)):
        assert np.isnan(fed(tf.linalg.logm, a.astype(np.complex128))).all()
    # A complex matrix may have a root that is not real.
    root = fed(tf.linalg.sqrtm, np.diag([-1.0, 4]).astype(np.complex128))
    close(root, np.diag([1j, 2]))


def test_gradients_of_functions():
    a = draw(np.float64, 3, 3)
    a = a @ a.T + np.eye(3)
    check_gradient(tf.linalg.sqrtm, [a], [0])
    check_gradient(tf.linalg.expm, [a / 4], [0])


def test_results_have_the_same_bits_with_one_thread_and_several():
    a, b = regular(np.float32, 300, 300), draw(np.float32, 300, 290)
    spd = (a @ a.T).astype(np.float32)

    def values(threads):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            x, y, z = (
                tf.placeholder(tf.float32),
                tf.placeholder(tf.float32),
                tf.placeholder(tf.float32),
            )
            outputs = [tf.matrix_solve(x, y), tf.cholesky(z), *tf.qr(y), *tf.svd(y)]
            outputs += [*tf.self_adjoint_eig(z), tf.matrix_inverse(x)]
            return session.run(outputs, {x: a, y: b, z: spd})

    for one, several in zip(values(1), values(3), strict=True):
        np.testing.assert_array_equal(one, several)


@pytest.mark.parametrize(
    ("matrix", "rhs", "solution"),
    [
        ([2, 7, 7], None, [2, 7, None]),
        (None, [2, 7, 3], [2, 7, 3]),
        ([None, 7, None], [2, None, 3], [2, 7, 3]),
        (None, None, None),
    ],
)
def test_a_solution_has_the_shape_that_either_side_tells(matrix, rhs, solution):
    a, b = tf.placeholder(tf.float32, matrix), tf.placeholder(tf.float32, rhs)
    shape = tf.matrix_solve(a, b).shape
    assert (None if shape.ndims is None else shape.as_list()) == solution
