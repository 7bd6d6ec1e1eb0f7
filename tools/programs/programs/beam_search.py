# SPDX-License-Identifier: Apache-2.0
"""Beam search over a table of transitions with tf.while_loop and top_k."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(21)
words, width, steps = 6, 3, 5
table = rng.normal(size=[words, words]).astype(np.float32)
log_p = tf.nn.log_softmax(tf.constant(table))


def body(t, scores, sequences):
    last = sequences[:, -1]
    all_scores = tf.expand_dims(scores, 1) + tf.gather(log_p, last)
    best, places = tf.nn.top_k(tf.reshape(all_scores, [-1]), width)
    parents, chosen = places // words, places % words
    sequences = tf.concat([tf.gather(sequences, parents), tf.expand_dims(chosen, 1)], 1)
    return t + 1, best, sequences


start = [tf.constant(0), tf.constant([0.0, -1e9, -1e9]), tf.zeros([width, 1], tf.int32)]
_, scores, sequences = tf.while_loop(
    lambda t, *_: t < steps,
    body,
    start,
    shape_invariants=[
        tf.TensorShape([]),
        tf.TensorShape([width]),
        tf.TensorShape([width, None]),
    ],
)
greedy, total = [0], 0.0
with tf.Session() as session:
    p = session.run(log_p)
    for _ in range(steps):
        following = int(p[greedy[-1]].argmax())
        total += p[greedy[-1], following]
        greedy.append(following)
    found, chosen = session.run([scores, sequences])
    print("greedy", *greedy, total)
    for score, sequence in zip(found, chosen):
        print("beam", score, *sequence)
    print("better", bool(found[0] >= total - 1e-5))
