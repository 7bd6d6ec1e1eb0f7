# SPDX-License-Identifier: Apache-2.0
"""Fact gives one constant string."""

import tensorwright as tf


def test_gives_the_fact():
    with tf.Graph().as_default(), tf.Session() as session:
        fact = tf.user_ops.my_fact()
        assert fact.dtype == tf.string
        assert fact.get_shape().ndims is None
        assert session.run(fact) == b"0! == 1"
