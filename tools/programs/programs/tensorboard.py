# SPDX-License-Identifier: Apache-2.0
"""Summaries of every kind are written, merged by collection, and read back as TensorBoard reads them."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(19)
x = tf.placeholder(tf.float32, [None, 4], name="x")
with tf.name_scope("layer"):
    w = tf.Variable(np.linspace(-1, 1, 8, dtype=np.float32).reshape(4, 2), name="w")
    y = tf.nn.sigmoid(tf.matmul(x, w), name="y")
    tf.summary.histogram("activations", y)
    with tf.name_scope("statistics"):
        tf.summary.scalar("mean", tf.reduce_mean(y))
        tf.summary.scalar("spread", tf.reduce_max(y) - tf.reduce_min(y))
with tf.name_scope("media"):
    picture = tf.reshape(y, [1, -1, 2, 1])
    tf.summary.image("picture", picture, max_outputs=1, collections=["slow"])
    tone = tf.sin(tf.range(0.0, 50.0, 0.1))[tf.newaxis, :, tf.newaxis]
    tf.summary.audio("tone", tone, 8000, collections=["slow"])
    tf.summary.text("note", tf.constant("all is well"), collections=["slow"])
    tf.summary.tensor_summary("raw", w, collections=["slow"])
often, seldom = tf.summary.merge_all(), tf.summary.merge_all("slow")
step = tf.train.get_or_create_global_step()
further = tf.assign_add(step, 1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(folder, session.graph, filename_suffix=".test")
    for i in range(4):
        feeds = {x: rng.normal(size=[3, 4])}
        text, at = session.run([often, further], feeds)
        writer.add_summary(text, at)
        if i == 3:
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            metadata = tf.RunMetadata()
            text = session.run(seldom, feeds, options=options, run_metadata=metadata)
            writer.add_summary(text, at)
            writer.add_run_metadata(metadata, "last")
    by_hand = tf.Summary(value=[tf.Summary.Value(tag="by_hand", simple_value=2.5)])
    writer.add_summary(by_hand, 9)
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.STOP), 9)
    writer.close()

[name] = os.listdir(folder)
print("file", "tfevents" in name, name.endswith(".test"))
for event in tf.train.summary_iterator(os.path.join(folder, name)):
    what = event.WhichOneof("what")
    if what == "graph_def":
        graph = tf.GraphDef.FromString(event.graph_def)
        named = [n.name for n in graph.node if n.name.startswith("layer/")]
        print("graph", "layer/y" in named, "layer/statistics/mean" in named)
    elif what == "summary":
        for value in event.summary.value:
            kind = value.WhichOneof("value")
            if kind == "simple_value":
                print(event.step, value.tag, value.simple_value)
            elif kind == "histo":
                h = value.histo
                print(event.step, value.tag, h.num, h.min, h.max, h.sum, h.sum_squares)
            elif kind == "image":
                print(event.step, value.tag, value.image.height, value.image.width)
            elif kind == "audio":
                print(
                    event.step,
                    value.tag,
                    value.audio.sample_rate,
                    value.audio.length_frames,
                )
            else:
                dtype = tf.as_dtype(value.tensor.dtype).name
                print(
                    event.step, value.tag, dtype, value.metadata.plugin_data.plugin_name
                )
    else:
        print(event.step, what)
