# SPDX-License-Identifier: Apache-2.0
"""Tests of BytesInUse, BytesLimit and MaxBytesInUse."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_memory_that_a_variable_holds_is_counted():
    stats = tf.contrib.memory_stats
    in_use, most, limit = stats.BytesInUse(), stats.MaxBytesInUse(), stats.BytesLimit()
    # Another step's value, so that no constant is kept instead.
    size = tf.placeholder(tf.int32, [])
    held = tf.Variable(0.0, validate_shape=False)
    fill = tf.assign(held, tf.fill([size], 1.0), validate_shape=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(in_use)
        session.run(fill.op, {size: 4_000_000})
        after, peak, bound = session.run([in_use, most, limit])
    assert after - before >= 16_000_000
    assert peak >= after
    assert bound >= 0 and all(x.dtype == np.int64 for x in (after, peak, bound))
