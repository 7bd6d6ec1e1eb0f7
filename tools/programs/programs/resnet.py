# SPDX-License-Identifier: Apache-2.0
"""Residual blocks with batch normalization, momentum and weight decay; running averages serve at the end."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(9)
images = rng.normal(size=[12, 8, 8, 3]).astype(np.float32)
classes = rng.randint(0, 3, 12)
seeds = iter(range(100))


def conv(x, filters, size, strides):
    return tf.layers.conv2d(
        x,
        filters,
        size,
        strides,
        padding="same",
        use_bias=False,
        kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=next(seeds)),
    )


def norm(x, training):
    x = tf.layers.batch_normalization(x, momentum=0.9, epsilon=1e-4, training=training)
    return tf.nn.relu(x)


def block(x, filters, strides, training):
    """Two convolutions and a way around them, normalized first."""
    h = norm(x, training)
    around = x
    if strides != 1 or x.shape[3] != filters:
        around = conv(h, filters, 1, strides)
    h = norm(conv(h, filters, 3, strides), training)
    return around + conv(h, filters, 3, 1)


x = tf.placeholder(tf.float32, [None, 8, 8, 3])
y = tf.placeholder(tf.int32, [None])
training = tf.placeholder(tf.bool, [])
h = conv(x, 4, 3, 1)
for i, (filters, strides) in enumerate([(4, 1), (8, 2), (8, 1)]):
    with tf.variable_scope(f"block{i}"):
        h = block(h, filters, strides, training)
h = tf.reduce_mean(norm(h, training), [1, 2])
logits = tf.layers.dense(
    h, 3, kernel_initializer=tf.random_normal_initializer(stddev=0.2, seed=99)
)
cross = tf.losses.sparse_softmax_cross_entropy(y, logits)
decay = tf.add_n(
    [tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name]
)
loss = cross + 5e-4 * decay
global_step = tf.train.get_or_create_global_step()
rate = tf.train.piecewise_constant(global_step, [4, 8], [0.1, 0.05, 0.01])
optimizer = tf.train.MomentumOptimizer(rate, 0.9)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    step = optimizer.minimize(loss, global_step)
print("updates", len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
print("variables", len(tf.trainable_variables()), len(tf.global_variables()))
print(*[v.op.name for v in tf.trainable_variables("block1")])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {x: images, y: classes}
    for i in range(8):
        value, now, _ = session.run([cross, rate, step], {**feeds, training: True})
        print("loss", i, value, "rate", now)
    print("serving", session.run(cross, {**feeds, training: False}))
    moving = [v for v in tf.global_variables() if "moving_mean" in v.name]
    print("moving", *session.run(moving[-1])[:4])
