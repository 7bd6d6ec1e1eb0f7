# SPDX-License-Identifier: Apache-2.0
"""The fast gradient sign method against a small network."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(20)
data = rng.normal(size=[60, 8]).astype(np.float32)
truth = (data[:, 0] + data[:, 1] * data[:, 2] > 0).astype(np.int32)
x = tf.placeholder(tf.float32, [None, 8])
y = tf.placeholder(tf.int32, [None])
w1 = tf.Variable(rng.normal(scale=0.4, size=[8, 16]).astype(np.float32))
w2 = tf.Variable(rng.normal(scale=0.4, size=[16, 2]).astype(np.float32))
logits = tf.matmul(tf.nn.selu(tf.matmul(x, w1)), w2)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
step = tf.train.AdamOptimizer(0.02).minimize(loss)
attack = tf.stop_gradient(x + 0.2 * tf.sign(tf.gradients(loss, x)[0]))
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {x: data, y: truth}
    for i in range(60):
        value, _ = session.run([loss, step], feeds)
        if i % 20 == 0:
            print("loss", i, value)
    print("before", session.run(accuracy, feeds), session.run(loss, feeds))
    worse = session.run(attack, feeds)
    print("after", session.run(loss, {x: worse, y: truth}))
    print("moved", np.abs(worse - data).max())
