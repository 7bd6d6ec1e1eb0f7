# SPDX-License-Identifier: Apache-2.0
"""Elements made ahead."""

import threading
import time

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("size", [0, 1, 3, tf.data.AUTOTUNE, None])
def test_the_elements_are_the_same(size):
    assert elements(Dataset.range(50).prefetch(size)) == list(range(50))


def until(condition):
    """Waits 5 s at most."""
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)


def counted(size):
    """Returns the list of elements made so far, with a buffer of `size`; the initializer; the next element."""
    made = []
    dataset = Dataset.range(99).map(
        lambda x: tf.py_func(lambda v: made.append(int(v)) or v, [x], tf.int64)
    )
    iterator = dataset.prefetch(size).make_initializable_iterator()
    return made, iterator.initializer, iterator.get_next()


def test_they_are_made_before_they_are_asked_for():
    made, initializer, element = counted(3)
    with tf.Session() as session:
        session.run(initializer)
        assert session.run(element) == 0
        # The first was taken before the buffer was full, or after.
        until(lambda: len(made) >= 3)
        time.sleep(0.1)
        assert made in ([0, 1, 2], [0, 1, 2, 3])


def test_a_full_buffer_is_filled_again_when_half_of_it_is_used():
    made, initializer, element = counted(8)
    with tf.Session() as session:
        session.run(initializer)
        assert session.run(element) == 0
        until(lambda: len(made) >= 9)
        full = len(made)
        assert full in (8, 9)
        for i in range(1, full - 5):
            assert session.run(element) == i
        time.sleep(0.1)
        assert len(made) == full  # 5 are left.
        session.run(element)
        until(lambda: len(made) >= full + 4)
        time.sleep(0.1)
        assert len(made) == full + 4


def test_errors_come_in_their_place():
    dataset = Dataset.range(4).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "bad")
    )
    assert elements(dataset.prefetch(2).ignore_errors()) == [-1, 1, 0.5]


def test_a_run_that_waits_can_be_given_up():
    go_on = threading.Event()

    def wait(x):
        if x == 1:
            go_on.wait(20)
        return x

    dataset = (
        Dataset.range(3).map(lambda x: tf.py_func(wait, [x], tf.int64)).prefetch(1)
    )
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(element) == 0
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=tf.RunOptions(timeout_in_ms=100))
        # Nothing is lost.
        go_on.set()
        assert session.run(element) == 1
        assert session.run(element) == 2


def test_a_size_is_not_negative():
    refuses("buffer_size must be", lambda: Dataset.range(3).prefetch(scalar(-2)))
