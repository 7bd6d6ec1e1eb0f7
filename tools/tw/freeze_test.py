# SPDX-License-Identifier: Apache-2.0
"""tw freeze: the frozen graph computes the same values as the checkpoint's."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.tw import main as tw


@pytest.fixture
def checkpoint(tmp_path):
    """Returns a path, and the model's result for [[1, 2]]."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=[[3.0], [4.0]])
        y = tf.identity(tf.matmul(tf.identity(x), w) + 1, name="y")
        tf.reduce_sum(y, name="unused")
        session.run(tf.global_variables_initializer())
        session.run(tf.assign(w, [[5.0], [7.0]]))
        path = tf.train.Saver().save(session, str(tmp_path / "model"), global_step=3)
        tf.train.write_graph(session.graph_def, str(tmp_path), "graph.pbtxt")
        return path, session.run(y, {x: [[1, 2]]})


def load(path):
    graph_def = tf.GraphDef.FromString(path.read_bytes())
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
        return graph_def, session.run(y, {"x:0": [[1, 2]]})


@pytest.mark.parametrize("more", [[], ["--inference"], ["--graph"]])
def test_it_computes_the_same_without_variables(checkpoint, tmp_path, capsys, more):
    path, expected = checkpoint
    out = tmp_path / "frozen.pb"
    if more == ["--graph"]:
        more = ["--graph", str(tmp_path / "graph.pbtxt")]
    assert tw.main(["freeze", path, str(out), "--outputs", "y", *more]) == 0
    assert "1 variables" in capsys.readouterr().out
    graph_def, got = load(out)
    np.testing.assert_array_equal(got, expected)
    ops = [node.op for node in graph_def.node]
    assert not any("Variable" in op or "Save" in op or op == "Sum" for op in ops)
    if "--inference" in more:
        assert ops.count("Identity") == 1  # The output itself.


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("from_graph", [False, True])
def test_variables_of_each_kind(use_resource, parts, from_graph, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        partitioner = tf.fixed_size_partitioner(parts, axis=1) if parts > 1 else None
        with tf.variable_scope("s", use_resource=use_resource, partitioner=partitioner):
            w = tf.get_variable("w", [2, 5])
            w = tf.convert_to_tensor(w)
        tf.cond(x[0, 0] > 0, lambda: x @ w, lambda: w[:1] + 0, name="y")
        y = session.graph.get_tensor_by_name("y/Merge:0")
        session.run(tf.global_variables_initializer())
        # Names of nodes alone, no saver, are in the graph that is written.
        tf.train.write_graph(session.graph_def, str(tmp_path), "graph.pbtxt")
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
        expected = session.run(y, {x: [[1, 2]]})
    more = ["--graph", str(tmp_path / "graph.pbtxt")] if from_graph else []
    out = tmp_path / "frozen.pb"
    assert tw.main(["freeze", path, str(out), "--outputs", "y/Merge", *more]) == 0
    graph_def = tf.GraphDef.FromString(out.read_bytes())
    assert not any("Var" in node.op for node in graph_def.node)
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y/Merge:0"], name="")
        np.testing.assert_array_equal(session.run(y, {"x:0": [[1, 2]]}), expected)


@pytest.mark.parametrize(
    "path, outputs, word",
    [
        ("none", "y", "none"),
        (None, "z,y", "no node z"),
        (None, "yy", "no node yy; similar: y"),
        (None, "y:0", "no node y:0; similar: y"),
        (None, "predictions", "nothing uses what these give: unused"),
    ],
)
def test_what_is_not_there(checkpoint, tmp_path, capsys, path, outputs, word):
    args = ["freeze", path or checkpoint[0], str(tmp_path / "f"), "--outputs", outputs]
    assert tw.main(args) == 1
    assert word in capsys.readouterr().err


def test_a_folder_means_its_latest_checkpoint(checkpoint, tmp_path, capsys):
    out = tmp_path / "frozen.pb"
    assert tw.main(["freeze", str(tmp_path), str(out), "--outputs", "y"]) == 0
    np.testing.assert_array_equal(load(out)[1], checkpoint[1])
    (tmp_path / "checkpoint").unlink()
    assert tw.main(["freeze", str(tmp_path), str(out), "--outputs", "y"]) == 1
    assert f"there are {checkpoint[0]}\n" in capsys.readouterr().err


def test_a_checkpoint_without_a_meta_graph_says_so(checkpoint, tmp_path, capsys):
    (tmp_path / "model-3.meta").unlink()
    assert (
        tw.main(["freeze", checkpoint[0], str(tmp_path / "f"), "--outputs", "z"]) == 1
    )
    assert "has no meta graph" in capsys.readouterr().err
