# SPDX-License-Identifier: Apache-2.0
"""A recurrent network by tf.scan, trained to add bits."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
bits = rng.randint(0, 2, [6, 16, 2]).astype(np.float32)
sums = np.cumsum(bits.sum(2), 0) / 12

with tf.variable_scope(
    "rnn", initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=4)
):
    w_x = tf.get_variable("w_x", [2, 8])
    w_h = tf.get_variable("w_h", [8, 8])
    b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
    w_y = tf.get_variable("w_y", [8, 1])

x = tf.placeholder(tf.float32, [None, 16, 2])
y = tf.placeholder(tf.float32, [None, 16])
states = tf.scan(
    lambda h, x_t: tf.tanh(tf.matmul(x_t, w_x) + tf.matmul(h, w_h) + b),
    x,
    initializer=tf.zeros([16, 8]),
)
outputs = tf.map_fn(lambda h: tf.matmul(h, w_y)[:, 0], states)
loss = tf.losses.mean_squared_error(y, outputs)
optimizer = tf.train.RMSPropOptimizer(0.01)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, norm = tf.clip_by_global_norm(gradients, 0.5)
step = optimizer.apply_gradients(zip(clipped, variables))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(30):
        value, size, _ = session.run([loss, norm, step], {x: bits, y: sums})
        if i % 10 == 0:
            print("loss", i, value, "norm", size)
    print("end", session.run(loss, {x: bits, y: sums}))
