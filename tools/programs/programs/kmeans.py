# SPDX-License-Identifier: Apache-2.0
"""K-means by segment sums until nothing changes."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(13)
means = np.array([[0, 0], [4, 4], [-4, 3]])
points = np.concatenate([m + rng.normal(size=[30, 2]) for m in means]).astype(
    np.float32
)

data = tf.constant(points)
centers = tf.Variable(points[[0, 1, 70]])
assignments = tf.Variable(tf.zeros([90], tf.int64))
distances = tf.reduce_sum(
    tf.squared_difference(tf.expand_dims(data, 1), tf.expand_dims(centers, 0)), 2
)
best = tf.argmin(distances, 1)
changed = tf.reduce_any(tf.not_equal(best, assignments))
sums = tf.unsorted_segment_sum(data, best, 3)
counts = tf.unsorted_segment_sum(tf.ones([90, 1]), best, 3)
new_centers = sums / tf.maximum(counts, 1.0)
with tf.control_dependencies([changed, new_centers]):
    update = tf.group(centers.assign(new_centers), assignments.assign(best))
loss = tf.reduce_mean(tf.reduce_min(distances, 1))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    rounds = 0
    while True:
        again, _ = session.run([changed, update])
        rounds += 1
        print("loss", rounds, session.run(loss))
        if not again or rounds == 20:
            break
    found = session.run(centers)
    print("centers", *found[np.argsort(found[:, 0])].ravel())
    print("sizes", *np.sort(np.bincount(session.run(assignments))))
