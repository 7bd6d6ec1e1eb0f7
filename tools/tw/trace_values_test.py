# SPDX-License-Identifier: Apache-2.0
"""Values of a traced run in words, and the changes that graph passes make."""

import json

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import graph_pb2
from tensorwright.tools.tw import trace_stages, trace_values


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (np.float32([[1, np.nan], [-2.5, 4]]), ["float32[2,2]", -2.5, 4.0, 1]),
        (np.float64([np.inf, 0]), ["float64[2]", 0.0, "inf", 0]),
        (np.float32([np.nan]), ["float32[1]", None, None, 1]),
        (np.int64(2**60), ["int64[]", 2**60, 2**60, 0]),
        (np.array([True, False]), ["bool[2]", 0, 1, 0]),
        (np.zeros([0, 3], np.float32), ["float32[0,3]", None, None, None]),
        (np.complex64([1j]), ["complex64[1]", None, None, None]),
        (b"text", ["string[]", None, None, None]),
    ],
)
def test_a_value_is_described(value, described):
    found = trace_values.described(value)
    assert found[:4] == described
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_first_elements_and_the_digest_tell_values_apart():
    a = trace_values.described(np.arange(10, dtype=np.float32))
    assert a[4] == [0, 1, 2, 3, 4, 5]
    b = trace_values.described(np.float32([*range(9), 9.5]))
    assert a[4] == b[4] and a[5] != b[5]
    assert a[5] == trace_values.described(np.arange(10, dtype=np.float32))[5]
    assert trace_values.described(np.array([b"\xff", b"y"], object))[4] == [
        "\\xff",
        "y",
    ]


def test_what_can_be_fetched_of_a_run_leaves_loops_and_references_out():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        fed = tf.square(x, name="fed")
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        turns = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        y = tf.add(fed + v, tf.cast(turns, tf.float32), name="y")
        tf.exp(x, name="unused")
        names = [t.name for t in trace_values.tensors_of(graph, [y.name], [fed.name])]
        assert {"fed:0", "v/read:0", "y:0"} <= set(names)
        assert not {"x:0", "v:0", "unused:0"} & set(names)
        loop = {f"while/{name}:0" for name in ("Merge", "Less", "Switch", "Identity")}
        assert not loop & set(names)
        with tf.Session() as session:
            session.run(v.initializer)
            values = session.run(names, {fed: 4.0})
        assert values[names.index("y:0")] == 7.0


def test_the_stages_of_a_plan_run_nothing_and_name_the_passes():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4], name="x")
        called = []
        seen = tf.py_func(lambda v: called.append(1) or v, [x], tf.float32)
        y = tf.tanh(tf.sqrt(x) * 2.0 + tf.constant([1.0]) + 1.0, name="y")
        stages = trace_stages.stages_of(session, [y, seen], [x])
    assert not called
    assert stages[0][0] == "" and "elementwise_fusion" in [name for name, _ in stages]
    first, last = stages[0][1], stages[-1][1]
    names = {node.name for node in first.node}
    # The feed has its own name, the fetches are no nodes.
    assert {"x", "y", "Sqrt"} <= names and not [n for n in names if "retval" in n]
    assert len(last.node) < len(first.node)
    (fusion,) = [i for i, s in enumerate(stages) if s[0] == "elementwise_fusion"]
    found = trace_stages.changes(stages[fusion - 1][1], stages[fusion][1])
    assert "Sqrt" in [c.name for c in found if c.sign == "-"]
    (fused,) = [c for c in found if c.sign != "-"]
    assert fused.op == "_FusedElementwise" and {"Sqrt", "y"} <= set(fused.origins)


def test_changes_tell_what_is_gone_new_and_different():
    before, after = graph_pb2.GraphDef(), graph_pb2.GraphDef()
    before.node.add(name="a", op="Const")
    before.node.add(name="b", op="Neg", input=["a"])
    before.node.add(name="c", op="Neg", input=["b"])
    after.node.add(name="a", op="Const")
    after.node.add(name="c", op="Abs", input=["a"])
    after.node.add(name="d", op="Exp", input=["c"])
    found = [
        (c.sign, c.name, c.op, c.text) for c in trace_stages.changes(before, after)
    ]
    assert found == [
        ("-", "b", "Neg", "read a"),
        ("~", "c", "Abs", "Neg became Abs; reads a, before b"),
        ("+", "d", "Exp", "reads c"),
    ]
    assert trace_stages.changes(after, after) == []
