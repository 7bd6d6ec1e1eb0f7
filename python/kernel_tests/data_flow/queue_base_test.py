# SPDX-License-Identifier: Apache-2.0
"""The lines before a queue, under many threads that wait, are cancelled and close it."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf


@pytest.mark.parametrize("kind", [tf.FIFOQueue, tf.RandomShuffleQueue])
def test_timeouts_among_many_threads(kind):
    """Takers of batches give up again and again.  A run may end with a batch and its time together: that batch is lost."""
    n = 600
    with tf.Graph().as_default(), tf.Session() as session:
        keeps = [0] if kind is tf.RandomShuffleQueue else []
        queue = kind(8, *keeps, tf.int32, shapes=[[]])
        x = tf.placeholder(tf.int32, [None])
        put, batch = queue.enqueue_many([x]), queue.dequeue_many(5)
        got, timeouts, lock = [], [], threading.Lock()

        def takes():
            while True:
                try:
                    values = session.run(
                        batch,
                        options=tf.RunOptions(timeout_in_ms=np.random.randint(1, 5)),
                    )
                except tf.errors.DeadlineExceededError:
                    with lock:
                        timeouts.append(1)
                    continue
                except tf.errors.OutOfRangeError:
                    return
                with lock:
                    got.extend(values.tolist())

        takers = [threading.Thread(target=takes) for _ in range(3)]
        for taker in takers:
            taker.start()
        for start in range(0, n, 20):
            session.run(put, {x: np.arange(start, start + 20)})
            if start % 100 == 0:
                time.sleep(0.01)
        session.run(queue.close())
        for taker in takers:
            taker.join(30)
        left = session.run(queue.size())
        if left:
            got.extend(session.run(queue.dequeue_up_to(left)).tolist())
        assert len(set(got)) == len(got) and set(got) <= set(range(n))
        assert len(got) >= n - 5 * len(timeouts)
        assert len(got) % 5 == n % 5 and got


def test_who_is_behind_one_that_gives_up_goes_on():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, tf.int32, shapes=[[]])
        session.run(queue.enqueue_many([[1, 2]]))
        many, one = queue.dequeue_many(5), queue.dequeue()
        got = []

        def gives_up():
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(many, options=tf.RunOptions(timeout_in_ms=60))

        first = threading.Thread(target=gives_up)
        first.start()
        time.sleep(0.02)
        second = threading.Thread(target=lambda: got.append(session.run(one)))
        second.start()
        first.join(20)
        second.join(20)
        assert got == [1]
        assert session.run(queue.size()) == 1


@pytest.mark.parametrize("wait", ["dequeue", "enqueue"])
def test_who_waits_while_the_session_is_closed_is_cancelled(wait):
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
        waits = {"dequeue": queue.dequeue(), "enqueue": queue.enqueue_many([[1, 2]])}
        session, errors = tf.Session(), []

        def runs():
            try:
                session.run(waits[wait])
            except tf.errors.OpError as error:
                errors.append(error)

        thread = threading.Thread(target=runs)
        thread.start()
        time.sleep(0.1)
        session.close()
        thread.join(30)
        (error,) = errors
        assert isinstance(error, tf.errors.CancelledError)
        assert "was cancelled" in error.message
