# SPDX-License-Identifier: Apache-2.0
"""RemoteFusedGraphExecute on an executor that a library brings, and without one."""

import pathlib
import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import remote_fused_graph_execute_info_pb2
from tensorwright.python.ops import gen_remote_fused_graph_ops

LIBRARY = "python/kernel_tests/remote_fused_graph/scaling_executor.so"


@pytest.fixture(scope="module", autouse=True)
def executor():
    tf.load_library(str(pathlib.Path(tf.__file__).parent / LIBRARY))


def info(name="scaling", parameter=b"2.5", inputs=("a", "b"), outputs=("x", "y")):
    message = remote_fused_graph_execute_info_pb2.RemoteFusedGraphExecuteInfo()
    message.executor_name = name
    message.serialized_executor_parameters = parameter
    message.graph_input_node_name.extend(inputs)
    message.graph_output_node_name.extend(outputs)
    return message.SerializeToString()


def run(serialized, *values, outputs=2):
    with tf.Graph().as_default(), tf.Session() as sess:
        built = gen_remote_fused_graph_ops.remote_fused_graph_execute(
            [tf.constant(v, tf.float32) for v in values],
            [tf.float32] * outputs,
            serialized,
        )
        assert all(t.shape.ndims is None for t in built)
        return sess.run(built)


def test_the_executor_runs_the_graph():
    x, y = run(info(), [1, 2], [[4.0]])
    np.testing.assert_array_equal(x, [2.5, 5])
    np.testing.assert_array_equal(y, [[10]])
    (x,) = run(
        info(parameter=b"-1", inputs="a", outputs="x"), np.zeros([0, 3]), outputs=1
    )
    assert x.shape == (0, 3)


def test_constants_do_not_keep_it_from_running_in_every_step():
    with tf.Graph().as_default(), tf.Session() as sess:
        (x,) = gen_remote_fused_graph_ops.remote_fused_graph_execute(
            [tf.constant(3.0)], [tf.float32], info(inputs="a", outputs="x")
        )
        assert [sess.run(x) for _ in range(3)] == [7.5] * 3


def test_steps_at_once_do_not_mix():
    with tf.Graph().as_default(), tf.Session() as sess:
        p = tf.placeholder(tf.float32)
        (x,) = gen_remote_fused_graph_ops.remote_fused_graph_execute(
            [p], [tf.float32], info(inputs="a", outputs="x")
        )
        wrong = []

        def steps(value):
            for _ in range(100):
                if not np.array_equal(sess.run(x, {p: [value] * 7}), [2.5 * value] * 7):
                    wrong.append(value)

        threads = [threading.Thread(target=steps, args=[v]) for v in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not wrong


def test_an_executor_that_is_not_there():
    with pytest.raises(
        tf.errors.NotFoundError, match=r"named 'dsp'; there are: .*scaling"
    ):
        run(info(name="dsp"), 1, 2)


def test_the_attr_must_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="no such message"):
        run(b"\xff\xff", 1, 2)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="2 of graph_input_node_name"
    ):
        run(info(), 1)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="2 of graph_output_node_name"
    ):
        run(info(), 1, 2, outputs=1)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="executor scaling: the parameter"
    ):
        run(info(parameter=b"much"), 1, 2)


def test_an_output_that_the_executor_does_not_make():
    with pytest.raises(tf.errors.InternalError, match="no output was made of node x"):
        run(info(parameter=b"nan"), 1, 2)
