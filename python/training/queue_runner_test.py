# SPDX-License-Identifier: Apache-2.0
"""Threads that fill queues."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf


def counting_runner(limit, capacity=100):
    """A queue that two threads fill with 1, 2, ..., limit."""
    v = tf.Variable(0, trainable=False)
    queue = tf.FIFOQueue(capacity, tf.int32, shapes=[[]])
    enqueue = queue.enqueue(v.count_up_to(limit))
    return queue, tf.train.QueueRunner(queue, [enqueue, enqueue])


def test_the_queue_is_closed_at_the_end_of_the_input():
    with tf.Graph().as_default(), tf.Session() as session:
        queue, runner = counting_runner(20)
        session.run(tf.global_variables_initializer())
        threads = runner.create_threads(session, start=True)
        assert len(threads) == 2
        for thread in threads:
            thread.join(20)
        assert session.run([queue.size(), queue.is_closed()]) == [20, True]
        values = session.run(queue.dequeue_up_to(50))
        assert sorted(values.tolist()) == list(range(20))
        assert runner.exceptions_raised == []


def test_a_coordinator_stops_who_waits():
    with tf.Graph().as_default(), tf.Session() as session:
        queue, runner = counting_runner(1000, capacity=3)
        tf.train.add_queue_runner(runner)
        session.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        assert len(threads) == 3 and all(t.daemon for t in threads)
        # They run already.
        assert tf.train.start_queue_runners(coord=coord) == []
        time.sleep(0.02)
        coord.request_stop()
        coord.join(threads)
        assert session.run(queue.is_closed())


def test_an_error_reaches_the_coordinator():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, tf.float32, shapes=[[]])
        bad = tf.check_numerics(tf.constant(np.nan, tf.float32), "not a number")
        runner = tf.train.QueueRunner(queue, [queue.enqueue(bad)])
        coord = tf.train.Coordinator()
        threads = runner.create_threads(session, coord, start=True)
        # A dequeue that waits ends, too.
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(queue.dequeue())
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
            coord.join(threads)


def test_without_a_coordinator_errors_are_kept():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, tf.float32, shapes=[[]])
        bad = tf.check_numerics(tf.constant(np.nan, tf.float32), "not a number")
        runner = tf.train.QueueRunner(queue, [queue.enqueue(bad)])
        hook, threading.excepthook = threading.excepthook, lambda args: None
        try:
            for thread in runner.create_threads(session, start=True):
                thread.join(20)
        finally:
            threading.excepthook = hook
        (error,) = runner.exceptions_raised
        assert isinstance(error, tf.errors.InvalidArgumentError)


def test_a_runner_as_a_proto():
    with tf.Graph().as_default() as graph:
        with tf.name_scope("in"):
            queue, _ = counting_runner(10)
            runner = tf.train.QueueRunner(
                queue,
                [queue.enqueue(1)],
                queue_closed_exception_types=(
                    tf.errors.OutOfRangeError,
                    tf.errors.CancelledError,
                ),
            )
        proto = runner.to_proto()
        assert proto.queue_name == "in/fifo_queue"
        assert list(proto.queue_closed_exception_types) == [11, 1]
        again = tf.train.QueueRunner.from_proto(proto)
        assert again.name == "in/fifo_queue" and again.to_proto() == proto
        assert again.enqueue_ops == runner.enqueue_ops
        assert runner.to_proto("other") is None
        assert runner.to_proto("in").queue_name == "fifo_queue"
        assert graph.as_graph_element(proto.close_op_name) == runner.close_op


def test_bad_arguments_are_refused():
    with tf.Graph().as_default():
        queue, runner = counting_runner(10)
        make = tf.train.QueueRunner
        with pytest.raises(ValueError, match="Must provide"):
            make(queue, [])
        with pytest.raises(ValueError, match="mutually exclusive"):
            make(queue, queue_runner_def=runner.to_proto())
        for types in ([tf.errors.OutOfRangeError], (), (KeyError,)):
            with pytest.raises(TypeError, match="tuple of"):
                make(queue, [queue.enqueue(1)], queue_closed_exception_types=types)
        with pytest.raises(ValueError, match="No default session"):
            tf.train.start_queue_runners()
        with pytest.raises(TypeError, match="tf.Session"):
            tf.train.start_queue_runners(3)
