# SPDX-License-Identifier: Apache-2.0
"""Staging areas: tuples in order, limits, waiting."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import data_flow_ops

TIMEOUT = tf.RunOptions(timeout_in_ms=20)


def test_tuples_come_in_order():
    with tf.Graph().as_default(), tf.Session() as session:
        area = data_flow_ops.StagingArea([tf.float32, tf.string], shapes=[[2], []])
        x = tf.placeholder(tf.float32, [2])
        put = area.put([x, "s"])
        for i in range(3):
            session.run(put, {x: [i, -i]})
        assert session.run(area.size()) == 3
        peeked = session.run(area.peek(2))
        assert peeked[0].tolist() == [2, -2] and peeked[1] == b"s"
        get = area.get()
        assert [g.shape for g in get] == [[2], []]
        assert [session.run(get)[0].tolist() for _ in range(2)] == [[0, 0], [1, -1]]
        session.run(area.clear())
        assert session.run(area.size()) == 0


def test_names_make_dictionaries():
    with tf.Graph().as_default(), tf.Session() as session:
        area = data_flow_ops.StagingArea([tf.int32, tf.int32], names=["a", "b"])
        session.run(area.put({"b": 2, "a": 1}))
        assert session.run(area.get()) == {"a": 1, "b": 2}
        with pytest.raises(ValueError, match="dictionary"):
            area.put([1, 2])
        with pytest.raises(ValueError, match="names"):
            data_flow_ops.StagingArea([tf.int32]).put({"a": 1})


def test_a_full_area_waits_and_so_does_an_empty_one():
    with tf.Graph().as_default(), tf.Session() as session:
        area = data_flow_ops.StagingArea([tf.int32], capacity=1)
        put, get = area.put([1]), area.get()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(get, options=TIMEOUT)
        session.run(put)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(put, options=TIMEOUT)
        waits = threading.Thread(target=lambda: session.run(put))
        waits.start()
        time.sleep(0.02)
        assert waits.is_alive()
        assert session.run(get) == [1]
        waits.join(20)
        assert session.run(area.size()) == 1
        waits = threading.Thread(target=lambda: session.run(put))
        waits.start()
        session.run(area.clear())
        waits.join(20)
        assert not waits.is_alive()


def test_a_limit_of_memory():
    with tf.Graph().as_default(), tf.Session() as session:
        area = data_flow_ops.StagingArea([tf.float32], memory_limit=100)
        x = tf.placeholder(tf.float32)
        put = area.put([x])
        session.run(put, {x: np.zeros(15)})
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(put, {x: np.zeros(15)}, options=TIMEOUT)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="memory limit"):
            session.run(put, {x: np.zeros(26)})
        session.run(put, {x: np.zeros(10)})


def test_wrong_use_is_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        area = data_flow_ops.StagingArea([tf.int32], shared_name="s")
        session.run(area.put([1]))
        other = data_flow_ops.StagingArea([tf.float32], shared_name="s")
        with pytest.raises(tf.errors.InvalidArgumentError, match="dtypes"):
            session.run(other.get())
        with pytest.raises(tf.errors.InvalidArgumentError, match="index"):
            session.run(area.peek(-1))
        with pytest.raises(ValueError):
            area.put([1, 2])
