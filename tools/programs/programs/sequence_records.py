# SPDX-License-Identifier: Apache-2.0
"""Sequences of different lengths in records: written, parsed, batched by bucket, run through a network with lengths."""

import os
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(29)
path = os.path.join(tempfile.mkdtemp(), "sequences.tfrecord")


def int_feature(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
with tf.python_io.TFRecordWriter(path, options) as writer:
    for number in range(9):
        size = int(rng.randint(1, 7))
        tokens = rng.randint(1, 8, size).tolist()
        vectors = [
            tf.train.Feature(float_list=tf.train.FloatList(value=rng.normal(size=2)))
            for _ in range(size)
        ]
        example = tf.train.SequenceExample(
            context=tf.train.Features(
                feature={"label": int_feature([sum(tokens) % 3])}
            ),
            feature_lists=tf.train.FeatureLists(
                feature_list={
                    "tokens": tf.train.FeatureList(
                        feature=[int_feature([t]) for t in tokens]
                    ),
                    "vectors": tf.train.FeatureList(feature=vectors),
                }
            ),
        )
        writer.write(example.SerializeToString())


def parse(text):
    context, lists = tf.parse_single_sequence_example(
        text,
        {
            "label": tf.FixedLenFeature([], tf.int64),
            "more": tf.VarLenFeature(tf.string),
        },
        {
            "tokens": tf.FixedLenSequenceFeature([], tf.int64),
            "vectors": tf.FixedLenSequenceFeature([2], tf.float32),
        },
    )
    return lists["tokens"], lists["vectors"], tf.size(lists["tokens"]), context["label"]


dataset = (
    tf.data.TFRecordDataset(path, compression_type="GZIP")
    .map(parse, num_parallel_calls=2)
    .apply(
        tf.data.experimental.bucket_by_sequence_length(
            lambda tokens, vectors, size, label: size, [3, 5], [3, 3, 3]
        )
    )
)
iterator = tf.data.make_initializable_iterator(dataset)
tokens, vectors, sizes, labels = iterator.get_next()
embedded = tf.nn.embedding_lookup(
    tf.get_variable("e", [8, 3], initializer=tf.random_normal_initializer(0, 0.4, 1)),
    tokens,
)
inputs = tf.concat([embedded, vectors], 2)
inputs.set_shape([None, None, 5])
w = tf.get_variable(
    "w", [5 + 6, 6], initializer=tf.random_normal_initializer(0, 0.4, 2)
)
b = tf.get_variable("b", [6], initializer=tf.zeros_initializer())


def advance(time, state):
    new = tf.tanh(tf.matmul(tf.concat([inputs[:, time], state], 1), w) + b)
    going = tf.tile(tf.expand_dims(time < sizes, 1), [1, 6])
    return time + 1, tf.where(going, new, state)


batch = tf.shape(tokens)[0]
_, state = tf.while_loop(
    lambda time, _: time < tf.shape(tokens)[1],
    advance,
    [0, tf.zeros([batch, 6])],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 6])],
    swap_memory=True,
)
out = tf.get_variable(
    "out", [6, 3], initializer=tf.random_normal_initializer(0, 0.4, 3)
)
loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.matmul(state, out))
step = tf.train.AdamOptimizer(0.02).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for epoch in range(3):
        session.run(iterator.initializer)
        while True:
            try:
                value, found, _ = session.run([loss, sizes, step])
            except tf.errors.OutOfRangeError:
                break
            print("epoch", epoch, "sizes", *found, "loss", value)
print("records", sum(1 for _ in tf.python_io.tf_record_iterator(path, options)))
