# SPDX-License-Identifier: Apache-2.0
"""Q-learning in a grid: a network, its frozen copy for targets, a memory of moves, double estimates."""

import collections

import numpy as np
import tensorflow as tf

SIDE, GOAL, MOVES = 4, (3, 3), ((0, 1), (1, 0), (0, -1), (-1, 0))
rng = np.random.RandomState(16)
Move = collections.namedtuple("Move", "state action reward following done")


def one_hot(place):
    return np.eye(SIDE * SIDE, dtype=np.float32)[place[0] * SIDE + place[1]]


def act(place, action):
    """The next place, the reward, and whether the walk is over."""
    there = tuple(np.clip(np.add(place, MOVES[action]), 0, SIDE - 1))
    return there, (1.0 if there == GOAL else -0.04), there == GOAL


def network(state, scope):
    with tf.variable_scope(scope):
        for i, size in enumerate((12, len(MOVES))):
            w = tf.get_variable(
                f"w{i}",
                [state.shape[1], size],
                initializer=tf.variance_scaling_initializer(1.0, seed=i),
            )
            state = tf.matmul(state, w)
            state = tf.nn.tanh(state) if i == 0 else state
    return state


state = tf.placeholder(tf.float32, [None, SIDE * SIDE])
following = tf.placeholder(tf.float32, [None, SIDE * SIDE])
action = tf.placeholder(tf.int32, [None])
reward = tf.placeholder(tf.float32, [None])
done = tf.placeholder(tf.float32, [None])
q = network(state, "online")
with tf.variable_scope("online", reuse=True):
    pass
frozen = network(following, "frozen")
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    ahead = network(following, "online")
best = tf.one_hot(tf.argmax(ahead, 1), len(MOVES))
target = reward + 0.95 * (1.0 - done) * tf.reduce_sum(frozen * best, 1)
places = tf.stack([tf.range(tf.size(action)), action], 1)
chosen = tf.gather_nd(q, places)
loss = tf.losses.huber_loss(tf.stop_gradient(target), chosen)
online_variables = tf.trainable_variables("online")
step = tf.train.AdamOptimizer(0.02).minimize(loss, var_list=online_variables)
pairs = zip(online_variables, tf.trainable_variables("frozen"))
copy = tf.group(*[tf.assign(b, a) for a, b in pairs])

memory = collections.deque(maxlen=300)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(copy)
    place = (0, 0)
    for i in range(300):
        a = rng.randint(len(MOVES))
        there, value, over = act(place, a)
        memory.append(Move(one_hot(place), a, value, one_hot(there), float(over)))
        place = (0, 0) if over else there
    for i in range(120):
        batch = Move(*zip(*[memory[j] for j in rng.randint(len(memory), size=32)]))
        feeds = dict(zip((state, action, reward, following, done), batch))
        value, _ = session.run([loss, step], feeds)
        if i % 10 == 9:
            session.run(copy)
        if i % 24 == 0:
            print("loss", i, value)
    values = session.run(q, {state: np.eye(SIDE * SIDE)})
    print("start", *values[0])
    place, walk = (0, 0), []
    while place != GOAL and len(walk) < 20:
        walk.append(int(values[place[0] * SIDE + place[1]].argmax()))
        place, _, _ = act(place, walk[-1])
    print("arrives", place == GOAL)
