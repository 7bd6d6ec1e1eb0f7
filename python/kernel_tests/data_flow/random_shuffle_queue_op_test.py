# SPDX-License-Identifier: Apache-2.0
"""RandomShuffleQueue: its order, what it keeps back, its seeds."""

import numpy as np
import pytest

import tensorwright as tf


def order(n, seed=None, graph_seed=None, take=None):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        graph.seed = graph_seed
        queue = tf.RandomShuffleQueue(n, 0, tf.int32, shapes=[[]], seed=seed)
        session.run(queue.enqueue_many([np.arange(n)]))
        if take is None:
            return session.run(queue.dequeue_many(n)).tolist()
        return [int(session.run(queue.dequeue())) for _ in range(take)]


def test_every_element_comes_once_in_an_order_of_the_seed():
    n = 100
    assert sorted(order(n)) == list(range(n))
    assert order(n, seed=3) == order(n, seed=3) != order(n, seed=4)
    assert order(n, graph_seed=3) == order(n, graph_seed=3) != order(n, graph_seed=4)
    assert order(n) != order(n)
    # One by one or together is the same.
    assert order(n, seed=3)[:20] == order(n, seed=3, take=20)


def test_the_order_is_that_of_tensorflow():
    """Philox's numbers, modulo the number of elements, the last one filling the gap."""
    expected = [7, 4, 10, 11, 15, 16, 18, 14, 1, 3, 0, 2, 13, 12, 6, 19, 5, 9, 17, 8]
    assert order(20, seed=3) == expected


def test_each_element_has_the_same_chance():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.RandomShuffleQueue(9, 0, tf.int32, shapes=[[]], seed=1)
        put = session.make_callable(queue.enqueue_many([[0, 1, 2, 3]]))
        take = session.make_callable(queue.dequeue_many(4))
        firsts = []
        for _ in range(2000):
            put()
            firsts.append(take()[0])
        counts = np.bincount(firsts, minlength=4)
        # 500 each, with a deviation of 19.
        assert (abs(counts - 500) < 100).all()


def test_it_keeps_some_until_it_is_closed():
    options = tf.RunOptions(timeout_in_ms=20)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.RandomShuffleQueue(9, 2, tf.int32, shapes=[[]])
        session.run(queue.enqueue_many([[1, 2, 3]]))
        first = session.run(queue.dequeue())
        for take in (queue.dequeue(), queue.dequeue_many(1), queue.dequeue_up_to(1)):
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(take, options=options)
        session.run(queue.close())
        rest = session.run(queue.dequeue_up_to(5)).tolist()
        assert sorted([int(first), *rest]) == [1, 2, 3]


def test_bad_arguments_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        bad = {
            "must be < capacity": tf.RandomShuffleQueue(3, 3, tf.int32),
            "must be >= 0": tf.RandomShuffleQueue(3, -1, tf.int32),
        }
        for message, queue in bad.items():
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(queue.size())
        first = tf.RandomShuffleQueue(3, 1, tf.int32, seed=5, shared_name="s")
        session.run(first.size())
        for message, arguments in {
            "random seeds": (3, 1, tf.int32, None, None, 6),
            "min_after_dequeue": (3, 2, tf.int32, None, None, 5),
        }.items():
            queue = tf.RandomShuffleQueue(*arguments, shared_name="s")
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(queue.size())


def test_a_shared_queue_has_a_seed_of_the_graphs_and_its_name():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        graph.seed = 4
        one = tf.RandomShuffleQueue(3, 1, tf.int32, shared_name="s")
        two = tf.RandomShuffleQueue(3, 1, tf.int32, shared_name="s")
        assert session.run([one.size(), two.size()]) == [0, 0]
