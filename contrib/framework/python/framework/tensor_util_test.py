# SPDX-License-Identifier: Apache-2.0
"""Sums and checks of tensors, graphs, name scopes, warnings, fused nodes."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.framework.python.framework import graph_util

pytestmark = pytest.mark.usefixtures("fresh_graph")

framework = tf.contrib.framework


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def test_reduce_sum_n_adds_the_sums_of_tensors():
    assert run(framework.reduce_sum_n([tf.constant([1, 2]), tf.constant(3)])) == 6
    assert run(framework.reduce_sum_n([tf.constant([1, 2])])) == 3
    with pytest.raises(ValueError, match="No tensors"):
        framework.reduce_sum_n([])


def test_tensors_and_integer_scalars_are_told_from_others():
    sparse = tf.SparseTensor([[0, 0]], [1], [1, 1])
    for tensor in (tf.constant(1), sparse, tf.Variable(1)):
        assert framework.is_tensor(tensor)
    assert not framework.is_tensor(np.zeros(2)) and not framework.is_tensor("x")
    assert framework.assert_scalar_int(tf.constant(3)) is not None
    with pytest.raises(ValueError, match="integer"):
        framework.assert_scalar_int(tf.constant(3.0))
    with pytest.raises(ValueError):
        framework.assert_scalar_int(tf.constant([3]))


def test_dimensions_of_one_are_squeezed():
    predictions, labels = framework.remove_squeezable_dimensions(
        tf.zeros([3, 1]), tf.zeros([3])
    )
    assert predictions.shape == labels.shape == [3]


def test_shapes_are_checked_when_they_are_known():
    x = tf.placeholder(tf.float32, [None, 2])
    checked = framework.with_shape([3, 2], x)
    assert checked.shape.as_list() == [3, 2]
    same = framework.with_same_shape(tf.zeros([3, 2]), x)
    assert run([checked, same], {x: np.ones([3, 2])})[1].sum() == 6
    for tensor in (checked, same):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape"):
            run(tensor, {x: np.ones([4, 2])})
    known = tf.zeros([3, 2])
    assert framework.with_shape([3, None], known) is known
    for wrong in ([3], [2, 3], [[3, 2]], [1.5, 2]):
        with pytest.raises(ValueError):
            framework.with_shape(wrong, known)
    with pytest.raises(ValueError, match="dtype"):
        framework.with_shape(tf.constant([3.0, 2.0]), known)
    dynamic = framework.with_shape(tf.placeholder_with_default([3, 2], [2]), known)
    assert run(dynamic).shape == (3, 2)


def test_graphs_and_scopes():
    x = tf.constant(1)
    assert framework.get_graph_from_inputs([x]) is tf.get_default_graph()
    with tf.Graph().as_default():
        y = tf.constant(1)
        with pytest.raises(ValueError):
            framework.get_graph_from_inputs([x, y])
    with tf.name_scope("a"), tf.name_scope("b"):
        assert framework.get_name_scope() == "a/b"
    assert framework.prepend_name_scope("x", "s") == "s/x"
    assert framework.strip_name_scope("s/x", "s") == "x"


def test_order_and_kinds_of_elements():
    assert run(framework.is_non_decreasing([1, 1, 2]))
    assert not run(framework.is_strictly_increasing([1, 1, 2]))
    assert framework.is_numeric_tensor(tf.constant(1))
    assert not framework.is_numeric_tensor(tf.constant("a"))


def test_decorators_say_so_in_the_docstring():
    @framework.experimental
    def new(x):
        """New."""
        return x

    @framework.deprecated("2016-07-04", "Use the new one.")
    def old(x):
        """Old."""
        return x

    assert new(3) == old(3) == 3
    assert "EXPERIMENTAL" in new.__doc__ and "2016-07-04" in old.__doc__
    with pytest.raises(ValueError, match="YYYY"):
        framework.deprecated("soon", "Use the new one.")


def test_nodes_become_one():
    a = tf.placeholder(tf.float32, name="a")
    b = tf.placeholder(tf.float32, name="b")
    c = tf.add(a, b, name="c")
    d = tf.multiply(c, b, name="d")
    tf.negative(d, name="e")
    graph = tf.get_default_graph().as_graph_def()
    fused = graph_util.fuse_op(
        graph, ["a", "b"], ["d"], [tf.float32], False, "one", "AddMul"
    )
    assert [(n.name, n.op, list(n.input)) for n in fused.node] == [
        ("a", "Placeholder", []),
        ("b", "Placeholder", []),
        ("one", "AddMul", ["a", "b"]),
        ("e", "Neg", ["one"]),
    ]
    with pytest.raises(TypeError):
        graph_util.fuse_op("graph", [], [], [], False, "one", "AddMul")


def test_values_of_arguments_that_go_away(caplog):
    @framework.deprecated_arg_values("2030-01-01", "Use 2.", warn_once=False, a=1)
    def f(a):
        return a

    assert [f(1), f(2), f(1)] == [1, 2, 1]
    warnings = [r for r in caplog.records if "with a=1 is deprecated" in r.getMessage()]
    assert len(warnings) == 2
    with pytest.raises(ValueError, match="Specify which"):
        framework.deprecated_arg_values("2030-01-01", "Use 2.", warn_once=True)
