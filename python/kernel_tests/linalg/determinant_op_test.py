# SPDX-License-Identifier: Apache-2.0
"""Determinants and their logarithms against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_linalg_ops
from tensorwright.python.testing.op_testing import fed

FLOATS = [np.float32, np.float64, np.complex64, np.complex128]
SHAPES = [(0, 0), (1, 1), (2, 0, 3, 3), (2, 3, 4, 4), (17, 17), (3, 130, 130)]


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
@pytest.mark.parametrize("shape", SHAPES)
def test_determinants(shape, dtype):
    n = shape[-1]
    a = (draw(dtype, *shape) / max(1, n) ** 0.5).astype(dtype)
    want = np.linalg.det(a.astype(np.complex128))
    sign, log = fed(tf.linalg.slogdet, a)
    want_sign, want_log = np.linalg.slogdet(a.astype(np.complex128))
    if np.dtype(dtype).kind == "f":
        want, want_sign = want.real, want_sign.real
    close(fed(tf.matrix_determinant, a, known=True), want.astype(dtype), 5000)
    close(sign, want_sign.astype(dtype), 5000)
    close(log, want_log.astype(dtype), 5000)
    np.testing.assert_array_equal(
        fed(gen_linalg_ops.batch_matrix_determinant, a), fed(tf.matrix_determinant, a)
    )


def test_singular_matrices_have_none():
    a = np.ones([2, 2])
    assert fed(tf.matrix_determinant, a) == 0
    sign, log = fed(tf.linalg.slogdet, a)
    assert sign == 0
    assert log == -np.inf


def test_logdet():
    a = draw(np.float64, 2, 5, 5)
    a = a @ adjoint(a) + np.eye(5)
    close(fed(tf.linalg.logdet, a), np.linalg.slogdet(a)[1])


@pytest.mark.parametrize("op", [tf.matrix_determinant, tf.linalg.slogdet])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_other_shapes_are_refused(shape, op):
    with pytest.raises(
        (tf.errors.InvalidArgumentError, ValueError), match="rank|squar"
    ):
        fed(op, np.zeros(shape))


def test_gradients():
    check_gradient(tf.matrix_determinant, [draw(np.float64, 2, 4, 4)], [0])
    check_gradient(lambda x: tf.linalg.slogdet(x)[1], [draw(np.float64, 4, 4)], [0])

    def parts(a, b):
        z = tf.complex(a, b)
        sign, log = tf.linalg.slogdet(z)
        values = [tf.matrix_determinant(z), sign, log]
        return tf.stack([f(x) for x in values for f in (tf.real, tf.imag)])

    arrays = [draw(np.float64, 3, 3, seed=s) for s in (1, 2)]
    check_gradient(parts, arrays, [0, 1])


def test_second_gradient():
    def slope(x):
        return tf.gradients(tf.matrix_determinant(x), x)[0]

    check_gradient(slope, [draw(np.float64, 3, 3)], [0])
