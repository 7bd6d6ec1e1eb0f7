# SPDX-License-Identifier: Apache-2.0
"""Runs of several threads are computed as one batch, and each gets its rows."""

import threading

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

batch_function = tf.contrib.batching.batch_function


def at_once(session, fetches, feeds):
    """The values of runs that begin together."""
    found, gate = [None] * len(feeds), threading.Barrier(len(feeds))

    def work(i):
        gate.wait()
        found[i] = session.run(fetches, feeds[i])

    threads = [threading.Thread(target=work, args=[i]) for i in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return found


def test_two_runs_are_one_batch():
    sizes = []

    @batch_function(1, 4, 30_000_000)
    def double(x, y):
        sizes.append(x)
        return x * 2.0, tf.fill([tf.shape(y)[0]], tf.shape(y)[0])

    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None])
    doubled, size = double(x, y)
    assert doubled.get_shape().as_list() == [None, 2] and len(sizes) == 1
    one, three = np.ones([1, 2], np.float32), np.arange(6, dtype=np.float32).reshape(3, 2)  # fmt: skip
    with tf.Session() as session:
        for _ in range(3):
            feeds = [{x: one, y: [0]}, {x: three, y: [1, 2, 3]}]
            (a, m), (b, n) = at_once(session, [doubled, size], feeds)
            np.testing.assert_array_equal(a, one * 2)
            np.testing.assert_array_equal(b, three * 2)
            assert m.tolist() == [4] and n.tolist() == [4, 4, 4]


def test_a_run_does_not_wait_for_ever_and_sizes_are_filled_up():
    @batch_function(1, 8, 1000, allowed_batch_sizes=[2, 5, 8])
    def count(x):
        return tf.fill([tf.shape(x)[0]], tf.shape(x)[0]) + 0 * tf.reduce_sum(x)

    x = tf.placeholder(tf.int32, [None])
    y = count(x)
    with tf.Session() as session:
        assert session.run(y, {x: [7]}).tolist() == [2]
        assert session.run(y, {x: [7, 8]}).tolist() == [2, 2]
        assert session.run(y, {x: [7, 8, 9]}).tolist() == [5, 5, 5]


def test_many_threads():
    @batch_function(1, 3, 20_000)
    def square(x):
        return x * x

    x = tf.placeholder(tf.float32, [None])
    y = square(x)
    with tf.Session() as session:
        found = at_once(session, y, [{x: [float(i), -float(i)]} for i in range(8)])
    for i, got in enumerate(found):
        assert got.tolist() == [i * i, i * i]


def test_what_is_refused():
    with pytest.raises(ValueError, match="must grow"):
        batch_function(1, 8, 1000, allowed_batch_sizes=[4, 2, 8])
    with pytest.raises(ValueError, match="must grow"):
        batch_function(1, 8, 1000, allowed_batch_sizes=[2, 4])
    same = batch_function(1, 2, 1000)(lambda *xs: list(xs))
    with pytest.raises(ValueError, match="supposed to be Tensors"):
        same(3)
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    both = same(x, y)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="max_batch_size 2"):
            session.run(both, {x: [1, 2, 3], y: [1, 2, 3]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="one number of rows"):
            session.run(both, {x: [1], y: [1, 2]})
