# SPDX-License-Identifier: Apache-2.0
"""The elements before the first that a function does not want."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("end", [0, 1, 4, 9, 20])
def test_take_while(end):
    dataset = Dataset.range(9).take_while(lambda x: x < end)
    assert elements(dataset) == list(range(9))[:end]


@pytest.mark.parametrize("end", [0, 4, 7])
def test_the_predicate_may_need_a_tensor_from_outside(end):
    outside = tf.constant(end, tf.int64)
    dataset = Dataset.range(9).take_while(lambda x: x < outside)
    assert elements(dataset) == list(range(end))


def test_what_comes_later_stays_away():
    numbers = [0, 1, 7, 2, 3]
    dataset = Dataset.from_tensor_slices(numbers).take_while(lambda x: x < 5)
    assert elements(dataset.repeat(2)) == [0, 1] * 2


def test_structures():
    dataset = Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    assert elements(dataset.take_while(lambda n, s: tf.not_equal(s, "b"))) == [
        (1, b"a")
    ]


def test_errors_say_which_element():
    def fails(x):
        return tf.check_numerics(1 / tf.cast(2 - x, tf.float32), "no") > -5

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="TakeWhileDataset, element 2"
    ):
        elements(Dataset.range(4).take_while(fails))


def test_what_is_no_bool_is_refused():
    with pytest.raises(ValueError, match="boolean"):
        Dataset.range(3).take_while(lambda x: x)
    with pytest.raises(ValueError, match="boolean"):
        Dataset.range(3).take_while(lambda x: [x > 0, x > 1])


def test_take_while_of_experimental_is_applied():
    dataset = Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 2))
    assert elements(dataset) == [0, 1]
