# SPDX-License-Identifier: Apache-2.0
"""Python functions as operations, with a gradient of their own."""

import numpy as np
import tensorflow as tf


def clip(value, low):
    return np.maximum(value, low).astype(np.float32)


def clip_grad(op, grad):
    value, low = op.inputs
    kept = tf.cast(value > low, tf.float32)
    return grad * kept, tf.reduce_sum(grad * (1 - kept))


tf.RegisterGradient("ClipForPrograms")(clip_grad)
x = tf.Variable([-1.0, 0.5, 2.0])
low = tf.Variable(0.25)
with tf.get_default_graph().gradient_override_map({"PyFunc": "ClipForPrograms"}):
    y = tf.py_func(clip, [x, low], tf.float32)
y.set_shape([3])
loss = tf.reduce_sum(y * y)
gradients = tf.gradients(loss, [x, low])
calls = []
noted = tf.py_func(
    lambda v: calls.append(v.copy()) or v * 2, [tf.range(3)], tf.range(3).dtype
)
several = tf.py_func(
    lambda: (np.int64(3), b"text", np.float64(1.5)),
    [],
    [tf.int64, tf.string, tf.float64],
)


def fails():
    raise ValueError("on purpose")


failing = tf.py_func(fails, [], tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print("y", *session.run(y), "loss", session.run(loss))
    found = session.run(gradients)
    print("gradients", *found[0], found[1])
    print("noted", *session.run(noted), len(calls))
    number, text, real = session.run(several)
    print("several", number, text.decode(), real)
    try:
        session.run(failing)
    except tf.errors.InvalidArgumentError as error:
        print("failed", "on purpose" in str(error))
