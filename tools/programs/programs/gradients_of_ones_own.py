# SPDX-License-Identifier: Apache-2.0
"""Gradients that are overridden, written by hand, stopped, checked against differences, and used to explain a model."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(20)


@tf.RegisterGradient("GuidedRelu")
def guided_relu(op, grad):
    """Lets positive values pass, forth and back."""
    return tf.where(
        grad > 0,
        tf.where(op.inputs[0] > 0, grad, tf.zeros_like(grad)),
        tf.zeros_like(grad),
    )


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@tf.custom_gradient
def reverse_gradient(x):
    return tf.identity(x), lambda dy: -0.5 * dy


@tf.custom_gradient
def straight_through(x):
    return tf.round(x), lambda dy: dy


image = tf.constant(rng.normal(size=[1, 6, 6, 1]).astype(np.float32))
kernel = tf.constant(rng.normal(size=[3, 3, 1, 4]).astype(np.float32))


def score():
    h = tf.nn.relu(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME"))
    return tf.reduce_sum(tf.reduce_max(h, [1, 2]))


plain = tf.gradients(score(), image)[0]
with tf.get_default_graph().gradient_override_map({"Relu": "GuidedRelu"}):
    guided = tf.gradients(score(), image)[0]

x = tf.constant([-2.0, 0.3, 1.7, 90.0])
y = tf.placeholder(tf.float32, [3])
cubic = tf.reduce_sum(y**3 * tf.reduce_prod(y))
gradient = tf.gradients(cubic, y)[0]
hessian = tf.hessians(cubic, y)[0]
vector = tf.constant([1.0, -1.0, 0.5])
product = tf.gradients(gradient * tf.stop_gradient(vector), y)[0]
steps = np.linspace(0, 1, 9).astype(np.float32)[:, None]
path = tf.constant(steps) * y
inner = tf.gradients(tf.reduce_sum(tf.sigmoid(path) * [1.0, 2.0, 3.0]), path)[0]
attribution = y * tf.reduce_mean(inner, 0)
partly = tf.gradients(x * tf.stop_gradient(x), x)[0]
held = tf.gradients(y * tf.square(y), y, stop_gradients=[])[0]
weighted = tf.gradients([x * x, 3.0 * x], x, grad_ys=[tf.ones_like(x), 2.0 * x])[0]
clipped = tf.clip_by_norm(gradient, 1.0)
jacobian = tf.stack([tf.gradients(tf.sin(y)[i] * y[0], y)[0] for i in range(3)])
unconnected = tf.gradients(tf.constant(1.0), y, unconnected_gradients="zero")[0]
with tf.Session() as session:
    a, b = session.run([plain, guided])
    print("explained", (a * a).sum(), (b * b).sum(), (b != 0).sum())
    for name, value in (
        ("log1pexp", tf.gradients(log1pexp(x), x)[0]),
        ("reversed", tf.gradients(reverse_gradient(x * x), x)[0]),
        ("through", tf.gradients(straight_through(x) * x, x)[0]),
        ("partly", partly),
        ("weighted", weighted),
    ):
        print(name, *session.run(value))
    at = {y: [0.5, -1.0, 2.0]}
    for name, value in (
        ("gradient", gradient),
        ("hessian", hessian),
        ("product", product),
        ("attribution", attribution),
        ("held", held),
        ("clipped", clipped),
        ("jacobian", jacobian),
        ("unconnected", unconnected),
    ):
        print(name, *session.run(value, at).ravel())
    small = tf.constant([0.2, -0.4])
    theory, numeric = tf.test.compute_gradient(small, [2], tf.tanh(small), [2])
    print("checked", np.abs(theory - numeric).max() < 1e-3)
