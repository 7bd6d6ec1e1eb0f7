# SPDX-License-Identifier: Apache-2.0
"""A Gaussian process by Cholesky factors; its length scale is learned by gradients."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(14)
x = np.sort(rng.uniform(-3, 3, [15, 1]))
y = np.sin(x) + 0.1 * rng.normal(size=[15, 1])
log_scale = tf.Variable(tf.zeros([], tf.float64))
log_noise = tf.Variable(tf.constant(-1.0, tf.float64))


def kernel(a, b):
    return tf.exp(
        -0.5 * tf.squared_difference(a, tf.transpose(b)) * tf.exp(-2 * log_scale)
    )


covariance = kernel(x, x) + tf.exp(2 * log_noise) * tf.eye(15, dtype=tf.float64)
factor = tf.cholesky(covariance)
alpha = tf.cholesky_solve(factor, tf.constant(y))
loss = 0.5 * tf.reduce_sum(y * alpha) + tf.reduce_sum(tf.log(tf.diag_part(factor)))
step = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
grid = np.linspace(-3, 3, 5)[:, None]
mean = tf.matmul(kernel(grid, x), alpha)
half = tf.matrix_triangular_solve(factor, kernel(x, grid))
variance = 1.0 - tf.reduce_sum(tf.square(half), 0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(40):
        if i % 10 == 0:
            print("loss", i, session.run(loss))
        session.run(step)
    print("scale", *session.run([log_scale, log_noise]))
    print("mean", *session.run(mean)[:, 0])
    print("variance", *session.run(variance))
    print("determinant", session.run(tf.matrix_determinant(covariance)))
