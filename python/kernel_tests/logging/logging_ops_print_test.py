# SPDX-License-Identifier: Apache-2.0
"""tf.print into files and streams, and tf.timestamp."""

import sys
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_logging_ops
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")


def printed(tmp_path, *inputs, **kwargs):
    path = tmp_path / "out"
    path.unlink(missing_ok=True)
    operation = tf.print(*inputs, output_stream=f"file://{path}", **kwargs)
    with tf.Session() as session:
        assert session.run(operation) is None
    return path.read_text()


def test_what_is_written(tmp_path):
    word, numbers = tf.constant("s"), tf.range(4)
    assert printed(tmp_path, "hi", numbers) == "hi [0 1 2 3]\n"
    assert printed(tmp_path, word) == "s\n"
    assert printed(tmp_path, tf.constant(["s"])) == '["s"]\n'
    assert (
        printed(
            tmp_path,
            "hi", numbers, {"b": tf.constant(3), "a": [word, 1]}, [1, 2, word], (1.5, None),
            sep="|", end="END",
        )
        == """hi|[0 1 2 3]|{'a': ["s", 1], 'b': 3}|[1, 2, "s"]|(1.5, None)END"""
    )  # fmt: skip
    assert printed(tmp_path, "{} x", 3, 'quo"te') == '{} x 3 quo"te\n'
    assert printed(tmp_path, "{}", numbers) == "{} [0 1 2 3]\n"
    assert printed(tmp_path, np.arange(3)) == "array([0, 1, 2])\n"
    assert printed(tmp_path) == "\n"


def test_how_much_is_written(tmp_path):
    x = tf.range(20)
    assert printed(tmp_path, x) == "[0 1 2 ... 17 18 19]\n"
    assert printed(tmp_path, x, summarize=1) == "[0 ... 19]\n"
    all_of_it = "[" + " ".join(map(str, range(20))) + "]\n"
    assert printed(tmp_path, x, summarize=-1) == all_of_it


def test_sparse_tensors_and_variables(tmp_path):
    sparse = tf.SparseTensor([[0], [2]], [1, 2], [3])
    text = printed(tmp_path, sparse)
    assert text.replace("'", "") == (
        "SparseTensor(indices=[[0]\n [2]], values=[1 2], shape=[3])\n"
    )
    variable = tf.Variable([1.5], name="v")
    path = tmp_path / "out"
    operation = tf.print("v:", variable, output_stream=f"file://{path}")
    path.unlink()
    with tf.Session() as session:
        session.run(variable.initializer)
        session.run(operation)
        session.run(operation)
    assert path.read_text() == "v: [1.5]\n" * 2


@pytest.mark.parametrize(
    "stream", [None, "stderr", tf.logging.info, tf.logging.error, "log(warning)"]
)
def test_streams(stream, capfd):
    evaluate(tf.print("a line", 7, output_stream=stream or sys.stderr))
    assert "a line 7" in capfd.readouterr().err


def test_the_output(capfd):
    evaluate(tf.print("a line", output_stream=sys.stdout))
    assert capfd.readouterr().out == "a line\n"


def test_a_dependency_runs_it(tmp_path):
    path = tmp_path / "out"
    with tf.control_dependencies([tf.print("seen", output_stream=f"file://{path}")]):
        x = tf.constant(1) + 1
    assert evaluate(x) == 2
    assert path.read_text() == "seen\n"


def test_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("x", output_stream="nowhere")
    with pytest.raises(ValueError, match="Unrecognized keyword"):
        tf.print("x", color="red")
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="rank 0"):
        gen_logging_ops.print_v2(["a", "b"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_stream must be"):
        evaluate(gen_logging_ops.print_v2("a", output_stream="nowhere"))
    missing = f"file://{tmp_path}/no/such/folder"
    with pytest.raises(tf.errors.InvalidArgumentError, match="not writable"):
        evaluate(tf.print("x", output_stream=missing))


def test_timestamp():
    stamp = tf.timestamp()
    assert stamp.dtype == tf.float64 and stamp.shape == ()
    with tf.Session() as session:
        before = time.time()
        first, second = session.run(stamp), session.run(stamp)
        assert before - 1e-3 <= first <= second <= time.time() + 1e-3
