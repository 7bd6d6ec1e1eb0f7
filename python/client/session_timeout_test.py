# SPDX-License-Identifier: Apache-2.0
"""A run's timeout and Ctrl-C reach all that it calls: functions, loops, functions of datasets, folded constants."""

import os
import signal
import threading
import time

import pytest

import tensorwright as tf
from tensorwright.core.framework import graph_pb2, types_pb2
from tensorwright.python.framework import errors, function

pytestmark = pytest.mark.usefixtures("fresh_graph")

# Without an end from outside, a run takes for ever; an ended one takes some milliseconds more than its timeout.
_TIMEOUT_MS = 300
_PATIENCE_SECONDS = 20


@function.Defun(tf.int32)
def _endless(x):
    return tf.while_loop(lambda i: i >= 0, lambda i: i * 0 + 1, [x])


@function.Defun(tf.int64)
def _endless_element(x):
    loop = tf.while_loop(lambda i: i >= 0, lambda i: i * 0 + 1, [tf.constant(1)])
    return tf.cast(loop, tf.int64) + x


def _ends(fetch, config=None):
    """Runs `fetch` under a timeout and asserts that this ends it, and nothing more of the session."""
    start = time.monotonic()
    with tf.Session(config=config) as session:
        options = tf.RunOptions(timeout_in_ms=_TIMEOUT_MS)
        with pytest.raises(errors.DeadlineExceededError):
            session.run(fetch, options=options)
        assert time.monotonic() - start < _PATIENCE_SECONDS
        assert session.run(tf.constant(3) + 4) == 7


def _is_interrupted(fetch):
    """The same by Ctrl-C."""
    start = time.monotonic()
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    with tf.Session() as session:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(fetch)
        assert time.monotonic() - start < _PATIENCE_SECONDS
        assert session.run(tf.constant(3) + 4) == 7


def _elements(by):
    return tf.data.Dataset.range(5).map(by).make_one_shot_iterator().get_next()


def _doubling(depth):
    """A node of `depth` functions, each of which calls the next twice."""
    graph = graph_pb2.GraphDef()
    for i in range(depth + 1):
        f = graph.library.function.add()
        f.signature.name = f"f{i}"
        f.signature.input_arg.add(name="x", type=types_pb2.DT_FLOAT)
        f.signature.output_arg.add(name="y", type=types_pb2.DT_FLOAT)
        last = i == depth
        calls = (("a", "x"),) if last else (("a", "x"), ("b", "a:y:0"))
        for name, operand in calls:
            op = "Neg" if last else f"f{i + 1}"
            node = f.node_def.add(name=name, op=op, input=[operand])
            if last:
                node.attr["T"].type = types_pb2.DT_FLOAT
        f.ret["y"] = f"{calls[-1][0]}:y:0"
    graph.node.add(name="r", op="f0", input=["c"])
    c = graph.node.add(name="c", op="Const")
    c.attr["dtype"].type = types_pb2.DT_FLOAT
    c.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(2.0))
    tf.import_graph_def(graph, name="")
    return "r:0"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_loop_of_a_called_function_ends_with_the_runs_timeout(threads):
    config = tf.ConfigProto(inter_op_parallelism_threads=threads)
    _ends(_endless(tf.constant(1)), config)


def test_ctrl_c_ends_the_loop_of_a_called_function():
    _is_interrupted(_endless(tf.constant(1)))


def test_a_loop_of_a_datasets_function_ends_with_the_runs_timeout():
    _ends(_elements(lambda x: _endless_element(x)))


def test_ctrl_c_ends_the_loop_of_a_datasets_function():
    _is_interrupted(_elements(lambda x: _endless_element(x)))


def test_many_short_calls_end_with_the_runs_timeout():
    _ends(_doubling(40))


def test_ctrl_c_ends_many_short_calls():
    _is_interrupted(_doubling(40))


def _slow_constants():
    """Some seconds of products of constants, each of which is small enough to be folded."""
    x = tf.ones([900, 900])
    for _ in range(3000):
        x = tf.matmul(x, x) * 1e-3
    return x


def test_folding_constants_counts_against_the_runs_timeout():
    _ends(_slow_constants())


def test_ctrl_c_ends_the_folding_of_constants():
    _is_interrupted(_slow_constants())


def test_constants_of_a_function_whose_first_call_ran_out_of_time_are_folded_later():
    @function.Defun(tf.float32)
    def f(x):
        product = tf.ones([400, 400])
        for _ in range(400):
            product = tf.matmul(product, product) * (1 / 400)
        return product[0, 0] + x

    y = f(tf.constant(1.0))
    with tf.Session() as session:
        with pytest.raises(errors.DeadlineExceededError):
            session.run(y, options=tf.RunOptions(timeout_in_ms=20))
        assert session.run(y) == pytest.approx(2.0, rel=1e-3)


def test_the_timeout_of_the_sessions_config_counts_too():
    config = tf.ConfigProto(operation_timeout_in_ms=_TIMEOUT_MS)
    for fetch in (_endless(tf.constant(1)), _slow_constants()):
        start = time.monotonic()
        with tf.Session(config=config) as session:
            with pytest.raises(errors.DeadlineExceededError):
                session.run(fetch)
        assert time.monotonic() - start < _PATIENCE_SECONDS
