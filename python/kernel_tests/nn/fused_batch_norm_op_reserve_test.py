# SPDX-License-Identifier: Apache-2.0
"""Outputs that FusedBatchNorm keeps for its gradient: the batch's mean and variance, by channel."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops


@pytest.mark.parametrize("version", ["", "_v2", "_v3"])
def test_the_gradient_gets_the_statistics_of_the_batch(version):
    x = np.random.RandomState(1).normal(size=[3, 4, 5, 6]).astype(np.float32) + 1
    ones, zeros = np.ones(6, np.float32), np.zeros(6, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        op = getattr(gen_nn_ops, f"_fused_batch_norm{version}", None)
        op = op or getattr(gen_nn_ops, f"fused_batch_norm{version}")
        got = session.run(list(op(x, ones, zeros, [], [], epsilon=1e-3)))
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    np.testing.assert_allclose(
        got[0], (x - mean) / np.sqrt(variance + 1e-3), rtol=1e-4, atol=1e-4
    )
    # The variance that goes on to averages is that of a sample.
    want = [mean, variance * 60 / 59, mean, variance]
    for value, expected in zip(got[1:5], want, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
