# SPDX-License-Identifier: Apache-2.0
"""`tw inspect` on files that attack it: each gives words or a finding, in little time, and never a traceback."""

import json
import os
import random
import re
import time

import pytest

import tensorwright as tf
from tensorwright.core.protobuf import saved_model_pb2
from tensorwright.tools.tw import inspect_testutil, main as tw


def _risks(graph, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    status, out, err = inspect_testutil.run(
        path, "--json", "--page", tmp_path / "page.html"
    )
    assert status == 0, err
    # The text has to stand it, too.
    assert inspect_testutil.run(path, "--all")[0] == 0
    (described,) = json.loads(out)["graphs"]
    return {(risk["level"], risk["kind"]): risk["text"] for risk in described["risks"]}


def _const(graph, name, dtype=tf.float32, shape=(), **values):
    node = graph.node.add(name=name, op="Const")
    node.attr["dtype"].type = dtype.as_datatype_enum
    tensor = node.attr["value"].tensor
    tensor.dtype = dtype.as_datatype_enum
    for size in shape:
        tensor.tensor_shape.dim.add(size=size)
    for field, value in values.items():
        if field == "tensor_content":
            tensor.tensor_content = value
        else:
            getattr(tensor, field).extend(value)
    return node


# ---- Files that are no graphs.


@pytest.mark.parametrize(
    "name, data, why",
    [
        ("empty.pb", b"", "without a node"),
        ("garbage.pb", b"\xff" * 100, "no GraphDef: "),
        ("model.h5", b"\x89HDF\r\n\x1a\n" + bytes(100), "HDF5 file"),
        ("model.tflite", b"\x1c\0\0\0TFL3" + bytes(100), "TensorFlow Lite"),
        ("graph.pbtxt", b"node { name: 3 }", "no GraphDef: "),
        ("graph.pbtxt", b"\xff\xfe", "no GraphDef: "),
        ("utf8.pb", b"\x0a\x05\x0a\x03a\xff\xfe", "not UTF-8"),
        ("model.meta", b"\x12\xff\xff\xff\xff\x0f", "no MetaGraphDef: "),
        (
            "deep.pbtxt",
            b"library { function { node_def { attr { value { func { " * 2000,
            "no GraphDef: ",
        ),
    ],
)
def test_what_is_no_graph_is_refused_with_a_reason(name, data, why, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    status, out, err = inspect_testutil.run(path)
    assert (status, out) == (2, "")
    assert err.startswith(f"tw inspect: {path}: ") and why in err
    assert "Traceback" not in err


def test_paths_that_lead_nowhere_are_told(tmp_path):
    (tmp_path / "model.pb").touch()
    status, _, err = inspect_testutil.run(tmp_path / "modle.pb")
    assert status == 2 and "no such file: " in err and "model.pb" in err
    status, _, err = inspect_testutil.run(tmp_path)
    assert status == 2 and "neither a SavedModel nor a checkpoint" in err
    os.mkfifo(tmp_path / "pipe.pb")
    status, _, err = inspect_testutil.run(tmp_path / "pipe.pb")
    assert status == 2 and "neither a file nor a folder" in err
    assert inspect_testutil.run("")[0] == 2 and inspect_testutil.run("a\0b")[0] == 2


def test_a_graph_that_is_cut_off_or_damaged_never_breaks_the_report(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        tf.while_loop(lambda i: tf.reduce_sum(i) < 5, lambda i: tf.matmul(i, x), [x])
        tf.data.Dataset.range(3).map(lambda i: i + 1)
        tf.read_file("a.txt")
    data = graph.as_graph_def().SerializeToString()
    path = tmp_path / "graph.pb"
    chance = random.Random(1)
    statuses = set()
    for round_ in range(150):
        wrong = bytearray(data)
        if round_ % 3:
            for _ in range(chance.randint(1, 20)):
                wrong[chance.randrange(len(wrong))] = chance.randrange(256)
        else:
            del wrong[chance.randrange(len(wrong)) :]
        path.write_bytes(wrong)
        status, out, err = inspect_testutil.run(path)
        assert status in (0, 2) and (out if status == 0 else err)
        statuses.add(status)
    assert statuses == {0, 2}


def test_a_damaged_checkpoint_is_refused_or_a_finding(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", [3, 2])
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "model"))
    index = tmp_path / "model.index"
    index.write_bytes(index.read_bytes()[:20])
    status, _, err = inspect_testutil.run(prefix)
    assert status == 2 and "Traceback" not in err
    status, out, _ = inspect_testutil.run(f"{prefix}.meta")
    assert status == 0 and "the checkpoint beside it cannot be read" in out


# ---- Graphs that lie.


def test_functions_that_call_themselves_are_findings(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="call", op="f0")
    for i in range(3):
        function = graph.library.function.add()
        function.signature.name = f"f{i}"
        function.node_def.add(name="next", op=f"f{(i + 1) % 3}")
    risks = _risks(graph, tmp_path)
    text = risks["broken", "recursion"]
    assert "call themselves" in text and " -> " in text
    graph.library.function[2].node_def[0].op = "NoOp"
    assert ("broken", "recursion") not in _risks(graph, tmp_path)


def test_a_call_that_hides_in_attrs_or_gradients_is_found(tmp_path):
    graph = tf.GraphDef()
    node = graph.node.add(name="call", op="SymbolicGradient")
    node.attr["f"].func.name = "f"
    for name in ("f", "g"):
        graph.library.function.add().signature.name = name
    graph.library.gradient.add(function_name="f", gradient_func="g")
    hidden = graph.library.function[1].node_def.add(name="n", op="PartitionedCall")
    hidden.attr["f"].func.name = "h"
    hidden.attr["f"].func.attr["inner"].func.name = "g"
    assert "g -> g" in _risks(graph, tmp_path)["broken", "recursion"]


def test_calls_that_multiply_and_nest_are_counted_without_being_made(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="call", op="f0")
    for i in range(5000):
        function = graph.library.function.add()
        function.signature.name = f"f{i}"
        for k in range(2):
            function.node_def.add(name=f"n{k}", op=f"f{i + 1}" if i < 4999 else "NoOp")
    begin = time.monotonic()
    risks = _risks(graph, tmp_path)
    assert "5,000 deep; at most 100" in risks["broken", "recursion"]
    assert (
        "may call functions 1,000,000,000,000,000,000 times" in risks["costly", "calls"]
    )
    assert time.monotonic() - begin < 60


def test_a_function_with_the_name_of_an_op_is_a_finding(tmp_path):
    graph = tf.GraphDef()
    graph.library.function.add().signature.name = "Identity"
    graph.library.function.add()
    for _ in range(2):
        graph.library.function.add().signature.name = "twice"
    graph.node.add(name="x", op="NoOp")
    path = tmp_path / "g.pb"
    path.write_bytes(graph.SerializeToString())
    out = inspect_testutil.run(path)[1]
    assert "a function is called Identity, as an op of this library is" in out
    assert "2 functions are called twice" in out
    assert "the smallest policy that allows it\n  none: " in out


def test_constants_that_do_not_fit_are_findings_and_take_no_memory(tmp_path):
    def fault(**arguments):
        graph = tf.GraphDef()
        _const(graph, "c", **arguments)
        return _risks(graph, tmp_path).get(("broken", "constant"), "")

    assert "asks for 16 bytes, and it has 3" in fault(shape=[4], tensor_content=b"abc")
    assert "no tensor can have the shape" in fault(shape=[1 << 62] * 200)
    assert "no tensor can have the shape" in fault(shape=[-1, 3])
    assert "no tensor can have the shape" in fault(shape=[1] * 300)
    assert "asks for 2 values, and it has 3" in fault(shape=[2], float_val=[1, 2, 3])
    assert fault(shape=[1 << 40], float_val=[1]) == ""
    assert fault(shape=[0, 1 << 62, 1 << 62]) == ""
    graph = tf.GraphDef()
    _const(graph, "c").attr["value"].tensor.dtype = 99
    assert "the dtype type 99" in _risks(graph, tmp_path)["broken", "constant"]
    graph = tf.GraphDef()
    handle = _const(graph, "c", tf.resource)
    handle.attr["value"].tensor.resource_handle_val.add(name="stolen")
    text = _risks(graph, tmp_path)["broken", "constant"]
    assert "only a running process can make" in text


def test_edges_that_lead_nowhere_or_round_in_circles_are_findings(tmp_path):
    graph = tf.GraphDef()
    for name, inputs in (
        ("a", ["nowhere"]),
        ("b", ["c"]),
        ("c", ["b"]),
        ("d", ["^c", "b"]),
        ("e", ["b:7"]),
        ("f", ["b:99999999999999999999999"]),
        ("g", ["f", "f", "f"]),
    ):
        node = graph.node.add(name=name, op="Identity", input=inputs)
        node.attr["T"].type = tf.float32.as_datatype_enum
    path = tmp_path / "g.pb"
    path.write_bytes(graph.SerializeToString())
    out = inspect_testutil.run(path)[1]
    assert "input 'nowhere' is no node that is there: 1 node (a)" in out
    assert re.search(r"a circle that is no loop: 2 nodes \([bc], [bc]\)", out)
    assert "a control input stands before other inputs: 1 node (d)" in out
    assert "input 'b:7' is no output of that node: 1 node (e)" in out
    assert "op Identity takes 1 input here, got 3: 1 node (g)" in out


def test_a_circle_of_identities_behind_a_file_name_ends(tmp_path):
    graph = tf.GraphDef()
    for name, other in (("a", "b"), ("b", "a")):
        node = graph.node.add(name=name, op="Identity", input=[other])
        node.attr["T"].type = tf.string.as_datatype_enum
    graph.node.add(name="read", op="ReadFile", input=["a"])
    graph.node.add(name="bare", op="ReadFile")
    assert ("broken", "cycle") in _risks(graph, tmp_path)
    path = tmp_path / "graph.pb"
    assert tw.main(["doctor", str(path)]) in (0, 1)


def test_attrs_that_are_wrong_are_findings(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="bare", op="MatMul")
    node = graph.node.add(name="kinds", op="MatMul")
    node.attr["T"].s = b"float"
    node.attr["transpose_a"].i = 1
    node = graph.node.add(name="types", op="MatMul")
    node.attr["T"].type = 1234
    node.attr["extra"].i = 1
    graph.node.add(name="few", op="AddN").attr["N"].i = -(1 << 60)
    path = tmp_path / "g.pb"
    path.write_bytes(graph.SerializeToString())
    out = inspect_testutil.run(path, "--all")[1]
    assert "op MatMul, attr 'T': it is missing: 1 node (bare)" in out
    assert "op MatMul, attr 'T': it must be a type, got s: 1 node (kinds)" in out
    assert "op MatMul, attr 'transpose_a': it must be a bool, got i" in out
    assert "op MatMul, attr 'T': 1234 is no dtype: 1 node (types)" in out
    assert "op MatMul has no attr 'extra' here: 1 node (types)" in out
    assert "attr 'N': it must be at least 1, got -1152921504606846976" in out
    assert tw.main(["doctor", str(path)]) == 1


def test_producers_and_versions_of_any_number_are_told(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="x", op="NoOp")
    for producer in (-5, 0, 2**31 - 1):
        graph.versions.producer = producer
        assert _risks(graph, tmp_path) == {}
    graph.versions.min_consumer = 1000
    graph.versions.bad_consumers.append(24)
    assert ("broken", "version") in _risks(graph, tmp_path)


def test_a_million_things_are_told_in_few_lines(tmp_path):
    graph = tf.GraphDef()
    for i in range(3000):
        graph.node.add(name=f"n{i}", op=f"Unknown{i}", input=[f"gone{i}"])
    graph.node.add(name="long" * 100_000, op="Long" * 100_000)
    graph.node.add(name="a/" * 100_000, op="NoOp")
    for i in range(300):
        graph.node.add(name=f"q{i}", op="ReadFile", device=f"/device:D{i}:0")
    begin = time.monotonic()
    _risks(graph, tmp_path)
    out = inspect_testutil.run(tmp_path / "graph.pb")[1]
    assert len(out.splitlines()) < 200 and max(map(len, out.splitlines())) < 2000
    assert "--all prints them" in out
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize(
    "filename", ["../../../../../../../../etc/passwd", "/etc/passwd"]
)
def test_an_asset_that_lies_elsewhere_is_a_risk(filename, tmp_path):
    saved = saved_model_pb2.SavedModel()
    meta = saved.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    name = _const(meta.graph_def, "name", tf.string, string_val=[b"words.txt"])
    meta.graph_def.node.add(name="read", op="ReadFile", input=[name.name])
    asset = meta.asset_file_def.add(filename=filename)
    asset.tensor_info.name = "name:0"
    meta.signature_def["serve"].outputs["y"].name = "read:0"
    meta.signature_def["lost"].outputs["y"].name = "gone:0"
    meta.signature_def["strange"].inputs["x"].dtype = 99
    (tmp_path / "saved_model.pb").write_bytes(saved.SerializeToString())
    status, out, _ = inspect_testutil.run(tmp_path)
    assert status == 0
    assert "an asset outside of the model's folder: ReadFile (read)" in out
    assert "signature 'lost' names nodes that are not there: gone" in out
    assert "strange: touches and needs nothing" in out


# ---- Names that attack whoever looks.


def test_names_cannot_drive_a_terminal(tmp_path):
    graph = tf.GraphDef()
    graph.node.add(name="\x1b[2J\x07\u202egone", op="Evil\x1b]0;title\x07\r\nop")
    path = tmp_path / "g.pb"
    path.write_bytes(graph.SerializeToString())
    for arguments in ((path,), (path, "--all"), (path, "--json")):
        out = inspect_testutil.run(*arguments)[1]
        assert "\x1b" not in out and "\x07" not in out and "\u202e" not in out
        assert "\r" not in out
    assert "\\x1b[2J\\x07\\u202egone" in inspect_testutil.run(path)[1]
