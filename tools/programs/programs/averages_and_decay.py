# SPDX-License-Identifier: Apache-2.0
"""Learning rates that decay, momentum, and averages of variables that are saved in their place."""

import os
import tempfile

import tensorflow as tf

step = tf.Variable(0, trainable=False, dtype=tf.int64)
v = tf.Variable([3.0, -2.0], name="v")
loss = tf.reduce_sum(tf.square(v) * [1.0, 0.3])
rates = {
    "exponential": tf.train.exponential_decay(0.1, step, 4, 0.7),
    "piecewise": tf.train.piecewise_constant(
        step, [tf.constant(3, tf.int64), tf.constant(6, tf.int64)], [0.1, 0.05, 0.01]
    ),
    "polynomial": tf.train.polynomial_decay(0.1, step, 8, 0.01, power=2.0),
    "inverse": tf.train.inverse_time_decay(0.1, step, 3, 0.5),
    "cosine": tf.train.cosine_decay(0.1, step, 8),
    "natural": tf.train.natural_exp_decay(0.1, step, 3, 0.5),
}
train = tf.train.MomentumOptimizer(
    rates["exponential"], 0.8, use_nesterov=True
).minimize(loss, step)
average = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
with tf.control_dependencies([train]):
    both = average.apply([v])
saver = tf.train.Saver(average.variables_to_restore())
folder = tempfile.mkdtemp()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(10):
        session.run(both)
        if i % 3 == 0:
            found = session.run(rates)
            print("rates", i, *[found[name] for name in sorted(found)])
            print("loss", i, session.run(loss))
    print("v", *session.run(v), "average", *session.run(average.average(v)))
    path = saver.save(session, os.path.join(folder, "model"))
    saver.restore(session, path)
    print("restored", *session.run(v))
