# SPDX-License-Identifier: Apache-2.0
"""Tests of operations made of NodeDefs, of their FullTypes, and of a graph that lets go of them."""

import gc
import weakref

import pytest

import tensorwright as tf
from tensorwright.core.framework import (
    attr_value_pb2,
    full_type_pb2,
    graph_pb2,
    node_def_pb2,
)
from tensorwright.python.framework import ops

_TENSOR_OF_FLOAT = full_type_pb2.FullTypeDef(
    type_id=full_type_pb2.TFT_PRODUCT,
    args=[
        full_type_pb2.FullTypeDef(
            type_id=full_type_pb2.TFT_TENSOR,
            args=[full_type_pb2.FullTypeDef(type_id=full_type_pb2.TFT_FLOAT)],
        )
    ],
)


@pytest.fixture(name="graph", autouse=True)
def _graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _node_def(name, op="Neg", **kwargs):
    return node_def_pb2.NodeDef(name=name, op=op, **kwargs)


def test_a_node_def_becomes_an_operation(graph):
    x = tf.constant([1.0, 2.0], name="x")
    node_def = _node_def("scope/n", device="/device:CPU:0")
    node_def.attr["T"].type = 1
    node_def.attr["_note"].i = 3
    op = tf.Operation.from_node_def(node_def, graph, [x], original_op=x.op)
    assert graph.get_operation_by_name("scope/n") is op
    assert op.inputs == (x,) and op._original_op is x.op
    expected = node_def_pb2.NodeDef()
    expected.CopyFrom(node_def)
    expected.input.append("x")
    assert op.node_def == expected
    with tf.Session() as session:
        assert session.run(op.outputs[0]).tolist() == [-1, -2]


def test_nothing_in_force_takes_part(graph):
    x, y = tf.constant(1.0, name="x"), tf.constant(2.0, name="y")
    with tf.name_scope("s"), tf.device("/device:CPU:1"), tf.control_dependencies([y]):
        op = tf.Operation.from_node_def(_node_def("n"), graph, [x])
        after = tf.Operation.from_node_def(
            _node_def("m"), graph, [x], control_inputs=[y, op]
        )
        usual = tf.negative(x, name="usual")
    assert (op.name, op.device, op.control_inputs) == ("n", "", [])
    assert after.control_inputs == [y.op, op]
    assert usual.op.device == "/device:CPU:1" and usual.op.control_inputs == [y.op]
    assert tf.negative(x, name="n").op.name == "n_1"


def test_lists_of_inputs_come_from_attrs(graph):
    x = tf.constant(1.0)
    node_def = _node_def("sum", "AddN")
    node_def.attr["N"].i = 3
    op = tf.Operation.from_node_def(node_def, graph, [x, x, x])
    assert op.inputs == (x, x, x)
    node_def.name = "other"
    with pytest.raises(ValueError, match="AddN"):
        tf.Operation.from_node_def(node_def, graph, [x, x])


def test_bad_node_defs(graph):
    x = tf.constant(1.0, name="x")
    make = tf.Operation.from_node_def
    for bad in (
        (5, graph, [x]),
        (_node_def("n"), 5, [x]),
        (_node_def("n"), graph, x),
        (_node_def("n"), graph, [5]),
        (_node_def("n"), graph, [x], None, [5]),
        (_node_def("n"), graph, [x], None, None, [tf.int32]),
    ):
        with pytest.raises(TypeError):
            make(*bad)
    for name in ("x", "a b", ""):
        with pytest.raises(ValueError, match="name"):
            make(_node_def(name), graph, [x])
    wrong = _node_def("n")
    wrong.attr["T"].type = 3
    with pytest.raises(ValueError, match="int32"):
        make(wrong, graph, [x])
    with pytest.raises(RuntimeError, match="Nope"):
        make(_node_def("n", "Nope"), graph, [x])
    with pytest.raises(ValueError, match="not from this graph"):
        make(_node_def("n"), tf.Graph(), [x])
    assert graph.num_operations() == 1 and graph._plain


def test_a_full_type_is_kept():
    op = tf.constant(1.0).op
    assert not op.node_def.HasField("experimental_type")
    op.experimental_set_type(_TENSOR_OF_FLOAT)
    assert op.node_def.experimental_type == _TENSOR_OF_FLOAT
    op.experimental_set_type(full_type_pb2.FullTypeDef())
    assert op.node_def.experimental_type == full_type_pb2.FullTypeDef()
    with pytest.raises(ValueError, match="TFT_UNSET or TFT_PRODUCT"):
        op.experimental_set_type(_TENSOR_OF_FLOAT.args[0])
    with pytest.raises(TypeError, match="FullTypeDef"):
        op._set_experimental_type(b"\xff\xff")


def test_a_graph_def_with_full_types_leaves_as_it_came(graph):
    graph_def = graph_pb2.GraphDef()
    node = graph_def.node.add(name="c", op="NoOp")
    node.experimental_type.CopyFrom(_TENSOR_OF_FLOAT)
    tf.import_graph_def(graph_def, name="")
    assert graph.as_graph_def().node[0] == node
    tf.Session().run("c")


def test_a_graph_that_lets_go_of_its_operations(graph):
    x = tf.constant([1.0], name="x")
    y = tf.negative(x, name="y")
    assert graph.get() is graph and graph.new_operations() == []
    graph.Dismantle()
    assert graph.get_operations() == [] and graph.num_operations() == 0
    with pytest.raises(KeyError):
        graph.get_operation_by_name("x")
    for look in (lambda: y.op.inputs, x.consumers, lambda: tf.add(x, y).op.inputs):
        with pytest.raises(RuntimeError, match="Dismantle"):
            look()
    # The nodes are there, and more can be added.
    assert [n.name for n in graph.as_graph_def().node] == ["x", "y", "Add"]
    z = tf.constant(2.0, name="z")
    assert graph.get_operations()[-1] is z.op
    with tf.Session() as session:
        assert session.run([y, z]) == [[-1.0], 2.0]


def test_a_dismantled_graph_is_freed_at_once():
    gc.collect()
    gc.disable()
    try:
        graph = tf.Graph()
        with graph.as_default():
            tf.add(tf.constant(1), 2)
        alive = weakref.ref(graph)
        graph.Dismantle()
        del graph
        assert alive() is None
    finally:
        gc.enable()


def test_the_class_makes_an_operation_of_a_node_def(graph):
    x = tf.constant([1.0, 2.0], name="x")
    value = attr_value_pb2.AttrValue(type=1)
    node_def = ops._NodeDef("Neg", "made", "/cpu:0", {"T": value})
    op = tf.Operation(node_def, graph, [x], [tf.float32])
    assert type(op) is tf.Operation and graph.get_operation_by_name("made") is op
    assert op.device == "/device:CPU:0" and op.get_attr("T") == tf.float32
    assert (
        ops._NodeDef("Neg", "n", lambda node: f"/device:CPU:{len(node.op)}").device
        == "/device:CPU:3"
    )
    with tf.Session() as session:
        assert session.run(op.outputs[0]).tolist() == [-1, -2]
    with pytest.raises(TypeError, match="node_def must be a NodeDef"):
        tf.Operation(1, graph)
