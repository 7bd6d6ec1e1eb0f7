# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification: losses, gradients and decoding."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(18)
steps, batch, classes = 8, 3, 5
logits = tf.Variable(rng.normal(size=[steps, batch, classes]).astype(np.float32))
labels = [[0, 1, 1], [2], [3, 0]]
places = [[i, j] for i, row in enumerate(labels) for j in range(len(row))]
targets = tf.SparseTensor(places, np.array(sum(labels, []), np.int32), [batch, 3])
lengths = tf.constant([8, 5, 7])
losses = tf.nn.ctc_loss(targets, logits, lengths)
loss = tf.reduce_mean(losses)
step = tf.train.MomentumOptimizer(0.3, 0.9).minimize(loss)
(greedy,), score = tf.nn.ctc_greedy_decoder(logits, lengths)
(best,), probability = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=6)
distance = tf.edit_distance(tf.cast(greedy, tf.int32), targets)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print("losses", *session.run(losses))
    for i in range(25):
        value, _ = session.run([loss, step])
        if i % 8 == 0:
            print("loss", i, value)
    print(
        "greedy",
        *session.run(tf.sparse_tensor_to_dense(greedy, default_value=-1)).ravel(),
    )
    print("score", *session.run(score).ravel())
    print(
        "best", *session.run(tf.sparse_tensor_to_dense(best, default_value=-1)).ravel()
    )
    print("distance", *session.run(distance))
