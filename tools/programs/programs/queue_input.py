# SPDX-License-Identifier: Apache-2.0
"""Queues filled by threads, batches in order, a coordinator."""

import numpy as np
import tensorflow as tf

features = np.arange(24, dtype=np.float32).reshape(12, 2)
labels = np.arange(12)
queue = tf.FIFOQueue(40, [tf.float32, tf.int32], shapes=[[2], []])
fill = queue.enqueue_many([features, labels])
runner = tf.train.QueueRunner(queue, [fill])
tf.train.add_queue_runner(runner)
row, label = queue.dequeue()
batch, batch_labels = tf.train.batch([tf.square(row), label], 5, num_threads=1)
total = tf.reduce_sum(batch)
w = tf.Variable(tf.ones([2, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(batch, w)))
step = tf.train.GradientDescentOptimizer(1e-7).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        for i in range(5):
            found, value, _ = session.run([batch_labels, loss, step])
            print("batch", *found, "loss", value)
        print("w", *session.run(w)[:, 0])
    finally:
        coordinator.request_stop()
        coordinator.join(threads)
print("stopped", coordinator.should_stop())
