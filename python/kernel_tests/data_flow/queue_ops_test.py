# SPDX-License-Identifier: Apache-2.0
"""Operations on queues: both generations of handles, closing, waiting, cancelling."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_data_flow_ops


class Blocked:
    """A run in a thread of its own, which should wait."""

    def __init__(self, session, fetches, options=None):
        self.result = self.error = None
        self.thread = threading.Thread(
            target=self._run, args=(session, fetches, options)
        )
        self.thread.start()
        time.sleep(0.01)

    def _run(self, session, fetches, options):
        try:
            self.result = session.run(fetches, options=options)
        except tf.errors.OpError as error:
            self.error = error

    @property
    def waits(self):
        return self.thread.is_alive()

    def end(self):
        self.thread.join(20)
        assert not self.thread.is_alive()
        return self


def fifo(capacity=3, **kwargs):
    return tf.FIFOQueue(capacity, tf.int32, shapes=[[]], **kwargs)


def test_the_first_generation_has_references_to_strings():
    for make in (
        gen_data_flow_ops._fifo_queue,
        gen_data_flow_ops._padding_fifo_queue,
        gen_data_flow_ops._random_shuffle_queue,
    ):
        with tf.Graph().as_default(), tf.Session() as session:
            handle = make(component_types=[tf.float32], shapes=[[2]], capacity=4)
            assert handle.dtype._is_ref_dtype and handle.shape == [2]
            queue = tf.QueueBase([tf.float32], [[2]], None, handle)
            session.run(queue.enqueue([[1.0, 2.0]]))
            session.run(queue.enqueue_many([np.ones([3, 2], np.float32)]))
            assert session.run([queue.size(), queue.is_closed()]) == [4, False]
            rows = [session.run(queue.dequeue()), *session.run(queue.dequeue_many(2))]
            session.run(queue.close())
            rows += list(session.run(queue.dequeue_up_to(9)))
            assert sorted(r.tolist() for r in rows) == [[1, 1]] * 3 + [[1, 2]]
            assert session.run([queue.size(), queue.is_closed()]) == [0, True]
            with pytest.raises(tf.errors.CancelledError, match="already closed"):
                session.run(queue.close())


def test_a_priority_queue_of_the_first_generation():
    with tf.Graph().as_default(), tf.Session() as session:
        handle = gen_data_flow_ops._priority_queue(
            component_types=[tf.string], shapes=[[]]
        )
        queue = tf.QueueBase([tf.int64, tf.string], [[], []], None, handle)
        session.run(queue.enqueue_many([[5, 3], ["late", "soon"]]))
        assert session.run(queue.dequeue()) == [3, b"soon"]


def test_a_fake_queue_is_a_resource_for_ops_of_the_first_generation():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo()
        fake = gen_data_flow_ops._fake_queue(queue.queue_ref)
        old = tf.QueueBase([tf.int32], [[]], None, fake)
        session.run(queue.enqueue(7))
        assert session.run(old.size()) == 1
        assert session.run(old.dequeue()) == 7


def test_handles_that_are_none_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        no_queue = gen_data_flow_ops._stack_v2(-1, elem_type=tf.int32)
        with pytest.raises(tf.errors.OpError):
            session.run(gen_data_flow_ops._queue_size_v2(no_queue))
        with pytest.raises(ValueError, match="rank"):
            gen_data_flow_ops._queue_size_v2(tf.placeholder(tf.resource, [2, 2]))


def test_who_waits_goes_on_when_somebody_acts():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=1)
        taker = Blocked(session, queue.dequeue())
        assert taker.waits
        session.run(queue.enqueue(1))
        assert taker.end().result == 1
        session.run(queue.enqueue(2))
        putter = Blocked(session, queue.enqueue(3))
        assert putter.waits
        assert session.run(queue.dequeue()) == 2
        assert putter.end().error is None
        assert session.run(queue.dequeue()) == 3


def test_takers_are_served_in_the_order_in_which_they_came():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=100)
        many, one = queue.dequeue_many(3), queue.dequeue()
        first = Blocked(session, many)
        second = Blocked(session, one)
        session.run(queue.enqueue_many([[0, 1]]))
        assert first.waits and second.waits
        session.run(queue.enqueue_many([[2, 3]]))
        assert first.end().result.tolist() == [0, 1, 2]
        assert second.end().result == 3


def test_a_batch_may_be_larger_than_the_capacity():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=2)
        putter = Blocked(session, queue.enqueue_many([list(range(9))]))
        assert putter.waits
        assert session.run(queue.dequeue_many(8)).tolist() == list(range(8))
        putter.end()
        assert session.run(queue.size()) == 1


def test_a_closed_queue_gives_what_it_has():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=5)
        session.run(queue.enqueue_many([[1, 2, 3]]))
        taker = Blocked(session, queue.dequeue_many(5))
        assert taker.waits
        session.run(queue.close())
        error = taker.end().error
        assert isinstance(error, tf.errors.OutOfRangeError)
        assert "insufficient elements (requested 5, current size 3)" in error.message
        # The elements that the failed batch had taken are in the queue again.
        assert session.run(queue.dequeue_up_to(2)).tolist() == [1, 2]
        assert session.run(queue.dequeue_up_to(2)).tolist() == [3]
        for take in (queue.dequeue(), queue.dequeue_many(1), queue.dequeue_up_to(1)):
            with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has"):
                session.run(take)
        with pytest.raises(tf.errors.CancelledError, match="is closed"):
            session.run(queue.enqueue(4))
        with pytest.raises(tf.errors.CancelledError, match="is closed"):
            session.run(queue.enqueue_many([[4]]))


def test_a_close_waits_for_those_before_it():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=1)
        session.run(queue.enqueue(1))
        putter = Blocked(session, queue.enqueue_many([[2, 3]]))
        closer = Blocked(session, queue.close())
        late = Blocked(session, queue.enqueue(4))
        assert putter.waits and closer.waits and late.waits
        assert not session.run(queue.is_closed())
        assert session.run(queue.dequeue_many(3)).tolist() == [1, 2, 3]
        assert putter.end().error is None and closer.end().error is None
        assert isinstance(late.end().error, tf.errors.CancelledError)
        assert session.run(queue.is_closed())


def test_a_close_that_cancels_ends_who_waits_to_put_something_in():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=1)
        session.run(queue.enqueue(1))
        putters = [Blocked(session, queue.enqueue(i)) for i in range(2)]
        session.run(queue.close(cancel_pending_enqueues=True))
        for putter in putters:
            assert isinstance(putter.end().error, tf.errors.CancelledError)
        assert session.run(queue.dequeue()) == 1


def test_a_timeout_ends_who_waits_and_loses_nothing():
    options = tf.RunOptions(timeout_in_ms=30)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo()
        session.run(queue.enqueue_many([[1, 2]]))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.dequeue_many(3), options=options)
        assert session.run(queue.dequeue_many(2)).tolist() == [1, 2]
        session.run(queue.enqueue_many([[1, 2, 3]]))
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(queue.enqueue(4), options=options)
        assert session.run(queue.size()) == 3
    with (
        tf.Graph().as_default(),
        tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=30)) as session,
        pytest.raises(tf.errors.DeadlineExceededError),
    ):
        session.run(fifo().dequeue())


def test_a_neighbour_that_fails_ends_who_waits():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo()
        fails = tf.check_numerics(tf.placeholder(tf.float32, []), "not a number")
        x = fails.op.inputs[0]
        for fetches in ([queue.dequeue(), fails], [queue.dequeue_many(2), fails]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
                session.run(fetches, {x: np.nan})
        session.run(queue.enqueue(5))
        assert session.run(queue.dequeue()) == 5


def test_a_session_that_closes_ends_who_waits():
    with tf.Graph().as_default():
        session = tf.Session()
        queue = fifo(capacity=1)
        takers = [Blocked(session, queue.dequeue()) for _ in range(3)]
        takers.append(Blocked(session, queue.dequeue_many(2)))
        session.close()
        for taker in takers:
            assert isinstance(taker.end().error, tf.errors.CancelledError)


def test_two_waiters_of_one_run_are_cancelled_together():
    """The batch returns its elements to the queue, for which the other waits."""
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=9)
        session.run(queue.enqueue_many([[1, 2]]))
        many = queue.dequeue_many(5)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(
                [many, queue.dequeue()], options=tf.RunOptions(timeout_in_ms=30)
            )
        # The other may have been first, or may have been given one at the end.
        assert session.run(queue.size()) in (1, 2)


def test_waiting_takes_no_thread():
    """More runs wait than there are threads; one that could not start would stop them all."""
    config = tf.ConfigProto(inter_op_parallelism_threads=2)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        queues = [fifo() for _ in range(20)]
        takes = [q.dequeue() for q in queues]
        sum_of_all = Blocked(session, tf.add_n(takes))
        for i, queue in enumerate(queues):
            assert sum_of_all.waits
            session.run(queue.enqueue(i))
        assert sum_of_all.end().result == sum(range(20))


def test_many_threads_lose_and_invent_nothing():
    threads, each = 4, 200
    with tf.Graph().as_default(), tf.Session() as session:
        queue = fifo(capacity=7)
        x = tf.placeholder(tf.int32, [])
        put = session.make_callable(queue.enqueue(x), [x])
        take = session.make_callable(queue.dequeue())
        got = []

        def puts(i):
            for k in range(each):
                put(i * each + k)

        def takes():
            for _ in range(each):
                got.append(int(take()))

        workers = [threading.Thread(target=puts, args=(i,)) for i in range(threads)]
        workers += [threading.Thread(target=takes) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        assert sorted(got) == list(range(threads * each))


def _threads_of_process():
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["Threads"]), int(lines["VmRSS"].split()[0])


def _assert_nothing_stays(wait, runs):
    """`wait` may leave no thread, and of its 256 KiB nothing."""
    for _ in range(10):
        wait()
    threads, memory = _threads_of_process()
    for _ in range(runs):
        wait()
    threads_after, memory_after = _threads_of_process()
    assert threads_after <= threads
    assert memory_after - memory < runs * 256 / 3


@pytest.mark.parametrize("how", ["timeout", "failure"])
def test_waits_that_end_leave_no_thread_and_no_memory(how):
    options = tf.RunOptions(timeout_in_ms=1)
    value = np.full(1 << 16, np.nan, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        full = tf.FIFOQueue(1, tf.float32)
        session.run(full.enqueue(0.0))
        x = tf.placeholder(tf.float32, None)
        put = full.enqueue(x * 2)
        fails = tf.check_numerics(x, "not a number")

        def wait():
            if how == "timeout":
                with pytest.raises(tf.errors.DeadlineExceededError):
                    session.run(put, {x: value}, options=options)
            else:
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run([put, fails], {x: value})

        _assert_nothing_stays(wait, 150)


def test_sessions_that_close_over_waits_leave_no_thread_and_no_memory():
    graph = tf.Graph()
    with graph.as_default():
        queue = tf.FIFOQueue(1, tf.float32)
        x = tf.placeholder(tf.float32, None)
        put, take = queue.enqueue(x), queue.dequeue()
    value = np.ones(1 << 16, np.float32)

    def wait():
        session = tf.Session(graph=graph)
        session.run(put, {x: value})
        session.run(take)
        taker = Blocked(session, take)
        session.close()
        assert isinstance(taker.end().error, tf.errors.CancelledError)

    _assert_nothing_stays(wait, 40)


def test_what_is_in_the_queue_does_not_change():
    """The queue keeps copies of a variable's value and of a fed array."""
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0, 3.0])
        session.run(v.initializer)
        queue = tf.FIFOQueue(9, tf.float32)
        session.run(queue.enqueue(v))
        session.run(v.assign_add([1.0, 1.0, 1.0]))
        np.testing.assert_array_equal(session.run(queue.dequeue()), [1, 2, 3])
        x = tf.placeholder(tf.float32, [3])
        array = np.arange(3, dtype=np.float32)
        session.run(queue.enqueue(x), {x: array})
        array += 7
        np.testing.assert_array_equal(session.run(queue.dequeue()), [0, 1, 2])


def test_wrong_elements_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, [tf.int32, tf.float32], shapes=[[2], []])
        i, f = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        bad = [
            (queue.enqueue([i, f]), {i: [1, 2, 3], f: 1}, r"Expected \[2\], got \[3\]"),
            (queue.enqueue_many([i, f]), {i: [1, 2], f: [1]}, "Shape mismatch"),
            (queue.enqueue_many([i, f]), {i: [[1, 2]], f: [1, 2]}, "same size"),
            (queue.enqueue_many([i, f]), {i: 1, f: 1}, "rank >= 1"),
        ]
        for op, feeds, message in bad:
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(op, feeds)
        n = tf.placeholder(tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="n"):
            session.run(queue.dequeue_many(n), {n: -1})
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(queue.dequeue_many(n), {n: [1, 2]})
        take = gen_data_flow_ops._queue_dequeue_v2(queue.queue_ref, [tf.int32])
        with pytest.raises(tf.errors.InvalidArgumentError, match="QueueDequeueV2"):
            session.run(take)
        put = gen_data_flow_ops._queue_enqueue_v2(queue.queue_ref, [f])
        with pytest.raises(tf.errors.InvalidArgumentError, match="QueueEnqueueV2"):
            session.run(put, {f: 1})
        late = gen_data_flow_ops._queue_enqueue_v2(queue.queue_ref, [f], timeout_ms=3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Timeout"):
            session.run(late, {f: 1})
