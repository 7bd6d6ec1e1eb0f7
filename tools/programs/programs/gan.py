# SPDX-License-Identifier: Apache-2.0
"""A generator and a discriminator of one dimension, each with its variables and optimizer."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(6)


def dense(value, size, name, seed):
    w = tf.get_variable(
        f"{name}/w",
        [value.shape[1], size],
        initializer=tf.random_normal_initializer(stddev=0.3, seed=seed),
    )
    b = tf.get_variable(f"{name}/b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(value, w) + b


def generator(z):
    with tf.variable_scope("generator"):
        return dense(tf.nn.softplus(dense(z, 8, "hidden", 1)), 1, "out", 2)


def discriminator(value, reuse=False):
    with tf.variable_scope("discriminator", reuse=reuse):
        return dense(tf.tanh(dense(value, 8, "hidden", 3)), 1, "out", 4)


real = tf.placeholder(tf.float32, [None, 1])
z = tf.placeholder(tf.float32, [None, 1])
fake = generator(z)
d_real, d_fake = discriminator(real), discriminator(fake, reuse=True)


def cross_entropy(logits, value):
    return tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(
            labels=tf.ones_like(logits) * value, logits=logits
        )
    )


d_loss = cross_entropy(d_real, 1.0) + cross_entropy(d_fake, 0.0)
g_loss = cross_entropy(d_fake, 1.0)


def of(scope):
    return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)


d_step = tf.train.GradientDescentOptimizer(0.05).minimize(
    d_loss, var_list=of("discriminator")
)
g_step = tf.train.GradientDescentOptimizer(0.05).minimize(
    g_loss, var_list=of("generator")
)
print("variables", len(of("discriminator")), len(of("generator")))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(60):
        feeds = {real: rng.normal(3, 0.5, [32, 1]), z: rng.uniform(-1, 1, [32, 1])}
        a, _ = session.run([d_loss, d_step], feeds)
        b, _ = session.run([g_loss, g_step], feeds)
        if i % 20 == 0:
            print("losses", i, a, b)
    print(
        "mean of fakes",
        session.run(tf.reduce_mean(fake), {z: np.linspace(-1, 1, 50)[:, None]}),
    )
