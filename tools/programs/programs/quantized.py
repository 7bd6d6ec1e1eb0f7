# SPDX-License-Identifier: Apache-2.0
"""Training for eight bits: fake quantization, then the same layer with quantized kernels, and bits packed by hand."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(27)
data = rng.normal(size=[30, 6]).astype(np.float32)
labels = (data[:, 0] * 2 - data[:, 3] > 0).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [6, 4], initializer=tf.random_normal_initializer(0, 0.5, 1))
v = tf.get_variable("v", [4], initializer=tf.random_normal_initializer(0, 0.5, 2))
low = tf.get_variable("low", initializer=0.0)
high = tf.get_variable("high", initializer=3.0)
quantized_w = tf.fake_quant_with_min_max_args(w, -1.5, 1.5, num_bits=4)
hidden = tf.nn.relu(tf.matmul(x, quantized_w))
hidden = tf.fake_quant_with_min_max_vars(hidden, low, high)
logits = tf.tensordot(hidden, v, 1)
loss = tf.losses.sigmoid_cross_entropy(y, logits)
step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

flat_x, flat_w = (
    tf.constant(data[:3]),
    tf.constant(rng.normal(size=[6, 4]).astype(np.float32)),
)
qx, min_x, max_x = tf.quantize_v2(flat_x, -3.0, 3.0, tf.quint8, mode="MIN_FIRST")
back = tf.dequantize(qx, min_x, max_x, mode="MIN_FIRST")
both = tf.quantization.quantize_and_dequantize(
    flat_w, -2.0, 2.0, num_bits=5, range_given=True
)
per_channel = tf.fake_quant_with_min_max_vars_per_channel(
    flat_w, [-1.0, -2.0, -0.5, -1.5], [1.0, 2.0, 0.5, 1.5]
)
joined, low_c, high_c = tf.quantized_concat(0, [qx, qx], [min_x, min_x], [max_x, max_x])
half = tf.cast(tf.constant([1.0, 1.0 / 3, 1e5, 1e-8]), tf.float16)
brain = tf.cast(tf.constant([1.0, 1.0 / 3, 1e38]), tf.bfloat16)
bits = tf.bitwise.bitwise_and(tf.constant([12, 10, 7]), 6)
shifted = tf.bitwise.left_shift(
    tf.constant([1, 2], tf.uint8), tf.constant([7, 7], tf.uint8)
)
reread = tf.bitcast(tf.constant([1.0, -2.0]), tf.int32)
buckets = tf.quantization.quantize(flat_x, -3.0, 3.0, tf.qint8, mode="SCALED")
edges = tf.histogram_fixed_width(flat_x, [-2.0, 2.0], nbins=4)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {x: data, y: labels}
    for i in range(21):
        value, _ = session.run([loss, step], feeds)
        if i % 5 == 0:
            print("loss", i, value)
    print("range", *session.run([low, high]))
    levels = np.unique(session.run(quantized_w))
    print("levels", len(levels) <= 16, levels.min(), levels.max())
    print(
        "quantized", *session.run(qx).astype(int).ravel(), *session.run([min_x, max_x])
    )
    print("error", np.abs(session.run(back) - np.clip(data[:3], -3, 3)).max() < 0.02)
    print("both", *session.run(both).ravel()[:6])
    print("per channel", *session.run(per_channel).ravel()[:6])
    print("joined", *session.run(joined).shape, *session.run([low_c, high_c]))
    print("half", *session.run(tf.cast(half, tf.float32)))
    print("brain", *session.run(tf.cast(brain, tf.float32)))
    print("bits", *session.run(bits), *session.run(shifted), *session.run(reread))
    print("scaled", *session.run(buckets.output).astype(int).ravel()[:6])
    print("histogram", *session.run(edges))
