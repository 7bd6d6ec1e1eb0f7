# SPDX-License-Identifier: Apache-2.0
"""Threads that end together."""

import sys
import threading
import time

import pytest

import tensorwright as tf


def started(target, *args):
    thread = threading.Thread(target=target, args=args)
    thread.start()
    return thread


def test_all_stop_when_one_asks():
    coord = tf.train.Coordinator()
    counts = [0, 0]

    def counts_on(i):
        while not coord.should_stop():
            counts[i] += 1
            time.sleep(0.001)

    threads = [started(counts_on, i) for i in range(2)]
    assert not coord.wait_for_stop(0.02)
    coord.request_stop()
    coord.join(threads)
    assert coord.joined and all(counts)
    assert coord.wait_for_stop(0)
    coord.clear_stop()
    assert not coord.should_stop() and not coord.joined


def test_the_first_exception_is_raised_where_it_came_from():
    coord = tf.train.Coordinator()

    def fails(error, after):
        time.sleep(after)
        with coord.stop_on_exception():
            raise error

    threads = [
        started(fails, KeyError("first"), 0),
        started(fails, ValueError("second"), 0.05),
    ]
    with pytest.raises(KeyError, match="first") as caught:
        coord.join(threads)
    assert caught.traceback[-1].name == "fails"
    with pytest.raises(KeyError):
        coord.raise_requested_exception()
    with pytest.raises(OSError):
        coord.request_stop(OSError())
    coord.request_stop()


def test_the_end_of_the_input_is_no_error():
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coord.join([])
    own = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
    with own.stop_on_exception():
        raise KeyError
    own.join()
    try:
        raise KeyError
    except KeyError:
        coord = tf.train.Coordinator()
        coord.request_stop(sys.exc_info())
    with pytest.raises(KeyError):
        coord.join()


def test_threads_that_do_not_stop():
    goes_on = threading.Event()
    for ignored in (False, True):
        coord = tf.train.Coordinator()
        thread = threading.Thread(target=goes_on.wait, name="straggler")
        thread.start()
        coord.register_thread(thread)
        coord.request_stop()
        if ignored:
            coord.join(stop_grace_period_secs=0.02, ignore_live_threads=True)
        else:
            with pytest.raises(RuntimeError, match="still running: straggler"):
                coord.join(stop_grace_period_secs=0.02)
    goes_on.set()


def test_a_looper_calls_again_and_again():
    coord = tf.train.Coordinator()
    calls = []

    def call(x, y):
        calls.append((x, y))
        if len(calls) == 3:
            raise ValueError("enough")

    looper = tf.train.LooperThread.loop(coord, 0.001, call, args=(1,), kwargs={"y": 2})
    with pytest.raises(ValueError, match="enough"):
        coord.join([looper])
    assert calls == [(1, 2)] * 3
    steps = []

    class Looper(tf.train.LooperThread):
        def start_loop(self):
            steps.append("start")

        def run_loop(self):
            steps.append("run")
            coord.request_stop()

        def stop_loop(self):
            steps.append("stop")

    coord = tf.train.Coordinator()
    looper = Looper(coord, None)
    looper.start()
    coord.join()
    assert steps == ["start", "run", "stop"]
    with pytest.raises(ValueError, match="Coordinator"):
        tf.train.LooperThread(None, None)
    with pytest.raises(ValueError, match="target"):
        tf.train.LooperThread(coord, None, args=(1,))
