# SPDX-License-Identifier: Apache-2.0
"""tf2onnx: the README's Python API; ONNX's reference evaluator computes the session's values."""

import numpy as np
import tensorflow as tf
import tf2onnx
from onnx.reference import ReferenceEvaluator

with tf.Session() as sess:
    x = tf.placeholder(tf.float32, [2, 3], name="input")
    w = tf.constant(np.random.RandomState(1).randn(3, 4).astype(np.float32))
    x_ = tf.nn.relu(tf.matmul(tf.add(x, x), w) - 0.5)
    _ = tf.identity(tf.nn.softmax(x_), name="output")
    onnx_graph = tf2onnx.tfonnx.process_tf_graph(
        sess.graph, input_names=["input:0"], output_names=["output:0"]
    )
    model_proto = onnx_graph.make_model("test")
    value = np.random.RandomState(2).rand(2, 3).astype(np.float32)
    expected = sess.run("output:0", {"input:0": value})
(found,) = ReferenceEvaluator(model_proto).run(None, {"input:0": value})
assert np.allclose(found, expected, atol=1e-5), (found, expected)
assert "Softmax" in {node.op_type for node in model_proto.graph.node}
