# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.util: tensors as protos and back, the ops of a graph."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function

pytestmark = pytest.mark.usefixtures("fresh_graph")

util = tf.contrib.util


def test_tensors_become_protos_and_arrays():
    proto = util.make_tensor_proto([[1.0, 2.0]])
    assert util.make_ndarray(proto).tolist() == [[1, 2]]
    assert util.constant_value(tf.constant([3, 4])).tolist() == [3, 4]
    assert util.constant_value(tf.placeholder(tf.float32)) is None


def test_ops_of_functions_are_used_functions_are_not():
    @function.Defun(tf.float32)
    def squared(x):
        return tf.square(x)

    squared(tf.constant(2.0))
    graph = tf.get_default_graph().as_graph_def()
    used = util.ops_used_by_graph_def(graph)
    assert {"Const", "Square"} <= used and squared.name not in used
    stripped = util.stripped_op_list_for_graph(graph)
    assert [op.name for op in stripped.op] == sorted(used)
    assert not any(op.summary for op in stripped.op)
    graph.node.add(name="x", op="NoSuchOp")
    with pytest.raises(ValueError, match="NoSuchOp"):
        util.stripped_op_list_for_graph(graph)
    assert np.array_equal(util.make_ndarray(util.make_tensor_proto(b"x")), b"x")
