# SPDX-License-Identifier: Apache-2.0
"""A linear model of sparse features: embedding_lookup_sparse, Ftrl with L1."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(15)
rows, ids, places = 30, [], []
for i in range(rows):
    for j, one in enumerate(sorted(rng.choice(20, rng.randint(1, 5), False))):
        places.append([i, j])
        ids.append(one)
ids = np.array(ids)
truth = np.zeros(20)
truth[[2, 5, 11]] = [3.0, -2.0, 4.0]
labels = np.array(
    [
        [sum(truth[ids[k]] for k, p in enumerate(places) if p[0] == i) > 0.5]
        for i in range(rows)
    ]
)

sparse = tf.SparseTensor(places, ids, [rows, 5])
weights = tf.Variable(tf.zeros([20, 1]))
bias = tf.Variable(tf.zeros([1]))
logits = tf.nn.embedding_lookup_sparse(weights, sparse, None, combiner="sum") + bias
loss = tf.reduce_mean(
    tf.nn.sigmoid_cross_entropy_with_logits(
        labels=labels.astype(np.float32), logits=logits
    )
)
step = tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.02).minimize(loss)
right = tf.reduce_mean(tf.cast(tf.equal(logits > 0, labels), tf.float32))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(30):
        value, _ = session.run([loss, step])
        if i % 10 == 0:
            print("loss", i, value)
    found = session.run(weights)[:, 0]
    print("zeros", int((found == 0).sum()), "right", session.run(right))
    print("weights", found[2], found[5], found[11])
