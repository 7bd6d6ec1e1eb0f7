# SPDX-License-Identifier: Apache-2.0
"""Sessions and processes: forks, closing inside of a run, messages that are pickled."""

import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def in_child(function):
    """Runs a function in a forked child and returns its result as text; the child ends after ten seconds."""
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


AT_THE_END = """
import threading, time
import numpy as np
import tensorwright as tf
from tensorwright.python.ops import gen_data_flow_ops

session = tf.Session()
x = tf.placeholder(tf.float32, [1000])
endless = tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [tf.reduce_sum(x) * 0])
fetches = {
    "waits": gen_data_flow_ops.unstage([tf.float32]),
    "loops": endless,
    "calls": tf.while_loop(
        lambda i: i >= 0, lambda i: tf.reduce_sum(tf.py_func(
            lambda v: v, [i], tf.float32)), [tf.reduce_sum(x) * 0]),
}
for _ in range(3):
    threading.Thread(
        target=lambda: session.run(fetches[KIND], {x: np.zeros(1000)}), daemon=True
    ).start()
time.sleep(0.3)
DROP
print("the end")
"""


@pytest.mark.parametrize("drop", ["", "del session"])
@pytest.mark.parametrize("kind", ["waits", "loops", "calls"])
def test_python_ends_while_daemon_threads_are_in_runs(kind, drop):
    code = AT_THE_END.replace("KIND", repr(kind)).replace("DROP", drop)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(3):
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env=env, timeout=60
        )
        assert (ran.returncode, ran.stdout) == (0, b"the end\n"), ran.stderr[-2000:]
