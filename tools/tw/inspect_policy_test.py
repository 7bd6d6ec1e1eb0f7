# SPDX-License-Identifier: Apache-2.0
"""The policies that `tw inspect` prints: each allows its graph, and nothing less does."""

import pytest

import tensorwright as tf
from tensorwright.python.framework import function
from tensorwright.tools.tw import inspect_needs, inspect_testutil


@function.Defun(tf.string)
def _reader(name):
    return tf.read_file(name, name="read")


_MAKERS = {
    "blocking": lambda: tf.FIFOQueue(2, tf.float32).dequeue(),
    "unbounded memory": lambda: tf.fill(tf.placeholder(tf.int32, [1]), 1.0),
    "files read": lambda: tf.read_file(tf.placeholder(tf.string)),
    "files written": lambda: tf.write_file(tf.placeholder(tf.string), "x"),
    "python": lambda: tf.py_func(lambda: 1.0, [], tf.float64),
    "host": lambda: tf.timestamp(),
    "a path that could end a text": lambda: tf.read_file('/tmp/a"]\n\\b'),
    "a file": lambda: tf.read_file("/etc/hostname"),
    "a file for a function": lambda: _reader(tf.constant("/etc/hostname")),
    "a file for a function that is told late": lambda: [
        _reader(tf.constant("/etc/hostname")),
        _reader(tf.placeholder(tf.string)),
    ],
    "printing": lambda: tf.print("x"),
    "printing into a file": lambda: tf.print("x", output_stream="file:///tmp/x"),
    "elements in memory": lambda: tf.data.Dataset.range(2).cache()._variant_tensor,
    "elements in files": lambda: (
        tf.data.Dataset.range(2).cache("/tmp/elements")._variant_tensor
    ),
    "a function": lambda: (
        tf.data.Dataset.range(2)
        .map(lambda i: tf.py_func(lambda j: j, [i], tf.int64))
        ._variant_tensor
    ),
}


@pytest.mark.parametrize("name", _MAKERS)
def test_the_policy_allows_the_graph_and_no_smaller_one_does(name, tmp_path):
    with tf.Graph().as_default() as graph:
        _MAKERS[name]()
    definition = graph.as_graph_def()
    path = inspect_testutil.write(tmp_path / "g.pb", definition)
    made = inspect_testutil.report(path)["graphs"][0]["policy"]["all"]
    assert made["refused"] == "" and made["code"] in inspect_testutil.run(path)[1]
    inspect_testutil.policy_of(made["code"]).check(definition)
    arguments = made["arguments"]
    smaller = [
        {**arguments, "allow": [k for k in arguments["allow"] if k != kind]}
        for kind in arguments["allow"]
    ]
    smaller += [
        {k: v for k, v in arguments.items() if k != argument}
        for argument in ("read", "write", "allow_ops")
        if argument in arguments
    ]
    assert smaller
    for less in smaller:
        with pytest.raises(tf.errors.PermissionDeniedError):
            tf.Policy.sandbox(**less).check(definition)


def test_an_op_that_could_open_files_and_does_not_is_a_note(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.print("x", name="said")
    report = inspect_testutil.report(
        inspect_testutil.write(tmp_path / "g.pb", graph.as_graph_def())
    )
    assert inspect_testutil.texts(report, "outside") == []
    assert any(
        "opens none here: PrintV2 (said)" in t
        for t in inspect_testutil.texts(report, "note")
    )


def test_every_capability_is_one_that_policies_know():
    tf.Policy(allow=inspect_needs.CAPABILITIES)
    with pytest.raises(ValueError, match="which is no capability"):
        tf.Policy(allow=["soup"])


def test_limits_beyond_the_sandbox_stand_in_the_policy(tmp_path):
    graph = tf.GraphDef()
    node = graph.node.add(name="big", op="Const")
    node.attr["dtype"].type = tf.float32.as_datatype_enum
    tensor = node.attr["value"].tensor
    tensor.dtype = tf.float32.as_datatype_enum
    tensor.tensor_shape.dim.add(size=1 << 29)
    tensor.float_val.append(1)
    path = inspect_testutil.write(tmp_path / "g.pb", graph)
    made = inspect_testutil.report(path)["graphs"][0]["policy"]["all"]
    assert made["arguments"]["max_constant_bytes"] == 1 << 31
    inspect_testutil.policy_of(made["code"]).check(graph)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.Policy.sandbox(allow=[]).check(graph)
    assert any(
        "takes 2.147 GB, of which" in t
        for t in inspect_testutil.texts(inspect_testutil.report(path), "costly")
    )
