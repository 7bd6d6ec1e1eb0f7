# SPDX-License-Identifier: Apache-2.0
"""Dropout after SELU keeps mean and variance; scaled softplus against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

nn = tf.contrib.nn


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize("keep", [0.9, 0.5])
def test_mean_and_variance_stay(keep):
    x = np.random.RandomState(0).randn(200, 500).astype(np.float32)
    x = (x - x.mean()) / x.std()
    fed = tf.placeholder(tf.float32, [])
    number, tensor = run([nn.alpha_dropout(x, keep, seed=1), nn.alpha_dropout(x, fed, seed=1)], {fed: keep})  # fmt: skip
    for got in (number, tensor):
        # Standard errors of both are about 0.003.
        assert abs(got.mean()) < 0.02 and abs(got.var() - 1) < 0.03
        scale = (keep + 1.7580993**2 * keep * (1 - keep)) ** -0.5
        gone = np.isclose(got, scale * 1.7580993 * (1 - keep) - scale * 1.7580993, atol=1e-5)  # fmt: skip
        np.testing.assert_allclose(gone.mean(), 1 - keep, atol=0.01)
        np.testing.assert_allclose(got[~gone], scale * x[~gone] + scale * 1.7580993 * (1 - keep), atol=1e-4)  # fmt: skip


def test_columns_drop_together_and_nothing_drops():
    x = tf.ones([50, 20])
    rows = run(nn.alpha_dropout(x, 0.5, noise_shape=[1, 20], seed=2))
    assert (rows == rows[:1]).all() and len(np.unique(rows)) == 2
    assert nn.alpha_dropout(x, 1.0) is x
    with pytest.raises(ValueError, match="keep_prob"):
        nn.alpha_dropout(x, 0.0)


def test_scaled_softplus():
    x = np.linspace(-3, 3, 7).astype(np.float32)
    got, cut = run([nn.scaled_softplus(x, 0.5), nn.scaled_softplus(x, 0.5, clip=1.0)])
    want = 0.5 * np.log1p(np.exp(x / 0.5))
    np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_allclose(cut, np.minimum(want, 1), rtol=1e-5)
