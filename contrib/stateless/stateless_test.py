# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib.stateless: the same seed gives the same numbers, of the distribution that the name says."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

stateless = tf.contrib.stateless


@pytest.mark.parametrize(
    "draw,mean,deviation,most",
    [
        (stateless.stateless_random_uniform, 0.5, 1 / 12**0.5, 1),
        (stateless.stateless_random_normal, 0, 1, 7),
        (stateless.stateless_truncated_normal, 0, 0.88, 2),
    ],
)
def test_draws(draw, mean, deviation, most):
    seed = tf.placeholder(tf.int64, [2])
    drawn = draw([4000], seed=seed)
    with tf.Session() as session:
        first, again, other = (
            session.run(drawn, {seed: s}) for s in ([1, 2], [1, 2], [1, 3])
        )
    np.testing.assert_array_equal(first, again)
    assert (first != other).mean() > 0.99
    assert abs(first.mean() - mean) < 0.06
    assert abs(first.std() - deviation) < 0.06
    assert np.abs(first).max() <= most
