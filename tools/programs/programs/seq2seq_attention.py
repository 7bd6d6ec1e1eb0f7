# SPDX-License-Identifier: Apache-2.0
"""An encoder and a decoder with attention learn to turn sequences around; decoded greedily."""

import numpy as np
import tensorflow as tf

WORDS, UNITS, LENGTH, START = 6, 12, 4, 0
rng = np.random.RandomState(1)
sources = rng.randint(1, WORDS, [24, LENGTH])
targets = sources[:, ::-1]


def uniform(seed):
    return tf.random_uniform_initializer(-0.3, 0.3, seed=seed)


source = tf.placeholder(tf.int32, [None, LENGTH], name="source")
target = tf.placeholder(tf.int32, [None, LENGTH], name="target")
batch = tf.shape(source)[0]
embedding = tf.get_variable("embedding", [WORDS, UNITS], initializer=uniform(1))
with tf.variable_scope("encoder"):
    cell = tf.nn.rnn_cell.GRUCell(
        UNITS, kernel_initializer=uniform(2), bias_initializer=tf.ones_initializer()
    )
    memory, state = tf.nn.dynamic_rnn(
        cell, tf.nn.embedding_lookup(embedding, source), dtype=tf.float32
    )

decoder = tf.nn.rnn_cell.GRUCell(
    UNITS, kernel_initializer=uniform(3), bias_initializer=tf.ones_initializer()
)
w_keys = tf.get_variable("keys", [UNITS, UNITS], initializer=uniform(4))
w_query = tf.get_variable("query", [UNITS, UNITS], initializer=uniform(5))
w_score = tf.get_variable("score", [UNITS], initializer=uniform(6))
w_out = tf.get_variable("out", [2 * UNITS, WORDS], initializer=uniform(7))
keys = tf.tensordot(memory, w_keys, [[2], [0]])


def attend(query):
    """The context for a query, and the weights that made it."""
    hidden = tf.tanh(keys + tf.expand_dims(tf.matmul(query, w_query), 1))
    weights = tf.nn.softmax(tf.reduce_sum(hidden * w_score, 2))
    return tf.reduce_sum(memory * tf.expand_dims(weights, 2), 1), weights


def advance(words, old, context):
    """One step of the decoder: logits, state, context, weights."""
    inputs = tf.concat([tf.nn.embedding_lookup(embedding, words), context], 1)
    with tf.variable_scope("decoder", reuse=tf.AUTO_REUSE):
        output, new = decoder(inputs, old)
    context, weights = attend(output)
    return tf.matmul(tf.concat([output, context], 1), w_out), new, context, weights


start = tf.fill([batch], START)
shifted = tf.concat([tf.expand_dims(start, 1), target[:, :-1]], 1)
logits, now, context = [], state, tf.zeros([batch, UNITS])
for words in tf.unstack(shifted, axis=1):
    scores, now, context, _ = advance(words, now, context)
    logits.append(scores)
loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=target, logits=tf.stack(logits, 1)
    )
)
step = tf.train.AdamOptimizer(0.02).minimize(loss)


def greedy_step(i, words, old, context, found):
    scores, new, context, _ = advance(words, old, context)
    best = tf.argmax(scores, 1, output_type=tf.int32)
    return i + 1, best, new, context, found.write(i, best)


found = tf.TensorArray(tf.int32, LENGTH)
greedy = tf.transpose(
    tf.while_loop(
        lambda i, *_: i < LENGTH,
        greedy_step,
        [0, start, state, tf.zeros([batch, UNITS]), found],
    )[-1].stack()
)
right = tf.reduce_mean(tf.cast(tf.equal(greedy, target), tf.float32))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {source: sources, target: targets}
    for i in range(41):
        value, _ = session.run([loss, step], feeds)
        if i % 8 == 0:
            print("loss", i, value)
    print("right", session.run(right, feeds) > 0.5)
    print("variables", *[v.op.name for v in tf.trainable_variables()])
    print("greedy", *session.run(greedy, feeds)[0], "of", *targets[0])
