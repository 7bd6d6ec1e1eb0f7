# SPDX-License-Identifier: Apache-2.0
"""A variational autoencoder with the reparameterization trick; the noise has a seed."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
data = (rng.uniform(size=[40, 10]) < np.linspace(0.1, 0.9, 10)).astype(np.float32)
tf.set_random_seed(11)


def dense(value, rows, columns, seed):
    w = tf.Variable(tf.random_uniform([rows, columns], -0.5, 0.5, seed=seed))
    return tf.matmul(value, w) + tf.Variable(tf.zeros([columns]))


x = tf.placeholder(tf.float32, [None, 10])
hidden = tf.nn.elu(dense(x, 10, 16, 1))
mean, log_sigma = dense(hidden, 16, 2, 2), dense(hidden, 16, 2, 3)
noise = tf.random_normal([40, 2], seed=4)
code = mean + tf.exp(log_sigma) * noise
logits = dense(tf.nn.elu(dense(code, 2, 16, 5)), 16, 10, 6)
reconstruction = tf.reduce_sum(
    tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1
)
divergence = 0.5 * tf.reduce_sum(
    tf.square(mean) + tf.exp(2 * log_sigma) - 2 * log_sigma - 1, 1
)
loss = tf.reduce_mean(reconstruction + divergence)
step = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(40):
        value, _ = session.run([loss, step], {x: data})
        if i % 10 == 0:
            print("loss", i, value)
    print("divergence", session.run(divergence, {x: data}).mean())
