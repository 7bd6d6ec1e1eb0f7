# SPDX-License-Identifier: Apache-2.0
"""Columns of features: numbers, buckets, vocabularies, hashes, crosses and embeddings, into a linear and a deep model."""

import numpy as np
import tensorflow as tf

fc = tf.feature_column
rng = np.random.RandomState(28)
SIZE = 24
features = {
    "age": rng.randint(18, 70, SIZE).astype(np.float32),
    "pair": rng.normal(size=[SIZE, 2]).astype(np.float32),
    "job": rng.choice(["clerk", "smith", "nurse", "pilot"], SIZE),
    "town": rng.choice(["Ulm", "Bonn", "Trier", "Jena", "Kiel"], SIZE),
    "code": rng.randint(0, 6, SIZE),
}
labels = ((features["age"] > 40) ^ (features["job"] == "smith")).astype(np.float32)

age = fc.numeric_column("age", normalizer_fn=lambda v: (v - 40.0) / 15.0)
pair = fc.numeric_column("pair", shape=2)
ages = fc.bucketized_column(fc.numeric_column("age"), [25, 35, 45, 60])
job = fc.categorical_column_with_vocabulary_list(
    "job", ["clerk", "smith", "nurse"], num_oov_buckets=1
)
town = fc.categorical_column_with_hash_bucket("town", 7)
code = fc.categorical_column_with_identity("code", 5, default_value=0)
crossed = fc.crossed_column([ages, "job"], 20)
weighted = fc.weighted_categorical_column(
    fc.categorical_column_with_identity("ids", 4), "weights"
)

deep_columns = [
    age,
    pair,
    fc.indicator_column(job),
    fc.embedding_column(town, 3, initializer=tf.constant_initializer(0.1)),
    fc.embedding_column(code, 2, "sqrtn", tf.constant_initializer(-0.2)),
]
wide_columns = [ages, job, town, crossed]
inputs = {name: tf.constant(value) for name, value in features.items()}
wide = fc.linear_model(inputs, wide_columns, units=1)
dense = fc.input_layer(inputs, deep_columns)
w = tf.get_variable(
    "w", [dense.shape[1], 6], initializer=tf.random_normal_initializer(0, 0.3, 3)
)
v = tf.get_variable("v", [6, 1], initializer=tf.random_normal_initializer(0, 0.3, 4))
deep = tf.matmul(tf.nn.relu(tf.matmul(dense, w)), v)
logits = tf.squeeze(wide + deep, 1)
loss = tf.losses.sigmoid_cross_entropy(labels, logits)
wide_variables = tf.get_collection(
    tf.GraphKeys.TRAINABLE_VARIABLES, scope="linear_model"
)
deep_variables = [u for u in tf.trainable_variables() if u not in wide_variables]
step = tf.group(
    tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.001).minimize(
        loss, var_list=wide_variables
    ),
    tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=deep_variables),
)
ids = tf.SparseTensor(
    [[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 3], tf.int64), [2, 2]
)
weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, 1.5], [2, 2])
many = fc.input_layer({"ids": ids, "weights": weights}, [fc.indicator_column(weighted)])
spec = fc.make_parse_example_spec([age, pair, job, town])
print("deep", dense.shape, "wide", wide.shape)
for variable in tf.trainable_variables():
    print(variable.op.name, *variable.shape)
for name in sorted(spec):
    print("parsed", name, type(spec[name]).__name__, spec[name].dtype.name)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print("dense", *session.run(dense)[0])
    print("many", *session.run(many).ravel())
    for i in range(31):
        value, _ = session.run([loss, step])
        if i % 6 == 0:
            print("loss", i, value)
    right = session.run(tf.equal(logits > 0, labels > 0.5)).mean()
    print("right", right > 0.8)
