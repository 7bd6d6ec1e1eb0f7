# SPDX-License-Identifier: Apache-2.0
"""Options of datasets: what iterators make of them."""

import threading
import time

import pytest

import tensorwright as tf
from tensorwright.core.framework import dataset_options_pb2
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    rest,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _options(**kwargs):
    options = tf.data.Options()
    for name, value in kwargs.items():
        setattr(options, name, value)
    return options


def _message(dataset):
    node = dataset._variant_tensor.op.node_def
    assert node.op == "OptionsDataset"
    return dataset_options_pb2.Options.FromString(node.attr["serialized_options"].s)


def test_elements_are_those_of_the_input():
    dataset = Dataset.range(5).with_options(tf.data.Options())
    assert elements(dataset) == list(range(5))
    assert dataset.element_spec == Dataset.range(5).element_spec


def test_the_message_has_what_was_set():
    first = _options(deterministic=False, dataset_name="mine")
    first.threading.private_threadpool_size = 3
    first.autotune.enabled = False
    second = _options(experimental_slack=True)
    second.threading.max_intra_op_parallelism = 2
    second.experimental_distribute.auto_shard_policy = 2
    dataset = Dataset.range(2).with_options(first).map(lambda x: x)
    dataset = dataset.with_options(second)
    assert _message(dataset) == dataset_options_pb2.Options(
        deterministic=False,
        dataset_name="mine",
        slack=True,
        threading_options=dataset_options_pb2.ThreadingOptions(
            private_threadpool_size=3, max_intra_op_parallelism=2
        ),
        autotune_options=dataset_options_pb2.AutotuneOptions(enabled=False),
        distribute_options=dataset_options_pb2.DistributeOptions(
            auto_shard_policy="DATA"
        ),  # fmt: skip
    )
    assert dataset.options().deterministic is False


def _names_of_threads(dataset):
    names = set()

    def note(x):
        with open(f"/proc/self/task/{threading.get_native_id()}/comm") as file:
            names.add(file.read().strip())
        time.sleep(0.01)
        return x

    dataset = dataset.map(lambda x: tf.py_func(note, [x], tf.int64), 3)
    return dataset, names


def test_a_pool_of_its_own():
    options = tf.data.Options()
    options.threading.private_threadpool_size = 3
    dataset, names = _names_of_threads(Dataset.range(12))
    dataset = dataset.with_options(options)
    assert elements(dataset) == list(range(12))
    assert any(name.startswith("dataset_privat") for name in names), names


def test_any_order_does_not_wait_for_the_first():
    """A call that a thread of the pool has begun ends when others have been seen."""
    seen, held = threading.Event(), threading.Event()

    def hold(x):
        with open(f"/proc/self/task/{threading.get_native_id()}/comm") as file:
            in_pool = file.read().startswith("dataset_")
        if in_pool and not held.is_set():
            held.set()
            assert seen.wait(60)
            return -x
        return x

    options = _options(deterministic=False)
    options.threading.private_threadpool_size = 2
    # From 1 on: the number says which call was held.
    dataset = Dataset.range(1, 500).map(lambda x: tf.py_func(hold, [x], tf.int64), 2)
    dataset = dataset.with_options(options)
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as session:
        found = []
        while not held.is_set():
            found.append(int(session.run(element)))
        behind = [int(session.run(element)) for _ in range(5)]
        assert min(behind) > 0
        seen.set()
        found += behind + rest(session, element)
    assert sum(x < 0 for x in found) == 1
    assert sorted(abs(x) for x in found) == list(range(1, 500))


@pytest.mark.parametrize("own", [True, None])
def test_order_is_kept_unless_it_may_change(own):
    dataset = Dataset.range(50).map(lambda x: x * 2, 4, deterministic=own)
    assert elements(dataset) == [2 * i for i in range(50)]


def test_own_order_counts_before_the_options():
    dataset = Dataset.range(50).map(lambda x: x * 2, 4, deterministic=True)
    dataset = dataset.with_options(_options(deterministic=False))
    assert elements(dataset) == [2 * i for i in range(50)]
    free = Dataset.range(50).map(lambda x: x * 2, 4, deterministic=False)
    assert sorted(elements(free)) == [2 * i for i in range(50)]


def test_what_is_refused():
    options = tf.data.Options()
    options.threading.private_threadpool_size = -1
    refuses("private_threadpool_size", lambda: Dataset.range(2).with_options(options))
    with pytest.raises(AttributeError, match="threads"):
        tf.data.Options().threads = 2
