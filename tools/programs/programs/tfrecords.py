# SPDX-License-Identifier: Apache-2.0
"""Examples written to a file of records, and parsed: fixed, variable and sequence features."""

import os
import tempfile

import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "data.tfrecords")


def feature(values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


with tf.python_io.TFRecordWriter(path) as writer:
    for i in range(6):
        example = tf.train.Example()
        example.features.feature["id"].CopyFrom(feature([i]))
        example.features.feature["point"].CopyFrom(feature([i / 2.0, 1.0 - i]))
        if i != 2:
            example.features.feature["tags"].CopyFrom(
                feature([b"t%d" % j for j in range(i)] or [b"none"])
            )
        writer.write(example.SerializeToString())

spec = {
    "id": tf.FixedLenFeature([], tf.int64),
    "point": tf.FixedLenFeature([2], tf.float32),
    "tags": tf.VarLenFeature(tf.string),
    "weight": tf.FixedLenFeature([], tf.float32, default_value=0.5),
}
queue = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
parsed = tf.parse_example(
    tf.train.batch([serialized], 4, allow_smaller_final_batch=True), spec
)
tags = tf.sparse_tensor_to_dense(parsed["tags"], default_value="")
print("records", sum(1 for _ in tf.python_io.tf_record_iterator(path)))
with tf.train.MonitoredSession() as session:
    while not session.should_stop():
        ids, points, weight, words = session.run(
            [parsed["id"], parsed["point"], parsed["weight"], tags]
        )
        print("ids", *ids, "points", *points.ravel(), "weights", *weight)
        print(
            "words",
            words.shape[0],
            words.shape[1],
            *[w.decode() for w in words.ravel() if w],
        )
