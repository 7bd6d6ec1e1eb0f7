# SPDX-License-Identifier: Apache-2.0
"""Sharing variables: scopes, reuse, getters, regularizers, partitioners."""

import numpy as np
import tensorflow as tf


def layer(value, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [value.shape[1], size])
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.1))
        return tf.nn.relu(tf.matmul(value, w) + b)


def model(value):
    return layer(layer(value, 4, "one"), 2, "two")


def regularizer(w):
    return 0.01 * tf.reduce_sum(tf.square(w))


x = tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
with tf.variable_scope(
    "shared",
    initializer=tf.random_uniform_initializer(-1, 1, seed=5),
    regularizer=regularizer,
) as scope:
    first = model(x)
    scope.reuse_variables()
    second = model(2.0 * x)
with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
    parts = tf.get_variable("p", [7, 2], initializer=tf.ones_initializer())
with tf.variable_scope("shared", reuse=True):
    again = tf.get_variable("one/w", [3, 4])
penalty = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
print("variables", *[v.op.name for v in tf.trainable_variables()])
try:
    with tf.variable_scope("shared"):
        tf.get_variable("one/w", [3, 4])
except ValueError as error:
    print("refused", "already exists" in str(error))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    a, b, c = session.run([first, second, penalty])
    print("first", *a.ravel())
    print("second", b.sum(), "penalty", c)
    print(
        "parts",
        session.run(tf.reduce_sum(tf.convert_to_tensor(parts))),
        *[p.shape[0] for p in parts],
    )
    print("again", session.run(again).sum())
