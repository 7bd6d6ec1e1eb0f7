# SPDX-License-Identifier: Apache-2.0
"""cond, case, while loops in while loops, and gradients through them."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [])
n = tf.placeholder(tf.int32, [])
picked = tf.case(
    [(x < 0, lambda: -x), (x < 1, lambda: x * x)],
    default=lambda: 2.0 * x - 1.0,
    exclusive=False,
)
power = tf.while_loop(lambda i, p: i < n, lambda i, p: (i + 1, p * x), [0, 1.0])[1]


def outer(i, total):
    inner = tf.while_loop(
        lambda j, s: j < i,
        lambda j, s: (j + 1, s + x * tf.cast(j, tf.float32)),
        [0, 0.0],
    )[1]
    return i + 1, total + inner


nested = tf.while_loop(lambda i, t: i < n, outer, [0, 0.0])[1]
branch = tf.cond(tf.equal(n % 2, 0), lambda: tf.sin(x), lambda: tf.cos(x))
values = [picked, power, nested, branch]
gradients = [tf.gradients(v, x)[0] for v in values]
second = tf.gradients(tf.gradients(tf.cond(x > 0, lambda: x**3, lambda: x), x)[0], x)[0]
with tf.Session() as session:
    for at in (-0.5, 0.5, 1.5):
        for times in (0, 3, 4):
            found = session.run([values, gradients], {x: at, n: times})
            print("at", at, times, *found[0], *found[1])
    print("second", session.run(second, {x: 2.0, n: 0}))
