# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib.resampler: a shift of an image can be learned."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_shift_is_learned():
    rows, columns = np.mgrid[:8, :8].astype(np.float32)
    image = np.sin(0.5 * columns + 0.3 * rows)[None, :, :, None].astype(np.float32)
    points = np.stack([columns, rows], 2)[None, 2:6, 2:6].astype(np.float32)
    shift = tf.Variable([0.0, 0.0])
    moved = tf.contrib.resampler.resampler(image, points + shift)
    wanted = tf.contrib.resampler.resampler(image, points + np.float32([0.75, -0.5]))
    loss = tf.reduce_mean(tf.square(moved - wanted))
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(60):
            session.run(train)
        assert session.run(loss) < 0.05 * before
