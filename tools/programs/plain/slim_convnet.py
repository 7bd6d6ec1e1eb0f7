# SPDX-License-Identifier: Apache-2.0
"""The model of programs/slim_convnet.py in plain operations."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(32)
images = rng.normal(size=[10, 8, 8, 2]).astype(np.float32)
classes = rng.randint(0, 3, 10)
weights, seen = [], []


def variable(name, shape):
    numbers = np.cos(np.arange(np.prod(shape))).reshape(shape)
    w = tf.Variable((0.3 * numbers).astype(np.float32))
    b = tf.Variable(tf.zeros(shape[-1:]))
    weights.append(w)
    seen.extend([(f"net/{name}/weights", shape), (f"net/{name}/biases", shape[-1:])])
    return w, b


def conv(x, name, filters, stride=1):
    w, b = variable(name, [3, 3, x.shape.as_list()[3], filters])
    return tf.nn.elu(tf.nn.conv2d(x, w, [1, stride, stride, 1], "SAME") + b)


def full(x, name, size, activation=tf.nn.elu):
    w, b = variable(name, [x.shape.as_list()[1], size])
    return activation(tf.matmul(x, w) + b)


points = []
h = tf.constant(images)
for name in ("conv1/conv1_1", "conv1/conv1_2"):
    h = conv(h, name, 4)
    points.append((name, h))
h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
points.append(("pool1", h))
h = conv(h, "conv2", 6, 2)
points.append(("conv2", h))
h = tf.reshape(h, [10, -1])
for name, size in (("fc/fc_1", 8), ("fc/fc_2", 5)):
    h = full(h, name, size)
logits = full(h, "logits", 3, tf.identity)
for name, value in points:
    print("point", name, *value.shape)
for name, shape in seen:
    print("variable", name, *shape)
cross = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)
)
loss = cross + 0.01 * tf.add_n([tf.nn.l2_loss(w) for w in weights])
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = [(tf.clip_by_norm(g, 1.0), v) for g, v in optimizer.compute_gradients(loss)]
step = optimizer.apply_gradients(pairs)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(1, 10):
        value, _ = session.run([loss, step])
        if i % 2 == 1:
            print("loss", i, value)
    found = session.run(logits)
    chance = session.run(tf.nn.softmax(logits))[:, 0]
    print("evaluated", (found.argmax(1) == classes).mean(), chance.mean())
