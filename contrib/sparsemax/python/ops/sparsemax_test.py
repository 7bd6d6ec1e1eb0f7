# SPDX-License-Identifier: Apache-2.0
"""Sparsemax against the projection found by bisection; the gradients of it and its loss."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

sparsemax, loss = tf.contrib.sparsemax.sparsemax, tf.contrib.sparsemax.sparsemax_loss
Z = np.random.RandomState(4).randn(7, 5) * 2


def projected(z):
    """The point of the simplex nearest to each row."""
    low, high = z.max(1) - 1, z.max(1)
    for _ in range(100):
        tau = (low + high) / 2
        more = np.maximum(z - tau[:, None], 0).sum(1) > 1
        low, high = np.where(more, tau, low), np.where(more, high, tau)
    return np.maximum(z - low[:, None], 0)


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_projections(dtype):
    fed = tf.placeholder(dtype, [None, None])
    got = run(sparsemax(fed), {fed: Z})
    np.testing.assert_allclose(got, projected(Z), atol=1e-5)
    np.testing.assert_allclose(got.sum(1), 1, rtol=1e-5)
    assert (got == 0).any()
    np.testing.assert_allclose(run(sparsemax(np.zeros([1, 4]))), [[0.25] * 4])
    np.testing.assert_allclose(run(sparsemax(Z + 100.0)), projected(Z), atol=1e-9)


def test_gradients():
    z = tf.constant(Z)
    q = np.eye(5)[[0, 1, 2, 3, 4, 0, 1]]
    p = sparsemax(z)
    value = loss(z, p, q)
    gradient = run(tf.gradients(value, z)[0])
    np.testing.assert_allclose(gradient, projected(Z) - q, atol=1e-6)
    with tf.Session():
        assert tf.test.compute_gradient_error(z, Z.shape, p, Z.shape, Z, 1e-6) < 1e-6
    # The loss of a row whose label is its sparsemax is 0.
    np.testing.assert_allclose(run(loss(z, p, p)), 0, atol=1e-9)
    assert (run(value) >= -1e-9).all()
