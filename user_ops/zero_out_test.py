# SPDX-License-Identifier: Apache-2.0
"""ZeroOut keeps the first element of an int32 tensor and zeroes the others."""

import subprocess
import sys

import numpy as np
import pytest

import tensorwright as tf


def _run(value):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.user_ops.zero_out(value))


def test_keeps_the_first_element_only():
    result = _run([1, 2, 3])
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, [1, 0, 0])


@pytest.mark.parametrize("shape", [(0,), (1,), (17,), (2, 3), ()])
def test_any_shape(shape):
    value = np.arange(7, 7 + np.prod(shape, dtype=np.int64), dtype=np.int32)
    value = value.reshape(shape)
    expected = np.zeros_like(value)
    expected.reshape(-1)[:1] = value.reshape(-1)[:1]
    np.testing.assert_array_equal(_run(value), expected)


def test_static_shape_is_the_inputs():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [None, 3])
        assert tf.user_ops.zero_out(x).get_shape().as_list() == [None, 3]


def test_other_dtypes_are_refused():
    with tf.Graph().as_default(), pytest.raises(TypeError):
        tf.user_ops.zero_out(tf.constant([1.0, 2.0]))


def test_integers_have_no_gradient():
    with tf.Graph().as_default():
        x = tf.constant([1, 2, 3])
        assert tf.gradients(tf.user_ops.zero_out(x), x) == [None]


def test_a_node_from_a_graph_def_finds_the_gradient_too():
    code = (
        "import tensorwright as tf\n"
        "graph = tf.GraphDef()\n"
        "node = graph.node.add(name='y', op='ZeroOut', input=['x'])\n"
        "x = tf.constant([1, 2])\n"
        "(y,) = tf.import_graph_def(graph, {'x': x}, ['y:0'])\n"
        "assert tf.gradients(y, x) == [None]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_function_is_that_of_zero_out_py():
    assert tf.user_ops.zero_out.__module__ == "tensorwright.python.user_ops.zero_out"
