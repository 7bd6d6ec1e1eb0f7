# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Hub 0.7: "Creating a new module", exported to a folder and used from it; nothing is downloaded."""

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub


def module_fn():
    inputs = tf.placeholder(dtype=tf.float32, shape=[None, 5])
    layer1 = tf.layers.dense(inputs, 20, activation=tf.nn.relu)
    layer2 = tf.layers.dense(layer1, 3)
    hub.add_signature(inputs=inputs, outputs=layer2)


spec = hub.create_module_spec(module_fn)
x = np.random.RandomState(1).rand(4, 5).astype(np.float32)
with tf.Graph().as_default():
    module = hub.Module(spec)
    outputs = module(x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        module.export("module", session)
        expected = session.run(outputs)
with tf.Graph().as_default():
    m = hub.Module("module", trainable=True)
    found = m(tf.constant(x))
    loss = tf.reduce_mean(tf.square(found - 1.0))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert found.shape.as_list() in ([4, 3], [None, 3]), found.shape
    assert len(m.variable_map) == 4, m.variable_map
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert np.allclose(session.run(found), expected, atol=1e-6)
        first = session.run(loss)
        for _ in range(50):
            session.run(train_op)
        assert session.run(loss) < 0.5 * first
