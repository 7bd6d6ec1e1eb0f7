# SPDX-License-Identifier: Apache-2.0
"""Square roots by Newton's method in a tf.while_loop, and their derivatives through it.

Usage: ./run examples/while_loop.py [NUMBER ...]
Prints sqrt(x), its derivative and the iterations taken for each number; exits with 1 if
NumPy disagrees.
"""

from __future__ import annotations

import sys

import numpy as np

import tensorwright as tf


def newton_sqrt(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """(the root, the iterations) of scalar x: y = (y + x / y) / 2 until y^2 is close to x."""

    def unfinished(i: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.logical_and(i < 100, tf.abs(y * y - x) > 1e-12 * x)

    def improve(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return i + 1, (y + x / y) / 2

    iterations, root = tf.while_loop(unfinished, improve, (tf.constant(0), x))
    return root, iterations


def main() -> int:
    numbers = [float(a) for a in sys.argv[1:]] or [2.0, 10.0, 12345.0]
    x = tf.placeholder(tf.float64, [], name="x")
    root, iterations = newton_sqrt(x)
    (slope,) = tf.gradients(root, x)
    with tf.Session() as session:
        for number in numbers:
            y, dy, n = session.run([root, slope, iterations], {x: number})
            print(f"sqrt({number:g}) = {y:.10f}, slope {dy:.10f}, {n} iterations")
            if not np.allclose([y, dy], [number**0.5, 0.5 / number**0.5], rtol=1e-6):
                print("NumPy disagrees", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
