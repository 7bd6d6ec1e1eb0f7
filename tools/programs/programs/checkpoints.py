# SPDX-License-Identifier: Apache-2.0
"""Training that is interrupted: saved, restored in a new graph, and goes on as if nothing had happened."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()


def build():
    tf.reset_default_graph()
    step = tf.train.get_or_create_global_step()
    v = tf.get_variable("v", initializer=tf.constant([4.0, -3.0]))
    loss = tf.reduce_sum(tf.square(v) + tf.cos(v))
    rate = tf.train.exponential_decay(0.1, step, 5, 0.5, staircase=True)
    train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    return step, loss, train, tf.train.Saver(max_to_keep=2)


step, loss, train, saver = build()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(12):
        session.run(train)
        if i % 4 == 3:
            saver.save(session, os.path.join(folder, "model"), global_step=step)
    print("first", session.run(loss))
step, loss, train, saver = build()
with tf.Session() as session:
    path = tf.train.latest_checkpoint(folder)
    print("latest", os.path.basename(path))
    print("kept", len(tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths))
    saver.restore(session, path)
    print("restored", session.run(step), session.run(loss))
    for _ in range(6):
        session.run(train)
    print("end", session.run(loss))
reader = tf.train.NewCheckpointReader(path)
print("names", *sorted(reader.get_variable_to_shape_map()))
print("v", *reader.get_tensor("v"))
