# SPDX-License-Identifier: Apache-2.0
"""An LSTM written with tf.while_loop and TensorArrays, with lengths."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)
batch, steps, inputs, units = 4, 5, 3, 6
data = rng.normal(size=[batch, steps, inputs]).astype(np.float32)
lengths = np.array([5, 2, 4, 1])
kernel = tf.Variable(
    rng.uniform(-0.3, 0.3, [inputs + units, 4 * units]).astype(np.float32)
)
bias = tf.Variable(tf.zeros([4 * units]))

x = tf.placeholder(tf.float32, [None, None, inputs])
length = tf.placeholder(tf.int32, [None])
time_major = tf.transpose(x, [1, 0, 2])
count = tf.shape(time_major)[0]
read = tf.TensorArray(tf.float32, count).unstack(time_major)
write = tf.TensorArray(tf.float32, count)


def body(t, c, h, out):
    i, j, f, o = tf.split(
        tf.matmul(tf.concat([read.read(t), h], 1), kernel) + bias, 4, 1
    )
    new_c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
    new_h = tf.tanh(new_c) * tf.sigmoid(o)
    alive = t < length
    new_c, kept_h = tf.where(alive, new_c, c), tf.where(alive, new_h, h)
    out = out.write(t, tf.where(alive, new_h, tf.zeros_like(new_h)))
    return t + 1, new_c, kept_h, out


zero = tf.zeros([tf.shape(x)[0], units])
_, c, h, out = tf.while_loop(lambda t, *_: t < count, body, [0, zero, zero, write])
outputs = tf.transpose(out.stack(), [1, 0, 2])
loss = tf.reduce_sum(tf.square(outputs)) + tf.reduce_sum(c)
d_kernel, d_bias = tf.gradients(loss, [kernel, bias])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {x: data, length: lengths}
    found, state, value, dk, db = session.run(
        [outputs, h, loss, d_kernel, d_bias], feeds
    )
    print("loss", value)
    print("gradients", np.abs(dk).sum(), np.abs(db).sum())
    print("after the end", np.abs(found[1, 2:]).sum())
    print("state", state[:, 0])
