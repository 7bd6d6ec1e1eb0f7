# SPDX-License-Identifier: Apache-2.0
"""Softmax regression on drawn digits, as the first tutorial has it."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
prototypes = rng.uniform(0, 1, [10, 64])
labels = rng.randint(0, 10, 600)
images = (prototypes[labels] + 0.3 * rng.normal(size=[600, 64])).astype(np.float32)
one_hot = np.eye(10, dtype=np.float32)[labels]

x = tf.placeholder(tf.float32, [None, 64])
w = tf.Variable(tf.zeros([64, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, w) + b)
y_ = tf.placeholder(tf.float32, [None, 10])
cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), axis=[1]))
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

session = tf.InteractiveSession()
tf.global_variables_initializer().run()
for i in range(60):
    batch = slice((i % 6) * 100, (i % 6) * 100 + 100)
    feeds = {x: images[batch], y_: one_hot[batch]}
    if i % 20 == 0:
        print("cross entropy", i, cross_entropy.eval(feeds))
    train_step.run(feeds)
print("accuracy", accuracy.eval({x: images, y_: one_hot}))
session.close()
