# SPDX-License-Identifier: Apache-2.0
"""The model of programs/wide_and_deep.py in plain operations."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(31)
SIZE = 40
ages = rng.uniform(18, 70, SIZE).astype(np.float32)
jobs = rng.choice(["clerk", "smith", "nurse"], SIZE)
labels = ((ages > 40) ^ (jobs == "smith")).astype(np.float32)[:, None]
job = np.eye(3, dtype=np.float32)[[["clerk", "smith", "nurse"].index(j) for j in jobs]]
bucket = np.eye(4, dtype=np.float32)[np.digitize(ages, [30, 40, 50])]


def kernel(*shape):
    numbers = np.cos(np.arange(np.prod(shape))).reshape(shape)
    return tf.Variable((0.5 * numbers).astype(np.float32))


wide = [tf.Variable(tf.zeros(s)) for s in ([4, 1], [3, 1], [1])]
logits = tf.matmul(bucket, wide[0]) + tf.matmul(job, wide[1]) + wide[2]
h = tf.constant(np.concatenate([(ages[:, None] - 40) / 15, job], 1).astype(np.float32))
deep = []
for size in (5, 3, 1):
    deep += [kernel(h.shape.as_list()[1], size), tf.Variable(tf.zeros([size]))]
    h = tf.matmul(h, deep[-2]) + deep[-1]
    h = tf.tanh(h) if size > 1 else h
logits += h
losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
loss, average = tf.reduce_sum(losses), tf.reduce_mean(losses)
step = tf.group(
    tf.train.FtrlOptimizer(0.2).minimize(loss, var_list=wide),
    tf.train.AdagradOptimizer(0.3).minimize(loss, var_list=deep),
)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(4):
        for _ in range(5):
            session.run(step)
        found, out = session.run([average, logits])
        print("loss", 5 * (i + 1), found, np.mean((out > 0) == (labels > 0.5)))
    chance = session.run(tf.sigmoid(logits))
    above = chance[labels > 0.5][:, None] > chance[labels < 0.5]
    print("auc", above.mean() > 0.9)
    print("chances", *np.concatenate([1 - chance, chance], 1)[:3].ravel())
    for i, (rows, columns) in enumerate(((4, 5), (5, 3))):
        print(f"dnn/hiddenlayer_{i}/bias", columns)
        print(f"dnn/hiddenlayer_{i}/kernel", rows, columns)
    print("dnn/logits/bias", 1)
    print("dnn/logits/kernel", 3, 1)
    print("linear/linear_model/age_bucketized/weights", 4, 1)
    print("linear/linear_model/bias_weights", 1)
    print("linear/linear_model/job/weights", 3, 1)
