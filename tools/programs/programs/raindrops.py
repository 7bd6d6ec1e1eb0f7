# SPDX-License-Identifier: Apache-2.0
"""Waves on a pond: a partial differential equation with a Laplace kernel."""

import numpy as np
import tensorflow as tf

size = 40
rng = np.random.RandomState(12)
start = np.zeros([size, size], np.float32)
for _ in range(8):
    a, b = rng.randint(0, size, 2)
    start[a, b] = rng.uniform()


def laplace(value):
    kernel = np.array([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]], np.float32)
    value = tf.expand_dims(tf.expand_dims(value, 0), -1)
    found = tf.nn.depthwise_conv2d(
        value, tf.constant(kernel.reshape(3, 3, 1, 1)), [1, 1, 1, 1], "SAME"
    )
    return found[0, :, :, 0]


eps = tf.placeholder(tf.float32, [])
damping = tf.placeholder(tf.float32, [])
u, u_t = tf.Variable(start), tf.Variable(np.zeros_like(start))
new_u = u + eps * u_t
new_u_t = u_t + eps * (laplace(u) - damping * u_t)
with tf.control_dependencies([new_u, new_u_t]):
    step = tf.group(u.assign(new_u), u_t.assign(new_u_t))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(100):
        session.run(step, {eps: 0.03, damping: 0.04})
        if i % 25 == 24:
            found = session.run(u)
            print(
                "pond", i, found.sum(), np.abs(found).max(), found[size // 2, size // 3]
            )
