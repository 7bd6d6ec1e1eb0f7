# SPDX-License-Identifier: Apache-2.0
"""A language model: two LSTM layers whose state goes on from batch to batch, clipped gradients, a decaying rate."""

import numpy as np
import tensorflow as tf

VOCABULARY, UNITS, STEPS, BATCH = 12, 10, 5, 4
rng = np.random.RandomState(2)
text = np.cumsum(rng.randint(1, 3, 4 * 61)) % VOCABULARY
text = text.reshape(BATCH, -1)

with tf.variable_scope(
    "model", initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=3)
):
    x = tf.placeholder(tf.int32, [BATCH, STEPS])
    y = tf.placeholder(tf.int32, [BATCH, STEPS])
    embedding = tf.get_variable("embedding", [VOCABULARY, UNITS])
    cells = [tf.nn.rnn_cell.BasicLSTMCell(UNITS, forget_bias=0.5) for _ in range(2)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    start = cell.zero_state(BATCH, tf.float32)
    outputs, end = tf.nn.dynamic_rnn(
        cell, tf.nn.embedding_lookup(embedding, x), initial_state=start
    )
    w = tf.get_variable("softmax_w", [UNITS, VOCABULARY])
    b = tf.get_variable("softmax_b", [VOCABULARY])
    logits = tf.matmul(tf.reshape(outputs, [-1, UNITS]), w) + b

loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.reshape(y, [-1]), logits=logits
    )
)
epoch = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(1.0, epoch, 2, 0.7, staircase=True)
variables = tf.trainable_variables()
gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
step = tf.train.GradientDescentOptimizer(rate).apply_gradients(
    zip(gradients, variables), global_step=tf.train.get_or_create_global_step()
)
following = tf.assign_add(epoch, 1)

for variable in variables:
    print(variable.name, *variable.shape)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(5):
        state, costs = session.run(start), []
        for at in range(0, text.shape[1] - STEPS, STEPS):
            feeds = {
                x: text[:, at : at + STEPS],
                y: text[:, at + 1 : at + STEPS + 1],
                start: state,
            }
            cost, state, _ = session.run([loss, end, step], feeds)
            costs.append(cost)
        print(
            "epoch", i, "rate", session.run(rate), "perplexity", np.exp(np.mean(costs))
        )
        session.run(following)
    print("steps", session.run(tf.train.get_global_step()))
    print("state", *state[1].h[0][:4])
