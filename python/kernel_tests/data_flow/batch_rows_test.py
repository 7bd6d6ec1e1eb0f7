# SPDX-License-Identifier: Apache-2.0
"""Rows that go into a batch and come out of it, through queues."""

import numpy as np

import tensorwright as tf


def test_handles_are_rows_too():
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = [tf.FIFOQueue(9, tf.int32, shapes=[[]]) for _ in range(2)]
        for i, queue in enumerate(numbers):
            session.run(queue.enqueue(i + 5))
        handles = tf.FIFOQueue(9, tf.resource, shapes=[[]])
        for queue in numbers:
            session.run(handles.enqueue(queue.queue_ref))
        both = handles.dequeue_many(2)
        second = tf.QueueBase([tf.int32], [[]], None, both[1])
        assert session.run(second.dequeue()) == 6


def test_long_strings_and_large_rows():
    rng = np.random.RandomState(1)
    words = np.array([[b"x" * n, b""] for n in (0, 15, 16, 300)], object)
    large = rng.normal(size=(4, 50_000))
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, [tf.string, tf.float64], shapes=[[2], [50_000]])
        x = tf.placeholder(tf.float64)
        session.run(queue.enqueue_many([words, x]), {x: large})
        got_words, got = session.run(queue.dequeue_many(4))
        assert got_words.tolist() == words.tolist()
        np.testing.assert_array_equal(got, large)


def test_up_to_as_many_rows_come_in_order():
    x = np.arange(15).reshape(5, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, tf.int64, shapes=[[3]])
        session.run(queue.enqueue_many([x]))
        np.testing.assert_array_equal(session.run(queue.dequeue_up_to(3)), x[:3])
        session.run(queue.close())
        np.testing.assert_array_equal(session.run(queue.dequeue_up_to(9)), x[3:])


def test_queues_of_the_first_generation_give_rows():
    x = np.arange(12).reshape(4, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.raw_ops.FIFOQueue(component_types=[tf.int64], shapes=[[3]])
        session.run(tf.raw_ops.QueueEnqueueMany(handle=queue, components=[x]))
        arguments = dict(handle=queue, component_types=[tf.int64])
        for op, n, first in (("Many", 2, 0), ("UpTo", 2, 2)):
            take = getattr(tf.raw_ops, f"QueueDequeue{op}")(n=n, **arguments)
            (got,) = session.run(list(take))
            np.testing.assert_array_equal(got, x[first : first + 2])
