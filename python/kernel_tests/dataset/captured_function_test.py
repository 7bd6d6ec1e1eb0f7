# SPDX-License-Identifier: Apache-2.0
"""Functions of elements, with what they capture."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    refuses,
)
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_captured_tensors_are_those_of_the_pass():
    fed = tf.placeholder(tf.int64, [])
    iterator = Dataset.range(3).map(lambda x: x * fed).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        for factor in (2, 5):
            session.run(iterator.initializer, {fed: factor})
            assert [session.run(element) for _ in range(3)] == [0, factor, 2 * factor]


def test_a_predicate_of_another_shape_is_refused():
    def make():
        dataset = Dataset.range(3)
        return dataset.filter(
            lambda x: tf.py_func(lambda v: np.array([True, False]), [x], tf.bool)
        )

    refuses("scalar bool", make)


def test_functions_that_are_not_there():
    variant = gen_dataset_ops.map_dataset(
        Dataset.range(3)._variant_tensor,
        [],
        f=attr_value_pb2.NameAttrList(name="nowhere"),
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    made = Dataset._from_variant(variant, tf.TensorSpec([], tf.int64))
    refuses("nowhere", lambda: made, tf.errors.NotFoundError)


def _divides(x):
    above = x - 1
    return 4 // above  # The line that fails.


def test_an_error_in_a_function_names_its_lines_and_the_op_that_was_run():
    # A node of this name in the graph around is another one.
    tf.identity(1, name="floordiv")
    element = Dataset.range(3).map(_divides).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(element)
    assert caught.value.op.type == "IteratorGetNext"
    text = str(caught.value)
    line = _divides.__code__.co_firstlineno + 2
    assert f"captured_function_test.py:{line}, " in text
    made = test_an_error_in_a_function_names_its_lines_and_the_op_that_was_run
    assert f"captured_function_test.py:{made.__code__.co_firstlineno + 3}" in text
