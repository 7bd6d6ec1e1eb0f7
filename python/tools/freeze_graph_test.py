# SPDX-License-Identifier: Apache-2.0
"""Freezing a graph: a checkpoint's values become constants."""

import pytest

import tensorwright as tf
from tensorwright.python.tools import freeze_graph


@pytest.fixture
def saved(tmp_path):
    """A folder with a graph, a checkpoint, a meta graph and a SavedModel."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        with tf.device("/device:GPU:7"):
            x = tf.placeholder(tf.float32, [], name="x")
        w, b = tf.Variable(3.0, name="w"), tf.Variable(1.0, name="b")
        y = tf.add(x * w, b, name="y")
        tf.assign(w, 0.0, name="reset")
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        saver.save(session, str(tmp_path / "m"))
        for name, text in (("graph.pb", False), ("graph.pbtxt", True)):
            tf.train.write_graph(graph, str(tmp_path), name, text)
        (tmp_path / "saver.pb").write_bytes(saver.as_saver_def().SerializeToString())
        config = tf.ConfigProto(allow_soft_placement=True)
    with graph.as_default(), tf.Session(config=config) as session:
        saver.restore(session, str(tmp_path / "m"))
        tf.saved_model.simple_save(session, str(tmp_path / "sm"), {"x": x}, {"y": y})
    return tmp_path


def _value(graph_def, x):
    assert not {n.op for n in graph_def.node} & {"Variable", "VariableV2"}
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
        return session.run(y, {"x:0": x})


@pytest.mark.parametrize(
    "arguments",
    [
        {"input_graph": "graph.pb", "input_saver": "saver.pb", "input_binary": True},
        {"input_graph": "graph.pb", "input_saver": "", "input_binary": True},
        {"input_graph": "graph.pbtxt", "input_saver": "", "input_binary": False},
        {"input_meta_graph": "m.meta", "input_binary": True},
        {"input_saved_model_dir": "sm", "input_binary": True},
    ],
)
def test_a_graph_freezes_from_any_kind_of_file(arguments, saved):
    files = {"input_graph": "", "input_saver": ""} | arguments
    given = {k: v if isinstance(v, bool) or not v else str(saved / v) for k, v in files.items()}  # fmt: skip # noqa: E501
    frozen = freeze_graph.freeze_graph(
        **given,
        input_checkpoint=str(saved / "m"),
        output_node_names="y",
        output_graph=str(saved / "frozen.pb"),
    )
    assert not any(node.device for node in frozen.node)
    read = tf.GraphDef.FromString((saved / "frozen.pb").read_bytes())
    assert _value(read, 5.0) == _value(frozen, 5.0) == 16.0


def _freeze(saved, **changes):
    arguments = {
        "input_graph": str(saved / "graph.pb"),
        "input_saver": "",
        "input_binary": True,
        "input_checkpoint": str(saved / "m"),
        "output_node_names": "y",
    }
    return freeze_graph.freeze_graph(**arguments | changes)


def test_operations_run_first_and_variables_may_stay(saved):
    assert _value(_freeze(saved, initializer_nodes="reset"), 5.0) == 1.0
    kept = _freeze(saved, variable_names_blacklist="b")
    assert [n.name for n in kept.node if n.op == "VariableV2"] == ["b"]


def test_what_is_not_there_is_named(saved):
    with pytest.raises(ValueError, match="checkpoint '.*none' doesn't exist"):
        _freeze(saved, input_checkpoint=str(saved / "none"))
    with pytest.raises(ValueError, match="Input file '.*none.pb' does not exist"):
        _freeze(saved, input_graph=str(saved / "none.pb"))
    with pytest.raises(ValueError, match="name of a node"):
        _freeze(saved, output_node_names="")


def test_the_program_writes_the_frozen_graph(saved, tmp_path, capsys):
    out = tmp_path / "frozen.pb"
    flags = [f"--output_graph={out}", "--output_node_names=y", "--input_binary"]
    model = [
        f"--input_graph={saved / 'graph.pb'}",
        f"--input_checkpoint={saved / 'm'}",
    ]
    assert freeze_graph.main([*model, *flags]) == 0
    assert "ops in the final graph" in capsys.readouterr().out
    assert _value(tf.GraphDef.FromString(out.read_bytes()), 2.0) == 7
    assert freeze_graph.main([*model[:1], *flags, "--input_checkpoint=/nowhere/m"]) == 1
    assert "/nowhere/m' doesn't exist" in capsys.readouterr().err
