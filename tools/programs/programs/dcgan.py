# SPDX-License-Identifier: Apache-2.0
"""A generator of pictures by transposed convolutions against a convolutional discriminator."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)


def normal(seed):
    return tf.random_normal_initializer(stddev=0.2, seed=seed)


def generator(z, size):
    with tf.variable_scope("generator"):
        w = tf.get_variable("project", [4, 2 * 2 * 8], initializer=normal(1))
        x = tf.nn.relu(tf.reshape(tf.matmul(z, w), [-1, 2, 2, 8]))
        w = tf.get_variable("up1", [3, 3, 4, 8], initializer=normal(2))
        x = tf.nn.conv2d_transpose(x, w, [size, 4, 4, 4], [1, 2, 2, 1])
        offset = tf.get_variable("beta", [4], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        x = tf.nn.relu(tf.nn.batch_normalization(x, mean, variance, offset, None, 1e-3))
        w = tf.get_variable("up2", [3, 3, 1, 4], initializer=normal(3))
        return tf.tanh(tf.nn.conv2d_transpose(x, w, [size, 8, 8, 1], [1, 2, 2, 1]))


def discriminator(x):
    with tf.variable_scope("discriminator", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("down1", [3, 3, 1, 4], initializer=normal(4))
        x = tf.nn.leaky_relu(tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), 0.1)
        w = tf.get_variable("down2", [3, 3, 4, 8], initializer=normal(5))
        x = tf.nn.leaky_relu(tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), 0.1)
        w = tf.get_variable("score", [2 * 2 * 8, 1], initializer=normal(6))
        return tf.matmul(tf.reshape(x, [-1, 32]), w)


def pictures(count):
    """Crosses of random strength."""
    found = -np.ones([count, 8, 8, 1], np.float32)
    row, column = rng.randint(2, 6, count), rng.randint(2, 6, count)
    for i in range(count):
        found[i, row[i]] = found[i, :, column[i]] = rng.uniform(0.5, 1)
    return found


SIZE = 8
z = tf.placeholder(tf.float32, [SIZE, 4])
real = tf.placeholder(tf.float32, [SIZE, 8, 8, 1])
fake = generator(z, SIZE)
d_real, d_fake = discriminator(real), discriminator(fake)
d_loss = tf.losses.sigmoid_cross_entropy(
    tf.ones_like(d_real), d_real, label_smoothing=0.1
) + tf.losses.sigmoid_cross_entropy(tf.zeros_like(d_fake), d_fake)
g_loss = tf.losses.sigmoid_cross_entropy(tf.ones_like(d_fake), d_fake)
steps = []
for name, loss in (("discriminator", d_loss), ("generator", g_loss)):
    variables = tf.trainable_variables(name)
    optimizer = tf.train.AdamOptimizer(0.01, beta1=0.5, name=f"adam_{name}")
    steps.append(optimizer.minimize(loss, var_list=variables))
    print(name, *[v.op.name.split("/")[1] for v in variables])
print("losses", len(tf.losses.get_losses()))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(12):
        feeds = {z: rng.normal(size=[SIZE, 4]), real: pictures(SIZE)}
        a, b, *_ = session.run([d_loss, g_loss, *steps[:1]], feeds)
        session.run(steps[1], feeds)
        if i % 3 == 0:
            print("losses", i, a, b)
    made = session.run(fake, {z: np.eye(SIZE, 4)})
    print("made", *made.shape, made.mean(), made.std())
