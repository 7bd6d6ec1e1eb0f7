# SPDX-License-Identifier: Apache-2.0
"""Two convolutions, pooling, dropout with a seed, and Adam."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(2)
labels = rng.randint(0, 2, 32)
images = rng.normal(size=[32, 12, 12, 1]).astype(np.float32)
images[labels == 1, 3:9, 5:7] += 1.5


def weights(*shape):
    return tf.Variable(
        tf.truncated_normal(shape, stddev=0.1, seed=len(shape) + shape[-1])
    )


def conv_pool(value, kernel):
    value = tf.nn.conv2d(value, kernel, strides=[1, 1, 1, 1], padding="SAME")
    value = tf.nn.relu(
        tf.nn.bias_add(value, tf.Variable(tf.constant(0.1, shape=[kernel.shape[-1]])))
    )
    return tf.nn.max_pool(value, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


x = tf.placeholder(tf.float32, [None, 12, 12, 1])
y = tf.placeholder(tf.int64, [None])
keep = tf.placeholder(tf.float32)
net = conv_pool(x, weights(5, 5, 1, 4))
net = conv_pool(net, weights(3, 3, 4, 8))
net = tf.reshape(net, [-1, 3 * 3 * 8])
net = tf.nn.relu(tf.matmul(net, weights(72, 16)))
net = tf.nn.dropout(net, keep, seed=7)
logits = tf.matmul(net, weights(16, 2))
loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
)
step = tf.train.AdamOptimizer(0.005).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(8):
        feeds = {x: images, y: labels, keep: 0.5}
        value, _ = session.run([loss, step], feeds)
        print("loss", i, value)
    print("without dropout", session.run(loss, {x: images, y: labels, keep: 1.0}))
