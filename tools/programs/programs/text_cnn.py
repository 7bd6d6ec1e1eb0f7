# SPDX-License-Identifier: Apache-2.0
"""Sentences classified by convolutions of several widths over words, with max over time and seeded dropout."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(13)
LENGTH, WORDS = 9, 15
sentences = rng.randint(0, WORDS, [20, LENGTH])
labels = np.array([int((np.diff(s) == 1).any() or s[0] > 7) for s in sentences])
tf.set_random_seed(21)
graph = tf.get_default_graph()
with tf.name_scope("input"):
    x = tf.placeholder(tf.int32, [None, LENGTH], name="x")
    y = tf.placeholder(tf.int32, [None], name="y")
    keep = tf.placeholder_with_default(1.0, [], name="keep")
with tf.device("/cpu:0"), tf.name_scope("embedding"):
    w = tf.Variable(tf.random_uniform([WORDS, 6], -1.0, 1.0, seed=1), name="w")
    words = tf.nn.embedding_lookup(w, x, max_norm=1.5)
pooled = []
for width in (2, 3, 4):
    with tf.name_scope(f"conv-{width}"):
        kernel = tf.Variable(tf.truncated_normal([width, 6, 5], stddev=0.3, seed=width))
        bias = tf.Variable(tf.constant(0.1, shape=[5]), name="b")
        hidden = tf.nn.conv1d(words, kernel, stride=1, padding="VALID")
        hidden = tf.nn.relu(tf.nn.bias_add(hidden, bias))
        pooled.append(tf.reduce_max(hidden, 1))
flat = tf.concat(pooled, 1)
dropped = tf.nn.dropout(flat, keep_prob=keep, seed=5)
out_w = tf.get_variable(
    "out_w", [15, 2], initializer=tf.glorot_uniform_initializer(seed=6)
)
out_b = tf.get_variable("out_b", [2], initializer=tf.constant_initializer(0.1))
scores = tf.nn.xw_plus_b(dropped, out_w, out_b, name="scores")
one_hot = tf.one_hot(y, 2)
loss = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=one_hot, logits=scores)
)
loss += 0.01 * (tf.nn.l2_loss(out_w) + tf.nn.l2_loss(out_b))
accuracy = tf.reduce_mean(
    tf.cast(tf.equal(tf.argmax(scores, 1, output_type=tf.int32), y), tf.float32)
)
step = tf.train.AdamOptimizer(0.01).minimize(loss)
print("shapes", words.shape, pooled[1].shape, flat.shape)
print("named", graph.get_tensor_by_name("scores:0").op.type, hidden.op.name)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(20):
        feeds = {x: sentences, y: labels, keep: 0.8}
        value, _ = session.run([loss, step], feeds)
        if i % 5 == 0:
            print("loss", i, value)
    print("end", session.run(loss, {x: sentences, y: labels}))
    print("accuracy", session.run(accuracy, {x: sentences, y: labels}) > 0.7)
