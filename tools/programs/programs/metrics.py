# SPDX-License-Identifier: Apache-2.0
"""Streaming metrics over batches."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(19)
labels = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
said = tf.cast(scores > 0.5, tf.int64)
pairs = {
    "accuracy": tf.metrics.accuracy(labels, said),
    "auc": tf.metrics.auc(labels, scores),
    "precision": tf.metrics.precision(labels, said),
    "recall": tf.metrics.recall(labels, said),
    "mean": tf.metrics.mean(scores),
    "error": tf.metrics.mean_absolute_error(tf.cast(labels, tf.float32), scores),
    "iou": tf.metrics.mean_iou(labels, said, 2),
    "rms": tf.metrics.root_mean_squared_error(tf.cast(labels, tf.float32), scores),
    "below": tf.metrics.percentage_below(scores, 0.3),
    "false": tf.metrics.false_positives(labels, said),
    "per class": tf.metrics.mean_per_class_accuracy(labels, said, 2),
}
values = {name: pair[0] for name, pair in pairs.items()}
updates = [pair[1] for pair in pairs.values()]
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for i in range(4):
        truth = rng.randint(0, 2, 25)
        guess = np.clip(0.3 * truth + rng.uniform(0, 0.7, 25), 0, 1)
        session.run(updates, {labels: truth, scores: guess})
        if i % 2 == 1:
            for name, value in sorted(session.run(values).items()):
                print(name, i, float(value))
