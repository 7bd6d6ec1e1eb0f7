# SPDX-License-Identifier: Apache-2.0
"""tf.data: from arrays, map, filter, shuffle with a seed, batch, repeat; an initializable iterator."""

import tensorflow as tf

limit = tf.placeholder(tf.int64, [])
dataset = (
    tf.data.Dataset.range(limit)
    .map(lambda n: (tf.cast(n, tf.float32) / 10, n * n))
    .filter(lambda x, squared: tf.not_equal(squared % 3, 1))
    .batch(4)
    .repeat(2)
)
iterator = tf.data.make_initializable_iterator(dataset)
x, squared = iterator.get_next()
weight = tf.Variable(1.0)
loss = tf.reduce_mean(tf.square(weight * x - tf.cast(squared, tf.float32) / 100))
step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for size in (12, 20):
        session.run(iterator.initializer, {limit: size})
        batches = 0
        while True:
            try:
                value, _, rows = session.run([loss, step, squared])
            except tf.errors.OutOfRangeError:
                break
            batches += 1
            print("loss", value, "rows", *rows)
        print("batches", batches, "weight", session.run(weight))
