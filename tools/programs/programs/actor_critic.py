# SPDX-License-Identifier: Apache-2.0
"""An actor and a critic balance a pole: discounted returns by tf.scan, an entropy bonus, clipped ratios."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(17)


def dense(x, size, name, activation=None):
    w = tf.get_variable(
        f"{name}_w",
        [x.shape[1], size],
        initializer=tf.orthogonal_initializer(seed=size),
    )
    b = tf.get_variable(f"{name}_b", [size], initializer=tf.zeros_initializer())
    x = tf.nn.xw_plus_b(x, w, b)
    return activation(x) if activation else x


states = tf.placeholder(tf.float32, [None, 4])
actions = tf.placeholder(tf.int32, [None])
rewards = tf.placeholder(tf.float32, [None])
old = tf.placeholder(tf.float32, [None])
with tf.variable_scope("shared"):
    hidden = dense(states, 8, "hidden", tf.tanh)
with tf.variable_scope("actor"):
    logits = dense(hidden, 2, "logits")
with tf.variable_scope("critic"):
    value = tf.squeeze(dense(hidden, 1, "value"), 1)
returns = tf.reverse(
    tf.scan(lambda total, r: r + 0.9 * total, tf.reverse(rewards, [0]), 0.0), [0]
)
advantage = tf.stop_gradient(returns - value)
mean, variance = tf.nn.moments(advantage, [0])
advantage = (advantage - mean) * tf.rsqrt(variance + 1e-6)
log_all = tf.nn.log_softmax(logits)
log_chosen = tf.batch_gather(log_all, tf.expand_dims(actions, 1))[:, 0]
ratio = tf.exp(log_chosen - old)
policy_loss = -tf.reduce_mean(
    tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage)
)
entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(log_all) * log_all, 1))
value_loss = tf.losses.mean_squared_error(returns, value, scope="critic_loss")
loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
optimizer = tf.train.AdamOptimizer(0.02)
gradients, variables = zip(*optimizer.compute_gradients(loss))
gradients, norm = tf.clip_by_global_norm(gradients, 0.5)
step = optimizer.apply_gradients(list(zip(gradients, variables)))


def walk(session):
    """One fall of the pole: its states, actions, rewards."""
    s, seen = rng.uniform(-0.05, 0.05, 4), []
    while abs(s[2]) < 0.25 and abs(s[0]) < 2.4 and len(seen) < 40:
        p = np.exp(session.run(log_all, {states: [s]})[0])
        a = int(rng.uniform() < p[1])
        seen.append((s, a, 1.0, np.log(p[a])))
        force = (2 * a - 1) * 10.0
        push = (force + 0.05 * s[3] ** 2 * np.sin(s[2])) / 1.1
        turn = (9.8 * np.sin(s[2]) - np.cos(s[2]) * push) / (
            0.5 * (4 / 3 - 0.1 * np.cos(s[2]) ** 2 / 1.1)
        )
        move = push - 0.05 * turn * np.cos(s[2]) / 1.1
        s = s + 0.02 * np.array([s[1], move, s[3], turn])
    return [np.array(column) for column in zip(*seen)]


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(6):
        batch = walk(session)
        feeds = dict(zip((states, actions, rewards, old), batch))
        for _ in range(3):
            losses = session.run([policy_loss, value_loss, entropy, norm, step], feeds)
        print("steps", len(batch[0]), "losses", *losses[:4])
    print("returns", *session.run(returns, feeds)[:3])
