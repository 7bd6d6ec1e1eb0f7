# SPDX-License-Identifier: Apache-2.0
"""Physics in the graph: Runge-Kutta steps in a loop, gradients through time find the length of a pendulum."""

import numpy as np
import tensorflow as tf


def slope(state, length):
    angle, speed = state[..., 0], state[..., 1]
    return tf.stack([speed, -9.81 / length * tf.sin(angle) - 0.1 * speed], -1)


def runge_kutta(state, length, dt):
    a = slope(state, length)
    b = slope(state + dt / 2 * a, length)
    c = slope(state + dt / 2 * b, length)
    d = slope(state + dt * c, length)
    return state + dt / 6 * (a + 2 * b + 2 * c + d)


def swing(start, length, steps, dt=0.05):
    """Every state from a start: [..., 2] -> [steps, ..., 2]."""
    states = tf.TensorArray(start.dtype, steps, clear_after_read=False)

    def body(i, state, states):
        state = runge_kutta(state, length, dt)
        return i + 1, state, states.write(i, state)

    _, _, states = tf.while_loop(
        lambda i, *_: i < steps, body, [0, start, states], back_prop=True
    )
    return states.stack()


start = tf.constant([[1.0, 0.0], [0.5, -1.0]], tf.float64)
real = swing(start, tf.constant(1.7, tf.float64), 30)
guess = tf.get_variable("length", initializer=tf.constant(1.0, tf.float64))
path = swing(start, guess, 30)
loss = tf.reduce_mean(tf.squared_difference(path, real))
step = tf.train.AdamOptimizer(0.05).minimize(loss)
gradient = tf.gradients(loss, guess)[0]
energy = 0.5 * tf.square(path[..., 1] * guess) - 9.81 * guess * tf.cos(path[..., 0])

size, dt = 12, 0.1
grid = tf.Variable(
    np.exp(-((np.arange(size) - 4.0) ** 2)), dtype=tf.float32, name="grid"
)
following = grid + dt * (
    tf.manip.roll(grid, 1, 0) - 2 * grid + tf.manip.roll(grid, -1, 0)
)
heat = tf.assign(grid, following)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print("real", *session.run(real)[-1].ravel())
    change = 1e-5
    value = session.run(gradient)
    at = [session.run(loss, {guess: 1.0 + e}) for e in (change, -change)]
    print("gradient", value, abs(value - (at[0] - at[1]) / (2 * change)) < 1e-5)
    for i in range(41):
        value, length, _ = session.run([loss, guess, step])
        if i % 8 == 0:
            print("loss", i, value, "length", length)
    found = session.run(energy)
    print("energy falls", (found[-1] < found[0]).all())
    for _ in range(10):
        session.run(heat)
    print("heat", session.run(tf.reduce_sum(grid)), *session.run(grid)[:6])
