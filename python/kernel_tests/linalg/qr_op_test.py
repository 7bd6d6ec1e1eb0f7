# SPDX-License-Identifier: Apache-2.0
"""QR factors against their product."""

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
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    "shape", [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5, 3), (2, 3, 5), (40, 90), (150, 67)]
)
def test_the_factors_are_orthogonal_and_upper_triangular(shape, full, dtype):
    a = draw(dtype, *shape)
    q, r = fed(lambda x: tf.qr(x, full_matrices=full), a, known=True)
    m, n = shape[-2:]
    k = m if full else min(m, n)
    assert q.shape[-2:] == (m, k)
    assert r.shape[-2:] == (k, n)
    np.testing.assert_array_equal(np.tril(r, -1), 0)
    close(q @ r, a)
    close(adjoint(q) @ q, np.broadcast_to(np.eye(k), (*shape[:-2], k, k)))
    # As LAPACK has it: the diagonal is real, and minus what it was.
    want = np.linalg.qr(a, "complete" if full else "reduced")
    close(np.imag(np.diagonal(r, 0, -2, -1)), np.zeros((*shape[:-2], min(k, n))))
    if np.dtype(dtype).kind == "f" and a.size:
        close(r, want[1], 2000)


def test_a_scalar_is_refused():
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="rank"):
        fed(lambda x: tf.qr(x)[0], np.zeros([3]))


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5), (2, 4, 3)])
def test_gradient(shape):
    def both(x):
        q, r = tf.qr(x)
        return tf.concat([tf.reshape(q, [-1]), tf.reshape(r, [-1])], 0)

    check_gradient(both, [draw(np.float64, *shape)], [0])
    check_gradient(
        lambda x: both(tf.reshape(x, shape)), [draw(np.float64, *shape)], [0]
    )

    def parts(a, b):
        y = both(tf.complex(a, b))
        return tf.stack([tf.real(y), tf.imag(y)])

    check_gradient(parts, [draw(np.float64, *shape, seed=s) for s in (1, 2)], [0, 1])


def test_no_gradient_where_vectors_are_any():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3, 2])
        with pytest.raises(NotImplementedError, match="full_matrices"):
            tf.gradients(tf.qr(x, full_matrices=True)[0], x)
