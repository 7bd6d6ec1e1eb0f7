# SPDX-License-Identifier: Apache-2.0
"""The model of programs/estimator.py in plain operations."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(30)
data = rng.normal(size=[32, 3]).astype(np.float32)
labels = (data @ [1.0, -2.0, 0.5] + 0.3).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
step = tf.train.get_or_create_global_step()
guess = tf.squeeze(tf.matmul(x, w) + b, 1)
loss = tf.losses.mean_squared_error(y, guess)
rate = tf.train.exponential_decay(0.1, step, 5, 0.8)
train = tf.train.MomentumOptimizer(rate, 0.5).minimize(loss, step)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for calls, first in ((10, 0), (8, 10)):
        for i in range(calls):
            rows = slice(8 * (i % 4), 8 * (i % 4) + 8)
            feeds = {x: data[rows], y: labels[rows]}
            value, _ = session.run([loss, train], feeds)
            if (first + i) % 4 == 0:
                print("loss", first + i, value)
    feeds = {x: data, y: labels}
    error = tf.reduce_mean(tf.abs(guess - y))
    print("evaluated", 18, *session.run([loss, error], feeds))
    print("w", *session.run(w).ravel())
    print("guesses", 32, *session.run(guess, feeds)[:3])
    print("served", *session.run(guess, {x: [[1, 1, 1]]}))
