# SPDX-License-Identifier: Apache-2.0
"""Self-attention with several heads, masks, positions and layer normalization, trained with a warm-up."""

import numpy as np
import tensorflow as tf

WORDS, LENGTH, SIZE, HEADS = 8, 6, 8, 2
rng = np.random.RandomState(14)
data = rng.randint(1, WORDS, [16, LENGTH])
data[3, 4:] = data[7, 2:] = 0
seeds = iter(range(1, 100))


def dense(x, size, name):
    w = tf.get_variable(
        name, [x.shape[-1], size], initializer=tf.glorot_normal_initializer(next(seeds))
    )
    return tf.einsum("btc,cd->btd", x, w)


def normalize(x, name):
    with tf.variable_scope(name):
        scale = tf.get_variable("scale", [SIZE], initializer=tf.ones_initializer())
        shift = tf.get_variable("shift", [SIZE], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, -1, keep_dims=True)
    return (x - mean) * tf.rsqrt(variance + 1e-6) * scale + shift


def split(x):
    """[batch, time, size] -> [batch, heads, time, size / heads]."""
    shape = tf.shape(x)
    x = tf.reshape(x, [shape[0], shape[1], HEADS, SIZE // HEADS])
    return tf.transpose(x, [0, 2, 1, 3])


def attention(x, bias):
    q, k, v = (split(dense(x, SIZE, n)) for n in "qkv")
    scores = tf.matmul(q, k, transpose_b=True) * (SIZE // HEADS) ** -0.5 + bias
    mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), v), [0, 2, 1, 3])
    return dense(tf.reshape(mixed, [-1, LENGTH, SIZE]), SIZE, "o")


def positions():
    where = tf.range(LENGTH, dtype=tf.float32)[:, tf.newaxis]
    rates = tf.exp(-np.log(100.0) * tf.range(SIZE // 2, dtype=tf.float32) / (SIZE // 2))
    angles = where * rates
    return tf.concat([tf.sin(angles), tf.cos(angles)], 1)


x = tf.placeholder(tf.int32, [None, LENGTH])
table = tf.get_variable(
    "words", [WORDS, SIZE], initializer=tf.truncated_normal_initializer(0, 0.3, seed=50)
)
padding = tf.cast(tf.equal(x, 0), tf.float32)[:, tf.newaxis, tf.newaxis]
future = 1.0 - tf.matrix_band_part(tf.ones([LENGTH, LENGTH]), -1, 0)
bias = -1e9 * tf.maximum(padding, future)
h = tf.gather(table, x) * SIZE**0.5 + positions()
for i in range(2):
    with tf.variable_scope(f"layer{i}"):
        h = normalize(h + attention(h, bias), "norm1")
        inner = dense(tf.nn.relu(dense(h, 16, "in")), SIZE, "out")
        h = normalize(h + inner, "norm2")
logits = tf.tensordot(h, tf.transpose(table), [[2], [0]])
targets = tf.cumsum(x, 1) % WORDS
weights = 1.0 - tf.squeeze(padding, [1, 2])
loss = tf.losses.softmax_cross_entropy(
    tf.one_hot(targets, WORDS), logits, weights=weights, label_smoothing=0.1
)
count = tf.train.get_or_create_global_step()
at = tf.cast(count + 1, tf.float32)
rate = 0.1 * tf.minimum(tf.rsqrt(at), at * 10**-1.5)
step = tf.train.AdamOptimizer(rate, 0.9, 0.98, 1e-9).minimize(loss, count)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(16):
        value, now, _ = session.run([loss, rate, step], {x: data})
        if i % 3 == 0:
            print("loss", i, value, "rate", now)
    out = session.run(logits, {x: data})
    changed = data.copy()
    changed[:, -1] = 1
    moved = np.abs(session.run(logits, {x: changed}) - out)
    print("past untouched", moved[:, :-1].max() < 1e-5, moved[:, -1].max() > 1e-3)
