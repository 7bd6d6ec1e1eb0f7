# SPDX-License-Identifier: Apache-2.0
"""Pretty Tensor: the README's chain of layers with a classifier at its end."""

import numpy as np
import prettytensor as pt
import tensorflow as tf

random = np.random.RandomState(1)
pictures = random.rand(320, 4, 4).astype(np.float32)
kinds = np.eye(2)[(pictures[:, 0].sum(1) > 2).astype(int)].astype(np.float32)

tf.set_random_seed(1)
images = tf.placeholder(tf.float32, [32, 4, 4])
labels = tf.placeholder(tf.float32, [32, 2])
with pt.defaults_scope(activation_fn=tf.nn.relu):
    softmax, loss = (
        pt.wrap(images)
        .flatten()
        .fully_connected(32)
        .fully_connected(16)
        .softmax_classifier(2, labels)
    )
accuracy = softmax.evaluate_classifier(labels)
optimizer = tf.train.GradientDescentOptimizer(0.1)
train_op = pt.apply_optimizer(optimizer, losses=[loss])

losses = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(400):
        part = slice(32 * (step % 10), 32 * (step % 10 + 1))
        feed = {images: pictures[part], labels: kinds[part]}
        losses.append(sess.run([train_op, loss], feed)[1])
    shape = sess.run(softmax, feed).shape
    assert shape == (32, 2), shape
    assert 0 <= sess.run(accuracy, feed) <= 1
assert np.mean(losses[-10:]) < 0.7 * np.mean(losses[:10]), (losses[0], losses[-1])
