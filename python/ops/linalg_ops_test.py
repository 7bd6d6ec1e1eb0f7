# SPDX-License-Identifier: Apache-2.0
"""Norms against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

X = np.random.RandomState(0).randn(4, 3, 5)


def run(function, *args, **kwargs):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(function(*args, **kwargs))


@pytest.mark.parametrize("order", ["euclidean", 1, 2, 1.5, 3, np.inf])
def test_vector_norms(order):
    numpy = None if order == "euclidean" else order
    want = np.linalg.norm(X.ravel(), numpy)
    np.testing.assert_allclose(run(tf.norm, X, order), want)
    for axis in (0, 1, -1):
        for keep in (False, True):
            got = run(tf.norm, X, order, axis=axis, keepdims=keep)
            want = np.linalg.norm(X, numpy, axis=axis, keepdims=keep)
            np.testing.assert_allclose(got, want)


@pytest.mark.parametrize("order", ["euclidean", "fro", 1, np.inf])
@pytest.mark.parametrize("axis", [(0, 1), [1, 0], (-2, -1), (2, 0)])
def test_matrix_norms(order, axis):
    numpy = "fro" if order == "euclidean" else order
    for keep in (False, True):
        got = run(tf.linalg.norm, X, order, axis, keep_dims=keep)
        want = np.linalg.norm(X, numpy, axis=tuple(axis), keepdims=keep)
        np.testing.assert_allclose(got, want)


def test_norms_of_complex_numbers_keep_their_dtype():
    x = (X[0] + 1j * X[1]).astype(np.complex64)
    for order, numpy in (("euclidean", None), (1, 1), (np.inf, np.inf)):
        got = run(tf.norm, x, order, axis=1)
        assert got.dtype == np.complex64
        want = np.linalg.norm(x, numpy, axis=1)
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_normalize():
    got, size = run(tf.linalg.normalize, X, axis=1)
    want = np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(size, want)
    np.testing.assert_allclose(got, X / want)


def test_gradient():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(X)
        for order, axis in (("euclidean", None), (3, 1), ("fro", (0, 1))):
            y = tf.norm(x, order, axis=axis)
            shape = y.get_shape().as_list()
            assert tf.test.compute_gradient_error(x, X.shape, y, shape, X) < 1e-5


@pytest.mark.parametrize(
    ("error", "order", "axis"),
    [
        (ValueError, "nuclear", (0, 1)),
        (ValueError, "fro", None),
        (ValueError, 0, None),
        (ValueError, -1, 0),
        (ValueError, 3, (0, 1)),
        (ValueError, 1, (0, 1, 2)),
        (ValueError, 1, (1, 1)),
    ],
)
def test_refusals_name_the_argument(error, order, axis):
    with pytest.raises(error, match="norm: ('ord'|axis)"):
        run(tf.norm, X, order, axis=axis)
