# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set: complex numbers, tf.where, variables that are assigned."""

import numpy as np
import tensorflow as tf

y, x = np.mgrid[-1.3:1.3:0.1, -2:1:0.1]
xs = tf.constant((x + 1j * y).astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))

session = tf.InteractiveSession()
tf.global_variables_initializer().run()
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(
    zs.assign(tf.where(not_diverged, zs_, zs)),
    ns.assign_add(tf.cast(not_diverged, tf.float32)),
)
for i in range(20):
    step.run()
    if i % 5 == 0:
        print("inside", i, ns.eval().sum())
counts = ns.eval()
print("rows", *counts.sum(1)[::6])
print("most", counts.max(), "least", counts.min())
session.close()
