# SPDX-License-Identifier: Apache-2.0
"""Skip-grams with the NCE loss and seeded candidates."""

import numpy as np
import tensorflow as tf

text = "the quick brown fox jumps over the lazy dog and the quick dog sleeps under the brown tree".split()
words = sorted(set(text))
ids = [words.index(w) for w in text]
pairs = [
    (ids[i], ids[j])
    for i in range(len(ids))
    for j in (i - 1, i + 1)
    if 0 <= j < len(ids)
]
centers = np.array([p[0] for p in pairs])
contexts = np.array([[p[1]] for p in pairs], np.int64)

count, size = len(words), 8
x = tf.placeholder(tf.int32, [None])
y = tf.placeholder(tf.int64, [None, 1])
embeddings = tf.Variable(tf.random_uniform([count, size], -1.0, 1.0, seed=1))
weights = tf.Variable(tf.truncated_normal([count, size], stddev=0.3, seed=2))
biases = tf.Variable(tf.zeros([count]))
embedded = tf.nn.embedding_lookup(embeddings, x)
sampled = tf.nn.log_uniform_candidate_sampler(y, 1, 5, True, count, seed=3)
loss = tf.reduce_mean(
    tf.nn.nce_loss(
        weights,
        biases,
        y,
        embedded,
        num_sampled=5,
        num_classes=count,
        sampled_values=sampled,
    )
)
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
norms = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
similar = tf.matmul(embeddings / norms, embeddings / norms, transpose_b=True)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(50):
        value, _ = session.run([loss, step], {x: centers, y: contexts})
        if i % 10 == 0:
            print("loss", i, value)
    row = session.run(similar)[words.index("quick")]
    print("nearest", np.sort(row)[-3:])
