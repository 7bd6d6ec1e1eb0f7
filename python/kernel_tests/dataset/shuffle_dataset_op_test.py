# SPDX-License-Identifier: Apache-2.0
"""Elements in random order."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    rest,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

# The orders of TensorFlow 2.21 for the seeds of test_tensorflows_order.
ORDER_4 = [0, 1, 3, 2, 4, 7, 6, 5, 9, 8]
ORDER_REPEATED = [0, 4, 1, 3, 2, 4, 2, 0, 3, 1, 4, 2, 1, 3, 0]
ORDER_SAME = [3, 4, 1, 0, 2, 3, 4, 1, 0, 2]
ORDER_MIXED = [0, 1, 3, 5, 4, 2, 3, 2, 1, 5, 0, 4, 2, 4, 0, 3, 1, 5]


def orders(dataset, passes=2):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        found = []
        for _ in range(passes):
            session.run(iterator.initializer)
            found.append(rest(session, element))
        return found


@pytest.mark.parametrize("size", [1, 2, 5, 20, 2**62])
def test_every_element_once(size):
    got = elements(Dataset.range(20).shuffle(size))
    assert sorted(got) == list(range(20))
    if size == 1:
        assert got == list(range(20))
    # An element cannot come earlier than the buffer lets it.
    assert all(value - place < size for place, value in enumerate(got))


def test_tensorflows_order():
    tf.set_random_seed(7)
    assert elements(Dataset.range(10).shuffle(4, seed=42)) == ORDER_4
    tf.set_random_seed(7)
    twice = Dataset.range(5).shuffle(10, seed=1).repeat(3)
    assert elements(twice) == ORDER_REPEATED
    same = (
        Dataset.range(5).shuffle(10, seed=1, reshuffle_each_iteration=False).repeat(2)
    )
    assert elements(same) == ORDER_SAME
    mixed = tf.data.experimental.shuffle_and_repeat(4, 3, seed=5)
    assert elements(Dataset.range(6).apply(mixed)) == ORDER_MIXED


def test_seeds_decide():
    dataset = Dataset.range(30).shuffle(30, seed=3)
    first, second = orders(dataset)
    assert first == second != list(range(30))
    unseeded = Dataset.range(30).shuffle(30)
    first, second = orders(unseeded)
    assert first != second


def test_each_pass_of_a_repetition_has_another_order():
    got = elements(Dataset.range(30).shuffle(30, seed=3).repeat(2))
    assert got[:30] != got[30:]
    fixed = Dataset.range(30).shuffle(30, seed=3, reshuffle_each_iteration=False)
    got = elements(fixed.repeat(2))
    assert got[:30] == got[30:]


def test_shuffle_and_repeat():
    made = Dataset.range(6).apply(tf.data.experimental.shuffle_and_repeat(4, 3, seed=5))
    got = elements(made)
    assert sorted(got) == sorted(list(range(6)) * 3)
    endless = Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(2))
    assert sorted(elements(endless, limit=6)) == [0, 0, 1, 1, 2, 2]


def test_a_buffer_has_elements():
    refuses("buffer_size must be", lambda: Dataset.range(3).shuffle(scalar(0)))
    refuses(
        "count must be",
        lambda: Dataset.range(3).apply(
            tf.data.experimental.shuffle_and_repeat(2, scalar(0))
        ),
    )
