# SPDX-License-Identifier: Apache-2.0
"""A whole dataset as tensors."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import Dataset

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def test_a_sum():
    assert _run(Dataset.range(10).reduce(np.int64(5), lambda s, x: s + x)) == 50
    assert _run(Dataset.range(0).reduce(np.int64(5), lambda s, x: s + x)) == 5


def test_structures():
    dataset = Dataset.from_tensor_slices((np.float32([1, 2, 3]), ["a", "b", "c"]))
    total, (count, text) = _run(
        dataset.reduce(
            (np.float32(0), (np.int64(0), tf.constant(""))),
            lambda s, e: (
                s[0] + e[0],
                (s[1][0] + 1, tf.string_join([s[1][1], e[1]])),
            ),
        )
    )
    assert (total, count, text) == (6.0, 3, b"abc")


def test_a_state_that_grows():
    result = Dataset.range(3).reduce(
        np.zeros([0], np.int64), lambda s, x: tf.concat([s, [x]], 0)
    )
    assert result.shape.as_list() == [None]
    assert _run(result).tolist() == [0, 1, 2]


def test_every_run_goes_through_it_anew():
    total = Dataset.range(4).reduce(np.int64(0), lambda s, x: s + x)
    with tf.Session() as session:
        assert [session.run(total) for _ in range(3)] == [6, 6, 6]


def test_captured_tensors():
    factor = tf.placeholder(tf.int64, [])
    total = Dataset.range(4).reduce(np.int64(0), lambda s, x: s + x * factor)
    with tf.Session() as session:
        assert session.run(total, {factor: 10}) == 60


def test_datasets_whose_elements_wait_for_threads_are_reduced():
    # Prefetching and Python: threads that the one that asks has to wait for.
    dataset = Dataset.range(100).map(
        lambda x: tf.py_func(lambda v: v, [x], tf.int64), num_parallel_calls=2
    )
    total = dataset.prefetch(4).reduce(
        np.int64(0), lambda s, x: s + tf.py_func(lambda v: v, [x], tf.int64)
    )
    assert _run(total) == 4950


def test_errors_say_which_element():
    def fails(s, x):
        return s + tf.check_numerics(1 / tf.cast(2 - x, tf.float32), "no")

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="ReduceDataset, element 2"
    ):
        _run(Dataset.range(4).reduce(np.float32(0), fails))
    with pytest.raises(TypeError, match="element types"):
        Dataset.range(4).reduce(np.int64(0), lambda s, x: tf.cast(s, tf.int32))


def test_without_end_it_can_be_stopped():
    endless = Dataset.range(10).repeat().reduce(np.int64(0), lambda s, x: s + x)
    with tf.Session() as session:
        ended = []

        def work():
            with pytest.raises((tf.errors.CancelledError, RuntimeError)):
                session.run(endless)
            ended.append(True)

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.2)
        session.close()
        thread.join(20)
        assert ended


def test_a_single_element():
    dataset = Dataset.from_tensors((1, "a"))
    assert _run(dataset.get_single_element()) == (1, b"a")
    assert _run(tf.data.experimental.get_single_element(dataset)) == (1, b"a")
    batches = Dataset.range(5).batch(8)
    assert _run(batches.get_single_element()).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("no_dataset", [3, None, [1]])
def test_a_single_element_is_of_a_dataset(no_dataset):
    with pytest.raises(TypeError, match="get_single_element: `dataset` must be a"):
        tf.data.experimental.get_single_element(no_dataset)


def test_an_error_in_the_function_names_the_state():
    words = r"Dataset.reduce, whose state is <dtype: 'int32'>, as initial_state"
    with pytest.raises(TypeError, match=words):
        Dataset.range(3).reduce(0, lambda s, x: s + x)
    with pytest.raises(TypeError, match="Dataset.scan, whose state is"):
        Dataset.range(3).scan(0, lambda s, x: (s + x, s))


@pytest.mark.parametrize("n, words", [(0, "empty"), (2, "more than one")])
def test_none_or_several_are_refused(n, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        _run(Dataset.range(n).get_single_element())


def test_elements_are_no_arrays_while_graphs_are_built():
    with pytest.raises(RuntimeError, match="graphs"):
        Dataset.range(3).as_numpy_iterator()
