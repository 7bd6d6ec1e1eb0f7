# SPDX-License-Identifier: Apache-2.0
"""GraphDefs of TensorFlow 2.21 with functions in them: testdata/make_graphs.py wrote them, and what they give there."""

import json
import pathlib

import numpy as np
import pytest
from google.protobuf import text_format

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2, graph_pb2
from tensorwright.python.framework import function, function_def
from tensorwright.python.ops import gen_functional_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

DATA = pathlib.Path(__file__).parent / "testdata"
KNOWN = json.loads((DATA / "graphs.json").read_text())


def graph_of(name):
    graph_def = graph_pb2.GraphDef()
    text_format.Parse((DATA / f"{name}.pbtxt").read_text(), graph_def)
    return graph_def


def array(value):
    return np.array(value["value"], value["dtype"]).reshape(value["shape"])


def runs_of(name):
    return [
        (
            {f"{k}:0": array(v) for k, v in run["feeds"].items()},
            {k: array(v) for k, v in run["values"].items()},
        )
        for run in KNOWN[name]
    ]


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_graphs_of_later_versions_give_the_same(name):
    graph_def = graph_of(name)
    tf.import_graph_def(graph_def, name="")
    with tf.Session() as session:
        if any(n.name == "init" for n in graph_def.node):
            session.run("init")
        for feeds, expected in runs_of(name):
            got = session.run(list(expected), feeds)
            for key, value in zip(expected, got, strict=True):
                assert value.dtype == expected[key].dtype, key
                np.testing.assert_allclose(
                    value, expected[key], 2e-6, 1e-6, err_msg=key
                )


@pytest.mark.parametrize("name", ["branches", "loop_gradient"])
def test_gradients_are_those_of_the_graphs_writer(name):
    tf.import_graph_def(graph_of(name), name="")
    graph = tf.get_default_graph()
    ys = [
        graph.get_tensor_by_name(key)
        for key in runs_of(name)[0][1]
        if not key.startswith("grad")
    ]
    grad = tf.gradients(ys, graph.get_tensor_by_name("x:0"))[0]
    with tf.Session() as session:
        for feeds, expected in runs_of(name):
            np.testing.assert_allclose(
                session.run(grad, feeds), expected["grad:0"], 1e-5, 1e-5
            )


@pytest.mark.parametrize("name", ["loop", "mapped", "scanned", "frozen"])
def test_gradients_are_the_differences(name):
    graph_def = graph_of(name)
    tf.import_graph_def(graph_def, name="")
    graph = tf.get_default_graph()
    feeds, expected = runs_of(name)[min(2, len(KNOWN[name]) - 1)]
    out = [
        t
        for t in map(graph.get_tensor_by_name, expected)
        if t.dtype.base_dtype.is_floating
    ]
    x = graph.get_tensor_by_name("x:0")
    loss = tf.add_n([tf.reduce_sum(tf.sin(t)) for t in out])
    grad = tf.gradients(loss, x)[0]
    with tf.Session() as session:
        got = session.run(grad, feeds)
        at = feeds["x:0"]
        for index in np.ndindex(*at.shape):
            step = np.zeros_like(at)
            step[index] = 1e-2
            up, down = (
                session.run(loss, {**feeds, "x:0": at + s}) for s in (step, -step)
            )
            np.testing.assert_allclose(got[index], (up - down) / 2e-2, 3e-2, 3e-2)


def test_the_graph_goes_out_as_it_came_in():
    graph_def = graph_of("nested")
    tf.import_graph_def(graph_def, name="")
    written = tf.get_default_graph().as_graph_def()
    assert sorted(f.signature.name for f in written.library.function) == sorted(
        f.signature.name for f in graph_def.library.function
    )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        for feeds, expected in runs_of("nested"):
            np.testing.assert_allclose(session.run("y:0", feeds), expected["y:0"])


@function.Defun(tf.float32)
def half(x):
    return x / 2


def call(f, args, tout):
    return gen_functional_ops.partitioned_call(
        args, Tout=tout, f=attr_value_pb2.NameAttrList(name=f)
    )


@pytest.mark.parametrize(
    ("args", "tout", "message"),
    [
        ([1], [tf.float32], "takes"),
        ([1.0, 2.0], [tf.float32], "takes"),
        ([1.0], [tf.int32], "gives"),
        ([1.0], [], "gives"),
    ],
)
def test_types_must_be_those_of_the_function(args, tout, message):
    half.add_to_graph(tf.get_default_graph())
    made = call(half.name, [tf.constant(a) for a in args], tout)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(made)


def test_a_function_must_be_there():
    with tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match="'nowhere'"):
            session.run(call("nowhere", [tf.constant(1.0)], [tf.float32]))


def test_results_must_fit_output_shapes():
    half.add_to_graph(tf.get_default_graph())
    func = attr_value_pb2.NameAttrList(name=half.name)
    x = tf.placeholder(tf.float32)
    y = gen_functional_ops.stateless_if(
        True, [x], [tf.float32], func, func, output_shapes=[[2]]
    )[0]
    assert y.shape.as_list() == [2]
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: [2, 4]}), [1, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="output_shapes"):
            session.run(y, {x: [2, 4, 6]})


def test_a_function_that_calls_itself_is_refused():
    graph = tf.get_default_graph()
    definition = half.definition
    own = type(definition).FromString(definition.SerializeToString())
    own.signature.name = "endless"
    node = own.node_def.add(
        name="again", op="PartitionedCall", input=[own.signature.input_arg[0].name]
    )
    for key in ("Tin", "Tout"):
        node.attr[key].list.type.append(tf.float32.as_datatype_enum)
    node.attr["f"].func.name = "endless"
    function_def.add_function_def(graph, own)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="calls itself"):
            session.run(call("endless", [tf.constant(1.0)], [tf.float32]))
