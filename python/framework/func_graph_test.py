# SPDX-License-Identifier: Apache-2.0
"""Bodies of functions made by hand."""

import pytest

import tensorwright as tf
from tensorwright.python.framework import func_graph, function

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_body_captures_tensors_from_around_it():
    x = tf.constant(3.0, name="x")
    body = func_graph.FuncGraph("twice")
    with body.as_default():
        y = 2 * x
        inside = tf.constant(1.0)
    assert body.name == "twice" and body.outer_graph is tf.get_default_graph()
    assert y.graph is body
    ((outer, inner),) = body.captures
    assert outer is x and inner.op.type == "Placeholder"
    assert body.external_captures == [x] and body.internal_captures == [inner]
    assert body.capture(x) is inner and body.capture(inside) is inside
    with tf.Session(graph=body) as session:
        assert session.run(y, {inner: 5.0}) == 10


def test_a_body_copies_what_it_captures_by_value():
    x = tf.constant(3.0, name="x")
    body = func_graph.FuncGraph("twice", capture_by_value=True)
    with body.as_default():
        y = 2 * x
    assert body.captures == []
    with tf.Session(graph=body) as session:
        assert session.run(y) == 6


def test_collections_are_those_around_or_given():
    tf.add_to_collection("key", 1)
    assert func_graph.FuncGraph("f").get_collection("key") == [1]
    own = func_graph.FuncGraph("f", collections={"other": [2]})
    assert own.get_collection("key") == [] and own.get_collection("other") == [2]


def test_bodies_that_the_library_made_are_such_graphs():
    @function.Defun(tf.float32)
    def twice(x):
        return 2 * x

    assert isinstance(twice.graph, func_graph.FuncGraph)
    assert not isinstance(tf.get_default_graph(), func_graph.FuncGraph)
