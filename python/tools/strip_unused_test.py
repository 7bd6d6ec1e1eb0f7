# SPDX-License-Identifier: Apache-2.0
"""Stripping a graph down to what its outputs need."""

import pytest

import tensorwright as tf
from tensorwright.python.tools import strip_unused, strip_unused_lib

FLOAT = tf.float32.as_datatype_enum


@pytest.fixture
def graph_def():
    with tf.Graph().as_default() as graph:
        number = tf.placeholder(tf.int32, [], name="number")
        x = tf.placeholder(tf.float32, [2], name="x")
        scaled = tf.multiply(x, tf.cast(number, tf.float32), name="scaled")
        tf.add(scaled, 1.0, name="y")
        tf.reduce_sum(x, name="aside")
        return graph.as_graph_def(add_shapes=True)


def _run(graph_def, feeds):
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
        return session.run(y, feeds).tolist()


def test_an_input_in_the_middle_becomes_a_placeholder(graph_def):
    before = graph_def.SerializeToString()
    part = strip_unused_lib.strip_unused(graph_def, ["scaled"], ["y"], FLOAT)
    assert sorted(n.name for n in part.node) == ["scaled", "y", "y/y"]
    (placeholder,) = (n for n in part.node if n.name == "scaled")
    assert placeholder.op == "Placeholder" and not placeholder.input
    assert placeholder.attr["dtype"].type == FLOAT
    shape = placeholder.attr["_output_shapes"].list.shape[0]
    assert [d.size for d in shape.dim] == [2]
    assert graph_def.SerializeToString() == before
    assert _run(part, {"scaled:0": [1, 2]}) == [2, 3]


def test_each_input_may_have_a_type(graph_def):
    types = [FLOAT, tf.int32.as_datatype_enum]
    part = strip_unused_lib.strip_unused(graph_def, ["x", "number"], ["y"], types)
    assert _run(part, {"x:0": [1, 2], "number:0": 3}) == [4, 7]
    with pytest.raises(ValueError, match="1 types for 2 input nodes"):
        strip_unused_lib.strip_unused(graph_def, ["x", "number"], ["y"], [FLOAT])


def test_names_that_are_not_there_are_refused(graph_def):
    with pytest.raises(KeyError, match="input nodes were not found: \\['z'\\]"):
        strip_unused_lib.strip_unused(graph_def, ["z"], ["y"], FLOAT)
    with pytest.raises(AssertionError, match="z is not in graph"):
        strip_unused_lib.strip_unused(graph_def, ["x"], ["z"], FLOAT)


@pytest.mark.parametrize("binary", [True, False])
def test_the_program_reads_and_writes_either_format(graph_def, tmp_path, binary):
    tf.train.write_graph(graph_def, str(tmp_path), "whole", as_text=not binary)
    flags = [
        f"--input_graph={tmp_path / 'whole'}",
        f"--output_graph={tmp_path / 'part'}",
        "--input_node_names=scaled",
        "--output_node_names=y",
        f"--output_binary={str(binary).lower()}",
    ]
    assert strip_unused.main(flags + ["--input_binary"] * binary) == 0
    data = (tmp_path / "part").read_bytes()
    part = tf.GraphDef.FromString(data) if binary else None
    if not binary:
        assert data.startswith(b"node {")
        strip_unused.main([*flags, f"--input_graph={tmp_path / 'part'}"])
    else:
        assert _run(part, {"scaled:0": [1, 2]}) == [2, 3]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="/nowhere' does not exist"):
        strip_unused_lib.strip_unused_from_files(
            "/nowhere", True, str(tmp_path / "out"), True, "x", "y", FLOAT
        )
