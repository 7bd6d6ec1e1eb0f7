# SPDX-License-Identifier: Apache-2.0
"""tw plan: text and Graphviz of the plans of a program's sessions."""

import contextlib
import io
import textwrap

import tensorwright as tf
from tensorwright.python.client import session
from tensorwright.tools.tw import main as tw

PROGRAM = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4], name="x")
y = tf.exp(tf.tanh(x) * 2.0, name="y")
with tf.Session() as s:
    for _ in range(3):
        s.run(y, {x: np.zeros(4)})
    print(s.run([y.op], {x: np.zeros(4)}))
"""


def test_plan_prints_each_plan_once_before_and_after(tmp_path, monkeypatch):
    monkeypatch.setattr(session.BaseSession, "run", session.BaseSession.run)
    program, dot = tmp_path / "program.py", tmp_path / "plan.dot"
    program.write_text(textwrap.dedent(PROGRAM))
    out = io.StringIO()
    with tf.Graph().as_default(), contextlib.redirect_stdout(out):
        assert tw.main(["plan", "--dot", str(dot), str(program)]) == 0
    text = out.getvalue()
    assert text.count("Session.run(y:0), feeds: x:0") == 1
    assert text.count("Session.run(y), feeds: x:0") == 1
    assert "[None]" in text  # The program itself prints this.
    before, after = text.split("  after:")[:2]
    assert "before: 4 nodes" in before
    assert "Tanh = Tanh(" in before and "y = Exp(mul)" in before
    assert "_FusedElementwise[Tanh, Mul, Exp]" in after and "<- Tanh, mul, y" in after
    graph = dot.read_text()
    assert graph.count("digraph") == 2
    assert 'subgraph cluster_1 {\n    label="after"' in graph
    assert '"0:Tanh" -> "0:mul"' in graph


CONVOLUTIONS = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 28, 28, 32], name="x")
w = tf.Variable(tf.zeros([3, 3, 32, 32]), name="w")
one = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", name="one")
two = tf.nn.max_pool(one, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="two")
flat = tf.reshape(two, [-1, 14 * 14 * 32])
weights = tf.placeholder(tf.float32, name="weights")
out = tf.matmul(flat, weights, name="out")
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    s.run(out, {weights: np.zeros([6272, 10]), x: np.zeros([16, 28, 28, 32])})
"""


def test_plan_prints_which_algorithm_ran_and_why(tmp_path, monkeypatch):
    monkeypatch.setattr(session.BaseSession, "run", session.BaseSession.run)
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(CONVOLUTIONS))
    out = io.StringIO()
    with tf.Graph().as_default(), contextlib.redirect_stdout(out):
        assert tw.main(["plan", str(program)]) == 0
    before, after = out.getvalue().split("Session.run(out:0)")[1].split("  after:")
    lines = [line.strip() for line in after.splitlines()]

    def choice(name):
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{name} = "))
        return lines[at + 1]

    assert choice("one").startswith(
        "by Winograd 4x4: 3x3 filter, 32 -> 32 channels, "
    ), after
    assert choice("two").startswith(
        "by vectors of channels: 2x2 windows of 32 channels"
    ), after
    assert choice("out") == "by oneDNN: 16x6272 by 6272x10" or choice("out").startswith(
        "by dnnl_sgemm: 16x6272 by 6272x10"
    )
    assert " by " not in before


LAYERS = """
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 8])
for i in range(20):
    with tf.name_scope(f"layer{i}"):
        w = tf.placeholder_with_default(tf.ones([8, 8]), [8, 8])
        x = tf.nn.softmax(tf.matmul(x, w))
s = tf.Session()
s.run(tf.constant(1) + 1)
s.run(x, {"Placeholder:0": [[1.0] * 8] * 2})
"""


def test_one_plan_of_several_large_graphs_folded(tmp_path, monkeypatch, capsys):
    program = tmp_path / "program.py"
    program.write_text(LAYERS)

    def plan(*options):
        with monkeypatch.context() as patch, tf.Graph().as_default():
            patch.setattr(session.BaseSession, "run", session.BaseSession.run)
            status = tw.main(["plan", *options, str(program)])
        return status, capsys.readouterr()

    status, printed = plan("--run", "2")
    assert status == 0
    assert printed.out.count("Session.run(") == 1
    assert "layer19/  4 nodes: " in printed.out and "MatMul 1" in printed.out
    assert "layer19/Softmax = " not in printed.out
    status, printed = plan("--run", "2", "--all")
    assert "layer19/Softmax = Softmax(layer19/MatMul)" in printed.out
    status, printed = plan("--run", "3")
    assert status == 1 and "has 2 plans" in printed.err
