# SPDX-License-Identifier: Apache-2.0
"""A function of a state and each element."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_running_sums():
    dataset = Dataset.range(1, 6).scan(np.int64(0), lambda s, x: (s + x, s * x))
    assert elements(dataset) == [0, 2, 9, 24, 50]


def test_every_pass_begins_with_the_initial_state():
    dataset = Dataset.range(3).scan(np.int64(10), lambda s, x: (s + 1, s)).repeat(2)
    assert elements(dataset) == [10, 11, 12] * 2


def test_structures():
    initial = {"sum": np.float32(0), "names": tf.constant("")}

    def step(state, element):
        number, name = element
        state = {
            "sum": state["sum"] + number,
            "names": tf.string_join([state["names"], name]),
        }
        return state, (state["names"], state["sum"])

    dataset = Dataset.from_tensor_slices((np.float32([1, 2]), ["a", "b"]))
    assert elements(dataset.scan(initial, step)) == [(b"a", 1.0), (b"ab", 3.0)]


def test_a_state_that_grows():
    dataset = Dataset.range(4).scan(
        np.zeros([0], np.int64), lambda s, x: (tf.concat([s, [x]], 0), s)
    )
    assert dataset.output_shapes.as_list() == [None]
    assert elements(dataset) == [[], [0], [0, 1], [0, 1, 2]]


def test_it_has_as_many_elements():
    dataset = Dataset.range(7).scan(np.int64(0), lambda s, x: (s, x))
    with tf.Session() as session:
        assert session.run(dataset.cardinality()) == 7


def test_captured_tensors_and_errors():
    limit = tf.constant(2, tf.int64)

    def step(state, x):
        return state, tf.check_numerics(1.0 / tf.cast(limit - x, tf.float32), "no")

    with pytest.raises(tf.errors.InvalidArgumentError, match="ScanDataset, element 2"):
        elements(Dataset.range(4).scan(np.int64(0), step))


def test_an_end_inside_is_an_error():
    dataset = Dataset.range(4).scan(
        np.int64(0), lambda s, x: (s, tf.py_func(_end, [x], tf.int64))
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="OutOfRange"):
        elements(dataset)


def _end(x):
    raise tf.errors.OutOfRangeError(None, None, "no more")


def test_what_does_not_fit_is_refused():
    with pytest.raises(TypeError, match="pair"):
        Dataset.range(3).scan(np.int64(0), lambda s, x: s)
    with pytest.raises(TypeError, match="element types"):
        Dataset.range(3).scan(np.int64(0), lambda s, x: (tf.cast(s, tf.int32), x))
    with pytest.raises((TypeError, ValueError)):
        Dataset.range(3).scan(np.int64(0), lambda s, x: ((s, s), x))


def test_scan_of_experimental_is_applied():
    dataset = Dataset.range(3).apply(
        tf.data.experimental.scan(np.int64(1), lambda s, x: (s * 2, s))
    )
    assert elements(dataset) == [1, 2, 4]
