# SPDX-License-Identifier: Apache-2.0
"""A graph frozen to constants, imported into another graph under a prefix, and cut."""

import os
import tempfile

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name="x")
with tf.variable_scope("layer"):
    w = tf.get_variable("w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
    b = tf.get_variable("b", initializer=[0.5, -0.5])
y = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b), name="y")
unused = tf.square(y, name="unused")
data = np.array([[1.0, -1.0, 0.5], [0.2, 0.3, -0.4]], np.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    expected = session.run(y, {x: data})
    frozen = tf.graph_util.convert_variables_to_constants(
        session, tf.get_default_graph().as_graph_def(), ["y"]
    )
names = [node.name for node in frozen.node]
print(
    "frozen",
    "unused" in names,
    "x" in names,
    sum(n.op.startswith("Variable") for n in frozen.node),
)
path = os.path.join(tempfile.mkdtemp(), "graph.pb")
with tf.gfile.GFile(path, "wb") as file:
    file.write(frozen.SerializeToString())
with tf.Graph().as_default() as graph:
    read = tf.GraphDef()
    with tf.gfile.GFile(path, "rb") as file:
        read.ParseFromString(file.read())
    scaled = tf.placeholder(tf.float32, [None, 3])
    (found,) = tf.import_graph_def(read, {"x": scaled * 2.0}, ["y:0"], name="model")
    with tf.Session() as session:
        print("values", *session.run(found, {scaled: data / 2}).ravel())
        print(
            "same",
            bool(np.allclose(session.run("model/y:0", {scaled: data / 2}), expected)),
        )
    print(
        "prefix",
        all(
            n.name.startswith("model/")
            for n in graph.get_operations()
            if "layer" in n.name
        ),
    )
cut = tf.graph_util.extract_sub_graph(frozen, ["x"])
print("cut", len(cut.node))
