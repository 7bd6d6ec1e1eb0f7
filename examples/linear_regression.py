# SPDX-License-Identifier: Apache-2.0
"""Fits y = w x + b to noisy points by gradient descent.

Usage: ./run examples/linear_regression.py
Prints the loss as it falls and the line found; exits with 1 unless it is close to the
least-squares solution.
"""

from __future__ import annotations

import sys

import numpy as np

import tensorwright as tf

STEPS = 200


def main() -> int:
    random = np.random.RandomState(0)
    xs = random.uniform(-1, 1, 100).astype(np.float32)
    ys = (3.0 * xs - 1.0 + random.normal(0, 0.1, 100)).astype(np.float32)

    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    w = tf.Variable(0.0, name="w")
    b = tf.Variable(0.0, name="b")
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(1, STEPS + 1):
            _, value = session.run([train, loss], {x: xs, y: ys})
            if step % 50 == 0:
                print(f"step {step:3}/{STEPS}  loss {value:.5f}")
        found = session.run([w, b])
    print(f"y = {found[0]:.3f} x + {found[1]:.3f}")
    best = np.polyfit(xs, ys, 1)
    return 0 if np.allclose(found, best, atol=1e-3) else 1


if __name__ == "__main__":
    sys.exit(main())
