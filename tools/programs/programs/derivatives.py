# SPDX-License-Identifier: Apache-2.0
"""Hessians, custom gradients, stopped gradients, gradients of gradients."""

import tensorflow as tf

x = tf.Variable([1.0, 2.0, -0.5])
y = tf.reduce_sum(x**3) + x[0] * x[1]
(hessian,) = tf.hessians(y, x)
norm = tf.norm(tf.gradients(y, x)[0])
through = tf.gradients(norm, x)[0]


@tf.custom_gradient
def clipped(value):
    return tf.identity(value), lambda grad: tf.clip_by_value(grad, -0.5, 0.5)


@tf.RegisterGradient("TwiceForPrograms")
def _twice(op, grad):
    return 2 * grad


custom = tf.gradients(tf.reduce_sum(3 * clipped(x)), x)[0]
with tf.get_default_graph().gradient_override_map({"Identity": "TwiceForPrograms"}):
    marked = tf.identity(x)
doubled = tf.gradients(tf.reduce_sum(marked * x), x)[0]
stopped = tf.gradients(tf.stop_gradient(x) * x, x)[0]
weighted = tf.gradients([x * x, 2 * x], x, grad_ys=[[1.0, 0.0, 2.0], [1.0, 1.0, 1.0]])[
    0
]
none = tf.gradients(tf.constant(1.0), x)[0]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print("hessian", *session.run(hessian).ravel())
    print("norm", session.run(norm), *session.run(through))
    print("custom", *session.run(custom))
    print("doubled", *session.run(doubled))
    print("stopped", *session.run(stopped))
    print("weighted", *session.run(weighted))
    print("none", none is None)
