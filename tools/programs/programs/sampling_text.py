# SPDX-License-Identifier: Apache-2.0
"""Letters drawn from a model: temperature, top-k, seeded draws of many kinds, candidates of a sampled softmax."""

import numpy as np
import tensorflow as tf

LETTERS = "abcdefgh"
rng = np.random.RandomState(25)
tf.set_random_seed(31)
table = tf.get_variable(
    "table", [8, 8], initializer=tf.random_normal_initializer(stddev=1.5, seed=2)
)
temperature = tf.placeholder_with_default(1.0, [])


def draw(i, letter, text):
    logits = tf.gather(table, letter) / temperature
    top, places = tf.nn.top_k(logits, 4)
    chosen = tf.multinomial([top], 1, seed=3)[0, 0]
    letter = places[tf.cast(chosen, tf.int32)]
    return i + 1, letter, text.write(i, letter)


_, _, text = tf.while_loop(
    lambda i, *_: i < 12,
    draw,
    [0, 0, tf.TensorArray(tf.int32, 12)],
    parallel_iterations=1,
)
text = text.stack()
pairs = rng.randint(0, 8, [2, 40])
inputs = tf.nn.embedding_lookup(
    tf.get_variable("in", [8, 4], initializer=tf.random_uniform_initializer(-1, 1, 4)),
    pairs[0],
)
weights = tf.get_variable(
    "out", [8, 4], initializer=tf.random_uniform_initializer(-1, 1, 5)
)
biases = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
labels = tf.constant(pairs[1][:, None], tf.int64)
sampled, true_count, sampled_count = tf.nn.log_uniform_candidate_sampler(
    labels, 1, 4, True, 8, seed=7
)
loss = tf.reduce_mean(
    tf.nn.sampled_softmax_loss(
        weights,
        biases,
        labels,
        inputs,
        4,
        8,
        sampled_values=(sampled, true_count, sampled_count),
    )
)
full = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=pairs[1], logits=tf.matmul(inputs, weights, transpose_b=True) + biases
    )
)
step = tf.train.AdagradOptimizer(0.5).minimize(loss)
draws = {
    "normal": tf.random_normal([3], seed=1),
    "truncated": tf.truncated_normal([3], 1.0, 0.5, seed=1),
    "uniform": tf.random_uniform([3], -1, 1, seed=1),
    "whole": tf.random_uniform([4], 0, 100, tf.int32, seed=1),
    "shuffled": tf.random_shuffle(tf.range(7), seed=1),
    "gamma": tf.random_gamma([3], [0.5, 2.0][1], seed=1),
    "poisson": tf.random_poisson(4.0, [4], seed=1),
    "crop": tf.random_crop(tf.range(10), [3], seed=1),
    "learned": tf.nn.learned_unigram_candidate_sampler(
        labels[:2], 1, 3, True, 8, seed=2
    )[0],
    "fixed": tf.nn.fixed_unigram_candidate_sampler(
        labels[:2], 1, 3, True, 8, unigrams=list(range(1, 9)), seed=2
    )[0],
    "stateless": tf.random.stateless_uniform([3], [1, 2]),
    "stateless normal": tf.random.stateless_normal([3], [3, 4]),
    "stateless many": tf.random.stateless_multinomial([[0.0, 1.0]], 6, [5, 6]),
    "dropout": tf.nn.dropout(tf.ones([8]), rate=0.5, seed=4),
}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for heat in (0.5, 1.0, 2.0):
        drawn = session.run(text, {temperature: heat})
        print("text", heat, "".join(LETTERS[i] for i in drawn))
    for name, value in draws.items():
        print(name, *np.ravel(session.run(value)))
    print("candidates", *session.run(sampled))
    for i in range(10):
        value, _ = session.run([loss, step])
        if i % 3 == 0:
            print("loss", i, value, session.run(full))
