# SPDX-License-Identifier: Apache-2.0
"""Operations on GraphDef protos."""

import numpy as np
import pytest

import tensorwright as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def names(graph_def):
    return {node.name for node in graph_def.node}


def test_a_part_of_a_graph_is_what_its_end_needs(graph):
    a = tf.constant(1.0, name="a")
    with tf.control_dependencies([tf.constant(2.0, name="waited_for")]):
        b = tf.add(a, a, name="b")
    tf.identity(b, name="c")
    part = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["b"])
    assert names(part) == {"a", "b", "waited_for"}
    assert part.versions == graph.as_graph_def().versions
    with pytest.raises(TypeError, match="list"):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), "b")
    with pytest.raises(TypeError, match="GraphDef"):
        tf.graph_util.extract_sub_graph(graph, ["b"])
    with pytest.raises(AssertionError, match="z is not in graph"):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["z"])


def frozen(session, output, **kwargs):
    return tf.graph_util.convert_variables_to_constants(
        session, session.graph_def, [output], **kwargs
    )


def value_of(graph_def, name):
    with tf.Graph().as_default(), tf.Session() as session:
        (out,) = tf.import_graph_def(graph_def, return_elements=[name])
        return session.run(out)


def test_variables_become_constants():
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    y = tf.multiply(v, 3.0, name="y")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(v, [5.0, 6.0]))
        graph_def = frozen(session, "y")
        expected = session.run(y)
    assert not any("Var" in node.op for node in graph_def.node)
    np.testing.assert_array_equal(value_of(graph_def, "y:0"), expected)


def test_variables_behind_handles_become_constants():
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0]], use_resource=True)
    rows = tf.placeholder(tf.int32, [2], name="rows")
    yes = tf.placeholder(tf.bool, [], name="yes")
    chosen = tf.cond(yes, lambda: v * 2.0, lambda: tf.zeros([2, 2]))
    looped = tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, x + v[i % 2]), [0, tf.zeros([2])]
    )[1]
    whole = tf.gather(v, rows) + tf.gather_nd(v, [[0, 1]]) + chosen + looped
    y = tf.identity(whole, name="y")
    feed = {"rows:0": [1, 1], "yes:0": True}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign_add([[5.0, 5.0], [5.0, 5.0]]))
        graph_def = frozen(session, "y")
        expected = session.run(y, feed)
    assert not [n for n in graph_def.node if "Var" in n.op or "Resource" in n.op]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        np.testing.assert_array_equal(session.run("y:0", feed), expected)


def test_only_some_variables_become_constants():
    for name in "abc":
        tf.get_variable(name, initializer=1.0)
    tf.add_n([v.value() for v in tf.global_variables()], name="y")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())

        def variables(**kwargs):
            nodes = frozen(session, "y", **kwargs).node
            return [n.name for n in nodes if n.op == "VariableV2"]

        assert variables(variable_names_whitelist=["a"]) == ["b", "c"]
        assert variables(variable_names_blacklist=["a"]) == ["a"]


def test_nodes_that_pass_values_on_are_removed(graph):
    x = tf.constant([1.0], name="x")
    passed = tf.identity(tf.check_numerics(tf.identity(x), "nan"), name="passed")
    with tf.control_dependencies([tf.identity(x, name="waited_for")]):
        tf.negative(passed, name="y")
    graph_def = tf.graph_util.remove_training_nodes(graph.as_graph_def())
    assert names(graph_def) == {"x", "waited_for", "y"}
    y = next(n for n in graph_def.node if n.name == "y")
    assert list(y.input) == ["x", "^waited_for"]
    np.testing.assert_array_equal(value_of(graph_def, "y:0"), [-1.0])
    kept = tf.graph_util.remove_training_nodes(
        graph.as_graph_def(), protected_nodes=["passed"]
    )
    assert "passed" in names(kept)


def test_what_must_run_on_a_cpu(graph):
    must = tf.graph_util.must_run_on_cpu
    v = tf.get_variable("v", initializer=1.0)
    assert must(tf.constant("text").op) and not must(tf.constant(1.0).op)
    assert must(v.op, pin_variables_on_cpu=True) and not must(v.op)
    stitch = tf.dynamic_stitch([[0]], [[1]])
    assert must(stitch.op.node_def)


def test_the_shape_of_what_an_input_names(graph):
    tf.placeholder(tf.float32, [3, None], name="p")
    shape = tf.graph_util.tensor_shape_from_node_def_name
    assert shape(graph, "p").as_list() == [3, None]
    assert shape(graph, "p:0").as_list() == [3, None]
