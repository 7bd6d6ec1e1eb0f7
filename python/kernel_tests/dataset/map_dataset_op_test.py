# SPDX-License-Identifier: Apache-2.0
"""A function of each element."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_function_of_each_element():
    dataset = Dataset.range(5).map(lambda x: x * 2 + 1)
    assert dataset.output_types == tf.int64
    assert dataset.output_shapes.as_list() == []
    assert elements(dataset) == [1, 3, 5, 7, 9]


def test_structures_in_and_out():
    dataset = Dataset.from_tensor_slices((np.arange(3), {"w": np.ones((3, 2))}))
    dataset = dataset.map(lambda n, d: {"n": n, "sum": (tf.reduce_sum(d["w"]), "x")})
    assert dataset.output_types == {"n": tf.int64, "sum": (tf.float64, tf.string)}
    assert elements(dataset) == [{"n": i, "sum": (2.0, b"x")} for i in range(3)]


def test_what_is_around_the_function_is_captured():
    two = tf.constant(2, tf.int64)
    variable = tf.Variable(np.int64(7))
    dataset = Dataset.range(3).map(lambda x: x * two + variable)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(variable.initializer)
        session.run(iterator.initializer)
        assert [session.run(element) for _ in range(3)] == [7, 9, 11]


def test_a_map_in_a_map():
    def total(n):
        inner = Dataset.range(5).map(lambda x: x + n)
        return inner

    assert elements(Dataset.range(2).flat_map(total)) == [0, 1, 2, 3, 4, 1, 2, 3, 4, 5]


def test_an_error_names_the_element_and_the_next_one_comes():
    dataset = Dataset.range(4).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "bad")
    )
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(element) == -1
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="element 1 of its input"
        ):
            session.run(element)
        assert session.run(element) == 1


def test_out_of_range_ends_the_dataset():
    def until_two(x):
        if x == 2:
            raise StopIteration
        return x

    dataset = Dataset.range(9).map(lambda x: tf.py_func(until_two, [x], tf.int64))
    assert elements(dataset) == [0, 1]


def test_functions_that_return_nothing_are_refused():
    with pytest.raises(TypeError, match="return value"):
        Dataset.range(3).map(lambda x: None)


def test_state_inside_a_function_goes_on():
    tf.set_random_seed(1)
    dataset = Dataset.range(50).map(lambda x: tf.random_uniform([]))
    got = elements(dataset)
    assert len(set(got)) == 50


def test_sparse_elements():
    dataset = Dataset.range(2).map(
        lambda i: tf.SparseTensor(
            tf.reshape(i, [1, 1]), tf.reshape(i * 5, [1]), tf.constant([3], tf.int64)
        )
    )
    assert elements(dataset) == [([[0]], [0], [3]), ([[1]], [5], [3])]


def test_a_list_is_the_parts_of_an_element():
    """decode_csv, for one, returns a list; its tensors need not be of one type."""
    lines = Dataset.from_tensor_slices(["1,a", "2,b"])
    dataset = lines.map(lambda line: tf.decode_csv(line, [[0], [""]]))
    assert dataset.output_types == (tf.int32, tf.string)
    assert elements(dataset) == [(1, b"a"), (2, b"b")]
