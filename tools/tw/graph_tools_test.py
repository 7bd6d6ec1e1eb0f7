# SPDX-License-Identifier: Apache-2.0
"""tw strip-unused, tw optimize, tw selective-registration."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.tw import main as tw


@pytest.fixture
def graph(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 4, 4, 1], name="x")
        weights = tf.constant(np.float32([[[[1, 2]]]]))
        y = tf.nn.conv2d(tf.identity(x), weights, [1, 1, 1, 1], "SAME")
        y = tf.nn.fused_batch_norm(
            y, [1.0, 1.0], [5.0, 6.0], [0.0, 0.0], [3.0, 3.0], is_training=False
        )[0]
        tf.identity(y, name="y")
        tf.reduce_sum(x, name="unused")
        tf.train.write_graph(graph, str(tmp_path), "g.pb", as_text=False)
        tf.train.write_graph(graph, str(tmp_path), "g.pbtxt")
    return tmp_path / "g.pb"


def _run(path, feed):
    graph_def = tf.GraphDef.FromString(path.read_bytes())
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="")
        return graph_def, session.run(y, {feed: np.ones([1, 4, 4, 1], np.float32)})


def test_optimize_folds_and_keeps_the_results(graph, tmp_path, capsys):
    out = tmp_path / "out.pb"
    argv = ["optimize", str(graph), str(out), "--inputs", "x", "--outputs", "y"]
    assert tw.main(argv) == 0
    assert "out.pb: 6 nodes" in capsys.readouterr().out
    graph_def, got = _run(out, "x:0")
    assert not any("BatchNorm" in n.op for n in graph_def.node)
    np.testing.assert_allclose(got, _run(graph, "x:0")[1], rtol=1e-5)


@pytest.mark.parametrize("source", ["g.pb", "g.pbtxt"])
def test_strip_unused_keeps_what_outputs_need(graph, tmp_path, source):
    out = tmp_path / "out.pb"
    whole = str(graph.parent / source)
    argv = ["strip-unused", whole, str(out), "--inputs", "x", "--outputs", "y"]
    assert tw.main([*argv, "--types", "float32"]) == 0
    graph_def, got = _run(out, "x:0")
    assert "unused" not in [n.name for n in graph_def.node]
    np.testing.assert_array_equal(got, _run(graph, "x:0")[1])


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["{g}", "{o}", "--inputs", "z", "--outputs", "y"], "input nodes were not found"),
        (["{g}", "{o}", "--outputs", "z"], "z is not in graph"),
        (["{g}", "{o}", "--inputs", "x", "--outputs", "y", "--types", "foo"], "foo"),
        (["/nowhere.pb", "{o}", "--outputs", "y"], "/nowhere.pb"),
        (["{here}", "{o}", "--outputs", "y"], "cannot be read as a graph"),
    ],
)  # fmt: skip
def test_mistakes_are_said(graph, tmp_path, capsys, argv, words):
    names = {"g": graph, "o": tmp_path / "out.pb", "here": __file__}
    code = tw.main(["strip-unused", *(a.format(**names) for a in argv)])
    assert code == 1 and words in capsys.readouterr().err


def test_selective_registration_prints_a_header_or_a_list(graph, capsys):
    assert tw.main(["selective-registration", str(graph), "--list"]) == 0
    assert "Conv2D\tConv2DOp<float>\n" in capsys.readouterr().out
    text = str(graph.with_suffix(".pbtxt"))
    assert tw.main(["selective-registration", text]) == 0
    assert '    "Conv2DOp<float>",\n' in capsys.readouterr().out
    assert tw.main(["selective-registration", str(graph), text]) == 2
