# SPDX-License-Identifier: Apache-2.0
"""A model exported with signatures, and loaded by tag into a new session."""

import os
import tempfile

import tensorflow as tf

folder = os.path.join(tempfile.mkdtemp(), "export")
with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None], name="x")
    a = tf.Variable(2.0, name="a")
    b = tf.Variable(1.0, name="b")
    y = tf.add(a * x, b, name="y")
    loss = tf.reduce_mean(tf.square(y - [5.0, 9.0]))
    step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(step, {x: [1.0, 2.0]})
    expected = session.run(y, {x: [3.0, 4.0]})
    print("expected", *expected)
    signature = tf.saved_model.signature_def_utils.predict_signature_def(
        {"in": x}, {"out": y}
    )
    builder = tf.saved_model.builder.SavedModelBuilder(folder)
    builder.add_meta_graph_and_variables(
        session, ["serve"], {"serving_default": signature}
    )
    builder.save()
print("files", *sorted(os.listdir(folder)))
with tf.Graph().as_default(), tf.Session() as session:
    meta = tf.saved_model.loader.load(session, ["serve"], folder)
    found = meta.signature_def["serving_default"]
    out = session.run(found.outputs["out"].name, {found.inputs["in"].name: [3.0, 4.0]})
    print("loaded", *out)
    print("method", found.method_name)
    print("variables", *sorted(v.op.name for v in tf.global_variables()))
try:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["nosuch"], folder)
except RuntimeError:
    print("refused")
