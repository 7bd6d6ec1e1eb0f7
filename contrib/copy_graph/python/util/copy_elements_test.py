# SPDX-License-Identifier: Apache-2.0
"""Elements copied to another graph compute the same values there."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib import copy_graph


def _graphs():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.Variable([1.0, 2.0], name="v", collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])  # fmt: skip # noqa: E501
        w = tf.Variable(tf.ones([2]) * 3.0, name="w", trainable=False)
        parts = tf.split(x * v + w, 2)
        half = tf.constant(0.5)
        with tf.control_dependencies([tf.no_op(name="before")]):
            y = tf.add(parts[1], half, name="y")
    return graph, tf.Graph(), x, v, w, y


@pytest.mark.parametrize("scope", ["", "copied"])
def test_a_copy_computes_the_same(scope):
    _, other, x, v, w, y = _graphs()
    copies = [copy_graph.copy_variable_to_graph(u, other, scope) for u in (v, w)]
    x2 = copy_graph.copy_op_to_graph(x, other, copies, scope)
    y2 = copy_graph.copy_op_to_graph(y, other, copies, scope)
    prefix = f"{scope}/" if scope else ""
    assert (x2.name, y2.name) == (f"{prefix}x:0", f"{prefix}y:0")
    assert y2.graph is other
    assert [c.name for c in y2.op.control_inputs] == [f"{prefix}before"]
    with tf.Session(graph=other) as session:
        session.run([u.initializer for u in copies])
        np.testing.assert_array_equal(session.run(y2, {x2: [2.0, 5.0]}), [13.5])


def test_variables_keep_their_collections():
    _, other, _, v, w, _ = _graphs()
    copies = [copy_graph.copy_variable_to_graph(u, other, "s") for u in (v, w)]
    assert other.get_collection("s/mine") == copies[:1]
    assert other.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) == copies
    assert other.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES) == copies[:1]
    assert [c.op.name for c in copies] == ["s/v", "s/w"]


def test_copies_are_found_and_made_once():
    _, other, x, v, _, y = _graphs()
    copy = copy_graph.copy_op_to_graph(y, other, [])
    before = len(other.get_operations())
    assert copy_graph.copy_op_to_graph(y, other, []) is copy
    assert copy_graph.copy_op_to_graph(y.op, other, []) is copy.op
    assert len(other.get_operations()) == before
    assert copy_graph.get_copied_op(y, other) is copy
    assert copy_graph.get_copied_op(x.op, other).type == "Placeholder"
    assert copy_graph.get_copied_op(v, other).op.type == "VariableV2"
    with pytest.raises(KeyError):
        copy_graph.get_copied_op(y, other, "elsewhere")


def test_what_is_no_element_is_refused():
    with pytest.raises(TypeError, match="is not a Variable"):
        copy_graph.copy_variable_to_graph(3, tf.Graph())
    with pytest.raises(TypeError, match="is no Tensor"):
        copy_graph.copy_op_to_graph("x", tf.Graph(), [])


def test_a_loop_is_refused():
    graph = tf.Graph()
    with graph.as_default():
        out = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
    with pytest.raises(ValueError, match="is in a loop"):
        copy_graph.copy_op_to_graph(out, tf.Graph(), [])
