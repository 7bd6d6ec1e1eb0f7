# SPDX-License-Identifier: Apache-2.0
"""A convolutional autoencoder of tf.layers: tied to names of variables, with regularizers and dropout."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(8)
data = np.zeros([16, 8, 8, 1], np.float32)
for picture in data:
    row, column = rng.randint(0, 5, 2)
    picture[row : row + 3, column : column + 3] = 1


def initializer(seed):
    return tf.random_normal_initializer(stddev=0.25, seed=seed)


def penalty(w):
    return 1e-3 * tf.reduce_sum(tf.square(w))


x = tf.placeholder(tf.float32, [None, 8, 8, 1])
training = tf.placeholder_with_default(False, [])
h = tf.layers.conv2d(
    x,
    4,
    3,
    strides=2,
    padding="same",
    activation=tf.nn.relu,
    kernel_initializer=initializer(1),
    kernel_regularizer=penalty,
    name="down",
)
h = tf.layers.max_pooling2d(h, 2, 2)
h = tf.layers.flatten(h)
h = tf.layers.dropout(h, 0.25, training=training, seed=3)
code = tf.layers.dense(h, 6, kernel_initializer=initializer(2), name="code")
h = tf.layers.dense(
    code, 16, tf.nn.relu, kernel_initializer=initializer(3), name="back"
)
h = tf.reshape(h, [-1, 2, 2, 4])
for i, filters in enumerate((4, 1)):
    h = tf.layers.conv2d_transpose(
        h,
        filters,
        3,
        2,
        padding="same",
        activation=None if filters == 1 else tf.nn.relu,
        kernel_initializer=initializer(4 + i),
        name=f"up{i}",
    )
loss = tf.losses.sigmoid_cross_entropy(x, h)
total = tf.losses.get_total_loss()
step = tf.train.AdamOptimizer(0.02).minimize(total)
for variable in tf.trainable_variables():
    print(variable.name, *variable.shape)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(30):
        value, both, _ = session.run([loss, total, step], {x: data})
        if i % 6 == 0:
            print("loss", i, value, both)
    print("code", *session.run(code, {x: data[:1]})[0])
    first = session.run(loss, {x: data, training: True})
    print("dropout differs", first != session.run(loss, {x: data}))
