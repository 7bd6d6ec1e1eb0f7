# SPDX-License-Identifier: Apache-2.0
"""REINFORCE on a corridor: the agent learns to go right."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(9)
state = tf.placeholder(tf.float32, [None, 5])
action = tf.placeholder(tf.int32, [None])
reward = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [5, 2], initializer=tf.zeros_initializer())
logits = tf.matmul(state, w)
policy = tf.nn.softmax(logits)
log_p = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits)
loss = -tf.reduce_mean(log_p * reward)
step = tf.train.AdamOptimizer(0.1).minimize(loss)


def episode(session):
    place, states, actions = 2, [], []
    for _ in range(8):
        row = np.eye(5, dtype=np.float32)[place]
        p = session.run(policy, {state: [row]})[0]
        move = int(rng.uniform() < p[1])
        states.append(row)
        actions.append(move)
        place = min(4, max(0, place + 2 * move - 1))
    return states, actions, place


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    ends = []
    for i in range(25):
        states, actions, end = episode(session)
        ends.append(end)
        gain = np.full(len(states), end - 2.0)
        value, _ = session.run(
            [loss, step], {state: states, action: actions, reward: gain}
        )
        if i % 8 == 0:
            print("loss", i, value, "end", end)
    print("policy", *session.run(policy, {state: np.eye(5)})[:, 1])
    print("ends", np.mean(ends[-8:]))
