# SPDX-License-Identifier: Apache-2.0
"""`tw inspect`: its reports of graphs that do harm, and of those that do none; inspect_hostile_test.py has files that attack it."""

import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function
from tensorwright.tools.tw import (
    graph_file,
    inspect_graph,
    inspect_policy,
    inspect_report,
    inspect_risks,
    inspect_testutil,
)


@pytest.fixture
def pure(tmp_path):
    """A network whose nodes touch nothing."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="x")
        kernel = tf.constant(np.ones([3, 3, 1, 64], np.float32), name="kernel")
        y = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME", name="conv"))
        tf.reduce_mean(y, [1, 2], name="y")
    return inspect_testutil.write(tmp_path / "pure.pb", graph.as_graph_def())


@pytest.fixture
def wicked(tmp_path):
    """A graph that reads a file in a function of a function, calls Python, prints and loops."""

    @function.Defun(tf.string)
    def inner(name):
        return tf.read_file(name, name="read")

    @function.Defun(tf.int64)
    def outer(i):
        return inner(tf.constant("/etc/passwd")) + tf.as_string(i)

    with tf.Graph().as_default() as graph:
        elements = tf.data.Dataset.range(3).map(outer)
        tf.data.make_one_shot_iterator(elements).get_next()
        tf.py_func(lambda: 1.0, [], tf.float64, name="called")
        tf.write_file("../out.txt", "contents", name="written")
        tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], name="loop")
        tf.fill(tf.placeholder(tf.int32, [1]), 1.0, name="filled")
        tf.fill([1 << 20, 1 << 20], 1.0, name="huge")
    return inspect_testutil.write(tmp_path / "wicked.pb", graph.as_graph_def())


# ---- What the report says.


def test_a_pure_graph_has_no_risk_and_needs_the_empty_policy(pure):
    status, out, _ = inspect_testutil.run(pure, "--strict")
    assert status == 0
    assert out.startswith(f"{pure}: GraphDef, ")
    assert "no risk was found" in out and "tf.Policy.sandbox(allow=[])" in out
    assert "it touches nothing outside of the graph and needs nothing" in out
    (graph,) = inspect_testutil.report(pure)["graphs"]
    assert graph["risks"] == [] and graph["capabilities"] == {}
    assert {"op": "Conv2D", "count": 1}.items() <= next(
        op for op in graph["ops"] if op["op"] == "Conv2D"
    ).items()


def test_the_largest_constants_come_with_type_shape_and_bytes(pure):
    constants = inspect_testutil.report(pure)["graphs"][0]["constants"]
    assert constants[0] == {
        "node": {"node": "kernel", "op": "", "function": ""},
        "attr": "value",
        "dtype": "float32",
        "shape": [3, 3, 1, 64],
        "bytes": 2304,
        "stored": constants[0]["stored"],
        "fault": "",
    }
    assert re.search(
        r"kernel +float32 \[3, 3, 1, 64\] +2.304 kB\n", inspect_testutil.run(pure)[1]
    )


def test_what_functions_touch_is_found_with_the_way_to_it(wicked):
    report = inspect_testutil.report(wicked)
    outside = inspect_testutil.texts(report, "outside")
    (reads,) = [text for text in outside if text.startswith("reads files: ")]
    assert re.search(r"ReadFile \(read in function inner_\w+\)", reads)
    assert re.search(r"reached by \w+ -> .*outer_\w+ -> inner_\w+", reads)
    assert any(
        t.startswith("calls Python functions") and "(called)" in t for t in outside
    )
    capabilities = report["graphs"][0]["capabilities"]
    (node,) = [n for n in capabilities["files read"] if n["op"] == "ReadFile"]
    assert node["node"] == "read" and node["function"].startswith("inner_")


def test_paths_outside_of_the_model_are_risks(wicked):
    outside = inspect_testutil.texts(inspect_testutil.report(wicked), "outside")
    assert any("writes '../out.txt', a path that leads upwards" in t for t in outside)
    # The name comes to the function that reads as an argument.
    assert any("reads '/etc/passwd', an absolute path" in t for t in outside)
    uses = inspect_testutil.report(wicked)["graphs"][0]["files"]
    assert {(u["file"], u["node"]["op"]) for u in uses} == {
        ("/etc/passwd", "ReadFile"),
        ("../out.txt", "WriteFile"),
    }


def test_an_absolute_path_is_a_risk_and_stands_in_the_policy(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.read_file("/etc/passwd", name="read")
    path = inspect_testutil.write(tmp_path / "g.pb", graph.as_graph_def())
    _, out, _ = inspect_testutil.run(path)
    assert "- reads '/etc/passwd', an absolute path: ReadFile (read)" in out
    code = 'tf.Policy.sandbox(allow=["unbounded memory"], read=["/etc/passwd"])'
    assert code in out
    with tf.Session(graph=graph, policy=inspect_testutil.policy_of(code)) as session:
        assert b"root" in session.run("read:0")


def test_loops_and_sizes_that_come_at_run_time_are_costly(wicked):
    costly = "\n".join(
        inspect_testutil.texts(inspect_testutil.report(wicked), "costly")
    )
    assert "1 loop runs as long as the data says" in costly
    assert "Fill (filled)" in costly
    assert f"Fill huge asks for {1 << 40:,} elements" in costly


def test_python_functions_are_of_no_other_process(wicked):
    broken = inspect_testutil.texts(inspect_testutil.report(wicked), "broken")
    assert any("which no other process has: 1 node (called)" in t for t in broken)


def test_strict_fails_for_risks_and_text_is_sorted_by_them(wicked):
    status, out, _ = inspect_testutil.run(wicked, "--strict")
    assert status == 1 and inspect_testutil.run(wicked)[0] == 0
    order = [out.index(f"({level})") for level in ("outside", "broken", "costly")]
    assert order == sorted(order)


def test_deprecated_ops_are_refused_from_the_producer_on(tmp_path):
    graph = tf.GraphDef()
    for name, value in (("n", 3), ("other", 2)):
        node = graph.node.add(name=name, op="Const")
        node.attr["dtype"].type = tf.float32.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.ones(value, "f")))
    node = graph.node.add(name="old", op="BatchMatrixDiag", input=["n"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    graph.versions.producer = 13
    (note,) = inspect_testutil.texts(
        inspect_testutil.report(inspect_testutil.write(tmp_path / "g.pb", graph)),
        "note",
    )
    assert (
        "op BatchMatrixDiag was removed in graphs of version 14. Use MatrixDiag" in note
    )
    graph.versions.producer = 14
    path = inspect_testutil.write(tmp_path / "g.pb", graph)
    (broken,) = inspect_testutil.texts(inspect_testutil.report(path), "broken")
    assert "this one is of 14: it is refused" in broken
    with tf.Graph().as_default(), pytest.raises(ValueError, match="not available"):
        tf.import_graph_def(graph)


def test_unknown_ops_come_with_origin_and_similar_names(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="a", op="XlaDot")
    graph.node.add(name="b", op="MatMull")
    path = inspect_testutil.write(tmp_path / "g.pb", graph)
    unknown = {
        u["op"]: u for u in inspect_testutil.report(path)["graphs"][0]["unknown_ops"]
    }
    assert "came between TensorFlow 1.3 and 2.21" in unknown["XlaDot"]["origin"]
    assert "MatMul" in unknown["MatMull"]["similar"]
    _, out, _ = inspect_testutil.run(path)
    assert "will not load or run here (broken)" in out and "none: " in out


def test_devices_are_told_that_this_process_lacks(pure, tmp_path):
    graph = tf.GraphDef.FromString(pure.read_bytes())
    graph.node[0].device = "/device:TPU:0"
    graph.node[1].device = "/job:ps/task:0"
    notes = inspect_testutil.texts(
        inspect_testutil.report(inspect_testutil.write(tmp_path / "g.pb", graph)),
        "note",
    )
    assert any("device TPU:0, which this process does not have" in t for t in notes)
    assert any("a device of a cluster, /job:ps/task:0" in t for t in notes)


def test_ops_of_libraries_are_native_code(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="theirs", op="NoOp")
    it = inspect_graph.Inspected(tmp_path / "g.pb", graph_file.GraphInFile(graph))
    # Stands for an op of a library that makes no claim.
    it.known["NoOp"].update(
        library="/opt/ops.so", touches=["files read", "native code"], needs=[]
    )
    texts = [f.text for f in inspect_risks.findings(it) if f.level == "outside"]
    assert "op NoOp is the native code of /opt/ops.so: 1 node (theirs)" in texts
    assert any(t.startswith("runs native code") for t in texts)
    assert inspect_policy.for_all(it).arguments == {
        "allow": ["files read", "native code"]
    }


def test_a_graph_in_text_is_read(pure, tmp_path):
    text = tmp_path / "g.pbtxt"
    text.write_text(str(tf.GraphDef.FromString(pure.read_bytes())))
    report = inspect_testutil.report(text)
    assert report["is_text"] and report["graphs"][0]["nodes"] == 6


def test_the_report_has_the_keys_that_its_module_describes(wicked):
    report = inspect_testutil.report(wicked)
    described = inspect_report.__doc__
    (graph,) = report["graphs"]
    for key in (*report, *graph, *graph["risks"][0], *graph["policy"]["all"]):
        assert f'"{key}"' in described
    assert inspect_policy.Smallest({"allow": []}).code == "tf.Policy.sandbox(allow=[])"
