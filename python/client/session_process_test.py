# SPDX-License-Identifier: Apache-2.0
"""Sessions and processes: forks, closing inside of a run, messages that are pickled."""

import os
import pickle
import signal

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def in_child(function):
    """What a forked child's function returns, as text; the child ends after ten seconds."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        try:
            text = str(function())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(pid, 0)
    return text


def test_a_session_of_the_parent_refuses_in_a_child():
    x = tf.constant(1.0) + 1.0
    y = tf.constant(2.0)
    with tf.Session() as session:
        assert session.run(x) == 2.0
        for fetch in (x, y):
            text = in_child(lambda: session.run(fetch))
            assert text.startswith("RuntimeError: This Session belongs to the process")
        assert in_child(session.close) == "None"
        assert session.run(x) == 2.0


def test_a_session_is_not_closed_inside_of_its_own_run():
    session = tf.Session()
    other = tf.Session(graph=tf.Graph())

    def closes(which):
        (session, other)[which].close()
        return np.float32(1.0)

    which = tf.placeholder(tf.int32, [])
    closing = tf.py_func(closes, [which], tf.float32)
    with pytest.raises(tf.errors.UnknownError, match="cannot be closed inside of its"):
        session.run(closing, {which: 0})
    assert session.run(closing, {which: 1}) == 1.0
    session.close()


@pytest.mark.parametrize(
    "proto",
    [
        tf.GraphDef(versions={"producer": 3}),
        tf.ConfigProto(device_count={"CPU": 2}),
        tf.RunMetadata(),
        tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)]),
        tf.train.Example(),
        tf.profiler.AdviceProto(),
    ],
    ids=lambda proto: type(proto).__name__,
)
def test_messages_are_pickled(proto):
    assert pickle.loads(pickle.dumps(proto)) == proto
