# SPDX-License-Identifier: Apache-2.0
"""Batch normalization by hand: moments, moving averages, fused in training and inference."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(16)
data = rng.normal(2.0, 3.0, [20, 4, 4, 3]).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 4, 4, 3])
training = tf.placeholder(tf.bool, [])
scale, offset = tf.Variable(tf.ones([3])), tf.Variable(tf.zeros([3]))
mean, variance = tf.nn.moments(x, [0, 1, 2])
average = tf.train.ExponentialMovingAverage(0.7)


def with_update():
    with tf.control_dependencies([average.apply([mean, variance])]):
        return tf.identity(mean), tf.identity(variance)


used = tf.cond(
    training, with_update, lambda: (average.average(mean), average.average(variance))
)
y = tf.nn.batch_normalization(x, used[0], used[1], offset, scale, 1e-3)
fused, _, _ = tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3)
loss = tf.reduce_mean(tf.square(y - 0.5 * tf.reverse(y, [0])))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[scale, offset])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(6):
        value, _ = session.run([loss, step], {x: data, training: True})
        print("loss", i, value)
    print("inference", session.run(tf.reduce_mean(y), {x: data[:2], training: False}))
    a, b = session.run([y, fused], {x: data, training: True})
    print("fused", float(np.abs(a - b).max() < 1e-4))
    print("scale", *session.run(scale))
