# SPDX-License-Identifier: Apache-2.0
"""The initializers of tables, run by one operation."""

import tensorwright as tf


def test_the_initializer_of_all_tables_runs_each():
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.tables_initializer())  # Of no tables: nothing.
        states = [tf.Variable(i, trainable=False) for i in range(2)]
        session.run(tf.global_variables_initializer())
        for state in states:
            tf.add_to_collection(
                tf.GraphKeys.TABLE_INITIALIZERS, tf.assign_add(state, 10).op
            )
        initializer = tf.tables_initializer(name="mine")
        assert initializer.name == "mine"
        session.run(initializer)
        assert session.run(states) == [10, 11]
        session.run(tf.initialize_all_tables())
        session.run(tf.initializers.tables_initializer())
        assert session.run(states) == [30, 31]
