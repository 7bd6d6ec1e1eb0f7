# SPDX-License-Identifier: Apache-2.0
"""A line through points by gradient descent: placeholders, variables, an optimizer."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
points = rng.uniform(-1, 1, [100]).astype(np.float32)
targets = 0.7 * points - 0.2 + 0.01 * rng.normal(size=100).astype(np.float32)

x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
slope = tf.Variable(0.0, name="slope")
offset = tf.Variable(0.0, name="offset")
loss = tf.reduce_mean(tf.square(slope * x + offset - y))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(40):
        session.run(step, {x: points, y: targets})
        if i % 10 == 0:
            print("loss", i, session.run(loss, {x: points, y: targets}))
    print("line", *session.run([slope, offset]))
