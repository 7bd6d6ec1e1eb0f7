# SPDX-License-Identifier: Apache-2.0
"""A random forest learns pictures of ten kinds, made of noise around ten patterns.

Which splits a tree draws is its own affair, so only what must hold of any forest is printed.
"""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensor_forest.python import tensor_forest
from tensorflow.python.ops import resources

num_steps = 60
batch_size = 512
num_classes = 10
num_features = 64
num_trees = 10
max_nodes = 400

rng = np.random.RandomState(0)
patterns = rng.uniform(0, 1, [num_classes, num_features])


def next_batch(size):
    labels = rng.randint(num_classes, size=size)
    pictures = patterns[labels] + rng.normal(0, 0.35, [size, num_features])
    return pictures.astype(np.float32), labels.astype(np.int32)


X = tf.placeholder(tf.float32, shape=[None, num_features])
Y = tf.placeholder(tf.int32, shape=[None])

hparams = tensor_forest.ForestHParams(
    num_classes=num_classes,
    num_features=num_features,
    num_trees=num_trees,
    max_nodes=max_nodes,
    base_random_seed=1,
).fill()
forest_graph = tensor_forest.RandomForestGraphs(hparams)
train_op = forest_graph.training_graph(X, Y)
loss_op = forest_graph.training_loss(X, Y)

infer_op, _, _ = forest_graph.inference_graph(X)
correct_prediction = tf.equal(tf.argmax(infer_op, 1), tf.cast(Y, tf.int64))
accuracy_op = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

init_vars = tf.group(
    tf.global_variables_initializer(),
    resources.initialize_resources(resources.shared_resources()),
)

with tf.Session() as sess:
    sess.run(init_vars)
    losses = []
    for _ in range(num_steps):
        batch_x, batch_y = next_batch(batch_size)
        _, loss = sess.run([train_op, loss_op], feed_dict={X: batch_x, Y: batch_y})
        losses.append(loss)
    test_x, test_y = next_batch(2000)
    accuracy = sess.run(accuracy_op, feed_dict={X: test_x, Y: test_y})
    probabilities = sess.run(infer_op, feed_dict={X: test_x})

print("trees grow:", losses[-1] < losses[num_steps // 2] < losses[0])
print("trees stay small:", -losses[-1] <= max_nodes)
print("probabilities:", probabilities.shape, "sum", probabilities.sum(1).mean())
print("accuracy above 0.95:", bool(accuracy > 0.95))
