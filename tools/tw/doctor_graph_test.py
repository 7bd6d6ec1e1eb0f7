# SPDX-License-Identifier: Apache-2.0
"""tw doctor on graphs, and on devices that a process does not have."""

import contextlib
import io

import pytest

import tensorwright as tf
from tensorwright.core.protobuf import meta_graph_pb2, saved_model_pb2
from tensorwright.tools.tw import doctor, doctor_graph, main as tw


def _doctor(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = tw.main(["doctor", *map(str, arguments)])
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def graph():
    """A graph that runs here."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        tf.matmul(x, x, name="y")
    return graph.as_graph_def()


def _write(path, message):
    path.write_bytes(message.SerializeToString())
    return path


def test_a_graph_that_runs_here_has_nothing_to_tell(graph, tmp_path):
    graph.versions.producer = 24
    path = _write(tmp_path / "g.pb", graph)
    assert _doctor(path) == (
        0,
        f"{path}: 2 nodes, made by TensorFlow 1.x or earlier (producer 24)\n"
        "1 file read, 0 found\n",
        "",
    )


def test_missing_ops_say_who_uses_them_and_where_they_are_from(graph, tmp_path):
    for i in range(5):
        graph.node.add(name=f"dot{i}", op="XlaDot", input=["y"])
    graph.node.add(name="odd", op="MatMull", input=["y"])
    graph.versions.producer = 561
    status, out, _ = _doctor(_write(tmp_path / "g.pb", graph))
    assert status == 1
    assert "made by a TensorFlow of about October 2020 (producer 561)" in out
    assert "missing: op XlaDot, which 5 nodes use (dot0, dot1, dot2 and 2 more)" in out
    assert "it came between TensorFlow 1.3 and 2.21" in out
    assert "op MatMull, which 1 node uses (odd): no op of TensorFlow 2.21" in out
    assert "similar: MatMul" in out and "8 nodes" in out


def test_the_version_that_wrote_a_saved_model_is_told(graph, tmp_path):
    saved = saved_model_pb2.SavedModel()
    meta = saved.meta_graphs.add(graph_def=graph)
    meta.meta_info_def.tensorflow_version = "1.15.2"
    _write(tmp_path / "saved_model.pb", saved)
    _, out, _ = _doctor(tmp_path)
    assert "2 nodes, made by TensorFlow 1.15.2 (producer " in out
    assert out.endswith("1 file read, 0 found\n")
    alone = meta_graph_pb2.MetaGraphDef(graph_def=graph)
    assert "2 nodes" in _doctor(_write(tmp_path / "model.meta", alone))[1]
    (tmp_path / "g.pbtxt").write_text(str(graph))
    assert "2 nodes" in _doctor(tmp_path / "g.pbtxt")[1]


def test_ops_inside_functions_are_examined(graph, tmp_path):
    function = graph.library.function.add()
    function.signature.name = "Mine"
    function.node_def.add(name="inner", op="XlaDot")
    graph.node.add(name="call", op="Mine", input=["x"])
    _, out, _ = _doctor(_write(tmp_path / "g.pb", graph))
    assert "op XlaDot, which 1 node uses (inner)" in out and "op Mine" not in out


def test_types_without_a_kernel_are_missing(graph, tmp_path):
    node = graph.node.add(name="mm", op="MatMul", input=["y", "y"])
    node.attr["T"].type = tf.bool.as_datatype_enum
    status, out, _ = _doctor(_write(tmp_path / "g.pb", graph))
    assert status == 1
    assert "missing: a CPU kernel of MatMul for T=bool, which 1 node uses (mm)" in out


def test_files_are_named_with_the_node_that_reads_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.txt").touch()
    with tf.Graph().as_default() as graph:
        tf.read_file("gone.txt", name="gone")
        tf.read_file("here.txt", name="here")
        tf.read_file(tf.placeholder(tf.string), name="later")
        tf.write_file("out.txt", "text", name="out")
        tf.get_variable("v", [1])
        tf.train.Saver()
    status, out, _ = _doctor(_write(tmp_path / "g.pb", graph.as_graph_def()))
    assert status == 0  # None of it is a fault of the graph.
    assert "reads: gone.txt (no such file here), ReadFile gone\n" in out
    assert "reads: here.txt, ReadFile here\n" in out
    assert "named when it runs: ReadFile, 1 node uses (later)" in out
    assert "writes: out.txt, WriteFile out\n" in out
    # The name of a variable in a checkpoint is no file.
    assert "reads: v" not in out and "writes: v" not in out
    # Nor is what is written into one.
    assert "writes: text" not in out


def test_files_that_functions_read_are_named(graph, tmp_path):
    function = graph.library.function.add()
    function.signature.name = "Mine"
    name = function.node_def.add(name="name", op="Const")
    name.attr["value"].tensor.CopyFrom(tf.make_tensor_proto("gone.txt"))
    function.node_def.add(name="inner", op="ReadFile", input=["name:output:0"])
    graph.node.add(name="call", op="Mine")
    _, out, _ = _doctor(_write(tmp_path / "g.pb", graph))
    assert "reads: gone.txt (no such file here), ReadFile inner\n" in out


def test_devices_that_this_process_lacks_are_different(graph, tmp_path):
    graph.node[0].device = "/job:worker/task:1/device:TPU:0"
    graph.node[1].device = "/device:CPU:0"
    status, out, _ = _doctor(_write(tmp_path / "g.pb", graph))
    assert status == 1
    assert "different: device TPU:0 is none of this process (CPU:0): 1 node" in out
    assert "allow_soft_placement=True" in out


@pytest.mark.parametrize(
    ("device", "unknown"),
    [
        ("/gpu:0", "GPU:0"),
        ("/device:GPU:1", "GPU:1"),
        ("/job:ps/task:0", ""),
        ("/job:ps/task:0/cpu:0", ""),
        ("/cpu:0", ""),
        ("/device:CPU:*", ""),
        ("", ""),
    ],
)
def test_a_device_is_unknown_by_its_type(device, unknown):
    assert doctor_graph.unknown_device(device) == unknown


def test_a_program_for_another_device_is_different_unless_it_places_softly():
    program = (
        "import tensorflow as tf\nwith tf.device('/gpu:0'):\n    x = tf.ones([2])\n"
    )
    (found,) = doctor.findings(program)
    assert (found.line, found.kind) == (2, doctor.DIFFERENT)
    assert "the devices of this process are CPU:0" in found.text
    soft = "s = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\n"
    assert doctor.findings(program + soft) == []
    assert doctor.findings(program.replace("gpu", "cpu")) == []


def test_what_is_no_graph_is_unreadable(tmp_path):
    (tmp_path / "empty.pb").touch()
    (tmp_path / "bad.pb").write_bytes(b"\xff\xff\xff")
    (tmp_path / "bad.pbtxt").write_text("node: 3")
    for name in ("empty.pb", "bad.pb", "bad.pbtxt"):
        status, out, _ = _doctor(tmp_path / name)
        assert status == 2 and "unreadable: " in out
    status, _, err = _doctor(tmp_path / "nosuch.pb")
    assert status == 2 and "no such file: " in err and "similar: " not in err
