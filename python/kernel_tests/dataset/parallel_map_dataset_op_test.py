# SPDX-License-Identifier: Apache-2.0
"""A function of each element, several calls at a time."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("calls", [1, 2, 7, tf.data.AUTOTUNE])
def test_the_order_stays(calls):
    def slowly(x):
        time.sleep(0.001 * (x % 3))
        return x * x

    dataset = Dataset.range(40).map(
        lambda x: tf.py_func(slowly, [x], tf.int64), num_parallel_calls=calls
    )
    assert elements(dataset) == [x * x for x in range(40)]


def test_errors_come_in_their_place():
    dataset = Dataset.range(6).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "bad"),
        num_parallel_calls=4,
    )
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        got = []
        for _ in range(6):
            try:
                got.append(session.run(element).tolist())
            except tf.errors.InvalidArgumentError as error:
                assert "element 2 of its input" in error.message
                got.append(None)
        assert got == [-0.5, -1, None, 1, 0.5, np.float32(1 / 3)]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_the_calls_are_positive():
    refuses(
        "num_parallel_calls must be",
        lambda: Dataset.range(3).map(lambda x: x, num_parallel_calls=scalar(0)),
    )


def test_several_calls_at_a_time():
    meeting = threading.Barrier(2, timeout=20)

    def meet(x):
        meeting.wait()
        return x

    dataset = Dataset.range(8).map(
        lambda x: tf.py_func(meet, [x], tf.int64), num_parallel_calls=2
    )
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    element = (iterator := dataset.make_initializable_iterator()).get_next()
    with tf.Session(config=config) as session:
        session.run(iterator.initializer)
        assert [session.run(element) for _ in range(8)] == list(range(8))


def test_a_session_may_go_while_calls_are_under_way():
    dataset = Dataset.range(1000).map(
        lambda x: tf.py_func(lambda v: time.sleep(0.01) or v, [x], tf.int64),
        num_parallel_calls=4,
    )
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(element) == 0


def test_the_first_version_of_the_op():
    """Older graphs have this version, whose number of calls is an int32."""

    @function.Defun(tf.int64)
    def square(x):
        return x * x

    square.add_to_graph(tf.get_default_graph())
    numbers = Dataset.range(50)
    variant = gen_dataset_ops.parallel_map_dataset(
        numbers._variant_tensor,
        [],
        tf.constant(4),
        f=square,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    dataset = Dataset._from_variant(variant, numbers._spec, [numbers])
    assert elements(dataset) == [x * x for x in range(50)]


def test_the_first_version_of_the_op_takes_captured_tensors():
    @function.Defun(tf.int64, tf.int64)
    def moved(x, by):
        return x + by

    moved.add_to_graph(tf.get_default_graph())
    numbers = Dataset.range(20)
    variant = gen_dataset_ops.parallel_map_dataset(
        numbers._variant_tensor,
        [tf.constant(100, tf.int64)],
        tf.constant(3),
        f=moved,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    dataset = Dataset._from_variant(variant, numbers._spec, [numbers])
    assert elements(dataset) == [100 + x for x in range(20)]
