# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib.staging."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_what_is_put_comes_out_in_order():
    area = tf.contrib.staging.StagingArea([tf.int32], shapes=[[]])
    x = tf.placeholder(tf.int32, [])
    put, get, size, clear = area.put([x]), area.get(), area.size(), area.clear()
    with tf.Session() as session:
        for value in (3, 5, 7):
            session.run(put, {x: value})
        assert session.run(size) == 3
        (got,) = tf.nest.flatten(session.run(get))
        assert got == 3 and session.run(size) == 2
        session.run(clear)
        assert session.run(size) == 0
