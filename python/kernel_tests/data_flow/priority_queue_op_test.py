# SPDX-License-Identifier: Apache-2.0
"""PriorityQueue: the smallest priority first."""

import numpy as np
import pytest

import tensorwright as tf


def test_the_smallest_priority_comes_first_and_of_equal_ones_the_oldest():
    rng = np.random.RandomState(1)
    priorities = rng.randint(-5, 5, 100)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PriorityQueue(200, [tf.int32, tf.string], shapes=[[], []])
        assert queue.dtypes == [tf.int64, tf.int32, tf.string]
        numbers = np.arange(100)
        words = np.array([b"%d" % n for n in numbers], object)
        session.run(queue.enqueue_many([priorities, numbers, words]))
        expected = np.argsort(priorities, kind="stable")
        p, n, w = session.run(queue.dequeue())
        assert [p, n, w] == [priorities[expected[0]], expected[0], words[expected[0]]]
        p, n, w = session.run(queue.dequeue_many(99))
        np.testing.assert_array_equal(n, expected[1:])
        np.testing.assert_array_equal(p, priorities[expected[1:]])
        assert w.tolist() == words[expected[1:]].tolist()


def test_later_elements_overtake():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PriorityQueue(9, tf.string)
        for priority, word in ((2, "b"), (9, "z"), (1, "a")):
            session.run(queue.enqueue([priority, word]))
        assert session.run(queue.dequeue()) == [1, b"a"]
        session.run(queue.enqueue([0, "0"]))
        assert session.run(queue.dequeue()) == [0, b"0"]
        session.run(queue.close())
        assert session.run([queue.size(), queue.is_closed()]) == [2, True]


def test_a_batch_that_fails_gives_its_elements_back():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PriorityQueue(9, tf.int32, shapes=[[]])
        session.run(queue.enqueue_many([[4, 4, 3], [0, 1, 2]]))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.dequeue_many(5), options=tf.RunOptions(timeout_in_ms=20))
        session.run(queue.enqueue([4, 3]))
        session.run(queue.close())
        assert session.run(queue.dequeue_up_to(9))[1].tolist() == [2, 0, 1, 3]


def test_the_priority_is_a_scalar():
    with tf.Graph().as_default(), tf.Session() as session:
        for shapes in (None, [[]]):
            queue = tf.PriorityQueue(9, tf.int32, shapes=shapes)
            p, x = tf.placeholder(tf.int64), tf.placeholder(tf.int32)
            with pytest.raises(tf.errors.InvalidArgumentError, match="got"):
                session.run(queue.enqueue([p, x]), {p: [1], x: 1})
            with pytest.raises(tf.errors.InvalidArgumentError, match="got"):
                session.run(queue.enqueue_many([p, x]), {p: [[1]], x: [1]})
            with pytest.raises(TypeError):
                queue.enqueue([1.5, 1])
        alone = tf.PriorityQueue(9, [], shapes=[])
        session.run(alone.enqueue_many([[3, 1]]))
        assert session.run(alone.dequeue()) == 1
