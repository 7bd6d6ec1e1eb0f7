# SPDX-License-Identifier: Apache-2.0
"""TRFL: the README's Q-learning loss."""

import numpy as np
import tensorflow as tf
import trfl

q_tm1 = tf.get_variable("q_tm1", initializer=[[1.0, 1.0, 0.0], [1.0, 2.0, 0.0]])
q_t = tf.get_variable("q_t", initializer=[[0.0, 1.0, 0.0], [1.0, 2.0, 0.0]])
a_tm1 = tf.constant([0, 1], dtype=tf.int32)
r_t = tf.constant([1, 1], dtype=tf.float32)
pcont_t = tf.constant([0, 1], dtype=tf.float32)

loss, q_learning = trfl.qlearning(q_tm1, a_tm1, r_t, pcont_t, q_t)
reduced_loss = tf.reduce_mean(loss)
train_op = tf.train.AdamOptimizer(learning_rate=1e-1).minimize(reduced_loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run([loss, q_learning.target, q_learning.td_error])
    assert np.allclose(first[1], [1, 3]), first
    assert np.allclose(first[2], [0, 1]), first
    assert np.allclose(first[0], [0, 0.5]), first
    for _ in range(50):
        sess.run(train_op)
    assert sess.run(reduced_loss) < 0.01
