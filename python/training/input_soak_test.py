# SPDX-License-Identifier: Apache-2.0
"""Input for long: a million elements, and a thousand runs that are cut short, leave no memory and no thread behind.

Usage: ./run python/training/input_soak_test.py [ELEMENTS [TIMES]]
As a test, 60,000 elements and 40 times.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

ELEMENTS, TIMES = 60_000, 40
# An allocator may hold this much more or less from one moment to the next.
MEGABYTES = 12.0


def resident_megabytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def expect_threads(most: int) -> None:
    """Threads that end may take a moment."""
    for _ in range(200):
        if threads() <= most:
            return
        time.sleep(0.05)
    names = [open(f"/proc/self/task/{t}/comm").read().strip() for t in os.listdir("/proc/self/task")]  # fmt: skip
    raise AssertionError(f"{threads()} threads instead of {most}: {sorted(names)}")


def pipeline(elements: int) -> None:
    """Shuffled, mapped in parallel, made ahead: each element once, in constant memory."""
    dataset = tf.data.Dataset.range(elements).shuffle(10_000, seed=1)
    dataset = dataset.map(lambda x: (x, tf.fill([16], x)), num_parallel_calls=2)
    dataset = dataset.batch(50).prefetch(tf.data.AUTOTUNE)
    numbers, rows = tf.data.make_one_shot_iterator(dataset).get_next()
    total = tf.reduce_sum(numbers)
    wrong = tf.reduce_sum(tf.cast(tf.not_equal(rows, numbers[:, tf.newaxis]), tf.int64))
    count = tf.size(numbers, out_type=tf.int64)
    seen, added, first = 0, 0, 0.0
    with tf.Session() as session:
        run = session.make_callable([total, count, wrong])
        while seen < elements:
            more, n, differ = run()
            assert differ == 0
            seen, added = seen + int(n), added + int(more)
            if seen % (elements // 10) < n:
                now = resident_megabytes()
                print(f"{seen:9} elements  {now:7.1f} MB  {threads()} threads")
                first = first or now
        with pytest.raises(tf.errors.OutOfRangeError):
            run()
    assert (seen, added) == (elements, elements * (elements - 1) // 2)
    assert resident_megabytes() - first < MEGABYTES


def _queue() -> tf.Tensor:
    queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    return queue.dequeue()


def _queue_of_batches() -> tf.Tensor:
    queue = tf.PaddingFIFOQueue(2, tf.float32, shapes=[[None]])
    return queue.dequeue_many(2)


def _full_queue() -> tf.Operation:
    queue = tf.RandomShuffleQueue(2, 1, tf.int32, shapes=[[]])
    return queue.enqueue_many([[1, 2, 3]])


def _staging_area() -> tf.Tensor:
    area = tf.contrib.staging.StagingArea([tf.int32], shapes=[[]])
    return area.get()[0]


def _iterator(make: Callable) -> tf.Tensor:
    queue = tf.FIFOQueue(2, tf.int64, shapes=[[]])
    dataset = make(tf.data.Dataset.range(10), lambda x: x + queue.dequeue())
    iterator = dataset.make_initializable_iterator()
    tf.add_to_collection("begin", iterator.initializer)
    return iterator.get_next()


BLOCKED: dict[str, Callable] = {
    "dequeue": _queue,
    "dequeue_many": _queue_of_batches,
    "enqueue": _full_queue,
    "staging area": _staging_area,
    "map": lambda: _iterator(lambda d, f: d.map(f)),
    "parallel map": lambda: _iterator(lambda d, f: d.map(f, num_parallel_calls=3)),
    "prefetch": lambda: _iterator(lambda d, f: d.map(f).prefetch(2)),
    "interleave": lambda: _iterator(
        lambda d, f: d.interleave(lambda x: tf.data.Dataset.from_tensors(x).map(f), 2, num_parallel_calls=2)
    ),
    "shuffle": lambda: _iterator(lambda d, f: d.map(f).shuffle(5).batch(2)),
}  # fmt: skip


def cut_short(name: str, times: int) -> None:
    """Runs that wait for ever end by a timeout, and with their session."""
    alone = threads()
    options = tf.RunOptions(timeout_in_ms=2)
    first = 0.0
    for i in range(2):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            blocked = BLOCKED[name]()
            begin = graph.get_collection("begin")
            session.run(begin)
            for k in range(times // 2):
                with pytest.raises((tf.errors.DeadlineExceededError, tf.errors.CancelledError)):  # fmt: skip
                    session.run(blocked, options=options)
                if k % 10 == 9 and begin:
                    session.run(begin)
                first = (
                    first if first and (i or k > times // 10) else resident_megabytes()
                )
            del blocked, begin
    del session, graph
    expect_threads(alone)
    assert resident_megabytes() - first < MEGABYTES


def _failing_queue() -> tf.Tensor:
    queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    with tf.control_dependencies([queue.close(cancel_pending_enqueues=True)]):
        return queue.dequeue()


def _failing(make: Callable) -> tf.Tensor:
    def fail(x: tf.Tensor) -> tf.Tensor:
        return tf.check_numerics(tf.cast(x, tf.float32) / 0.0, "soak")

    iterator = make(tf.data.Dataset.range(10), fail).make_initializable_iterator()
    tf.add_to_collection("begin", iterator.initializer)
    return iterator.get_next()


FAILING: dict[str, Callable] = {
    "closed queue": _failing_queue,
    "map": lambda: _failing(lambda d, f: d.map(f)),
    "parallel map": lambda: _failing(lambda d, f: d.map(f, num_parallel_calls=3)),
    "prefetch": lambda: _failing(lambda d, f: d.map(f).prefetch(2)),
    "filter": lambda: _failing(lambda d, f: d.filter(lambda x: f(x) > 0)),
}


def failed(name: str, times: int) -> None:
    """Runs that fail, each behind a new start of what failed."""
    alone = threads()
    first = 0.0
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        run = FAILING[name]()
        begin = graph.get_collection("begin")
        for k in range(times):
            session.run(begin)
            with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError)):  # fmt: skip
                session.run(run)
            first = first if k > times // 10 else resident_megabytes()
        del run, begin
    del session, graph
    expect_threads(alone)
    assert resident_megabytes() - first < MEGABYTES


def closed_under_way(times: int) -> None:
    """Sessions that go while calls of functions are under way."""
    alone = threads()
    for _ in range(times):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            dataset = tf.data.Dataset.range(10**9).map(
                lambda x: tf.reduce_sum(tf.image.decode_png(tf.image.encode_png(tf.fill([8, 8, 1], tf.cast(x % 200, tf.uint8))))),
                num_parallel_calls=3,
            )  # fmt: skip
            run = session.make_callable(tf.data.make_one_shot_iterator(dataset).get_next())  # fmt: skip
            for _ in range(5):
                run()
            del run, dataset
        del session, graph
    expect_threads(alone)


def test_a_pipeline_takes_constant_memory():
    pipeline(ELEMENTS)


@pytest.fixture(autouse=True)
def _started() -> None:
    _start_once()


def _start_once() -> None:
    """Runs a step, so that the process has started all threads that sessions need."""
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.reduce_sum(tf.matmul(tf.ones([300, 300]), tf.ones([300, 300]))))


@pytest.mark.parametrize("name", BLOCKED)
def test_blocked_runs_that_are_cut_short(name):
    cut_short(name, TIMES)


@pytest.mark.parametrize("name", FAILING)
def test_runs_that_fail(name):
    failed(name, TIMES)


def test_sessions_go_while_functions_run():
    closed_under_way(TIMES)


def main() -> None:
    elements = int(sys.argv[1]) if sys.argv[1:] else 1_000_000
    times = int(sys.argv[2]) if sys.argv[2:] else 1000
    _start_once()
    pipeline(elements)
    tf.reset_default_graph()
    for what, names in ((cut_short, BLOCKED), (failed, FAILING)):
        for name in names:
            start = time.perf_counter()
            what(name, times)
            took = time.perf_counter() - start
            print(f"{what.__name__} {name}: {times} times, {took:.1f} s, {resident_megabytes():.1f} MB, {threads()} threads", flush=True)  # fmt: skip
    closed_under_way(times)
    print(f"sessions that go under way: {times}, {threads()} threads")


if __name__ == "__main__":
    main()
