# SPDX-License-Identifier: Apache-2.0
"""Sonnet 1: "Using existing modules", a multilayer perceptron that is connected to two inputs and shares its variables."""

import numpy as np
import sonnet as snt
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
values = random.rand(64, 4).astype(np.float32)
train_data, train_targets = tf.constant(values[:48]), values[:48].sum(1, keepdims=True)
test_data, test_targets = tf.constant(values[48:]), values[48:].sum(1, keepdims=True)

lin_to_hidden = snt.Linear(output_size=16, name="inp_to_hidden")
hidden_to_out = snt.Linear(output_size=1, name="hidden_to_out")
mlp = snt.Sequential([lin_to_hidden, tf.sigmoid, hidden_to_out])
train_predictions = mlp(train_data)
test_predictions = mlp(test_data)
assert len(snt.get_variables_in_module(lin_to_hidden)) == 2
assert len(tf.trainable_variables()) == 4, tf.trainable_variables()

loss = tf.reduce_mean(tf.square(train_predictions - train_targets))
test_loss = tf.reduce_mean(tf.square(test_predictions - test_targets))
train_op = tf.train.AdamOptimizer(0.05).minimize(loss)
lstm = snt.LSTM(hidden_size=5)
output, state = tf.nn.dynamic_rnn(
    lstm, tf.reshape(train_data, [12, 4, 4]), dtype=tf.float32
)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run(test_loss)
    for _ in range(300):
        sess.run(train_op)
    assert sess.run(test_loss) < 0.1 * first
    assert sess.run(output).shape == (12, 4, 5)
