# SPDX-License-Identifier: Apache-2.0
"""TF-Slim: the README's training loop, a small convolutional network by slim.learning.train."""

import numpy as np
import tensorflow as tf
import tf_slim as slim

random = np.random.RandomState(1)
pictures = random.rand(256, 8, 8, 1).astype(np.float32)
kinds = (pictures[:, :4].mean((1, 2, 3)) > pictures[:, 4:].mean((1, 2, 3))).astype(int)

tf.set_random_seed(1)
images, labels = tf.constant(pictures), tf.one_hot(kinds, 2)
with slim.arg_scope(
    [slim.conv2d, slim.fully_connected],
    activation_fn=tf.nn.relu,
    weights_initializer=tf.truncated_normal_initializer(0.0, 0.1),
    weights_regularizer=slim.l2_regularizer(0.0005),
):
    net = slim.repeat(images, 2, slim.conv2d, 8, [3, 3], scope="conv1")
    net = slim.max_pool2d(net, [2, 2], scope="pool1")
    net = slim.flatten(net)
    net = slim.fully_connected(net, 32, scope="fc2")
    net = slim.dropout(net, 0.9, scope="dropout2")
    predictions = slim.fully_connected(net, 2, activation_fn=None, scope="fc3")
tf.losses.softmax_cross_entropy(labels, predictions)
total_loss = tf.losses.get_total_loss()
optimizer = tf.train.AdamOptimizer(learning_rate=0.01)
train_op = slim.learning.create_train_op(total_loss, optimizer)
names = [v.op.name for v in slim.get_model_variables()]
assert "conv1/conv1_1/weights" in names and "fc3/biases" in names, names

final = slim.learning.train(train_op, "logs", number_of_steps=80, log_every_n_steps=40)
assert final < 0.55, final
saved = tf.train.latest_checkpoint("logs")
assert saved.endswith("-80"), saved
assert tf.train.load_variable(saved, "fc3/weights").shape == (32, 2)
