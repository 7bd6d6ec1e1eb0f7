# SPDX-License-Identifier: Apache-2.0
"""Iterators: one-shot, initializable, by structure and by name."""

import inspect
import resource
import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import Dataset, rest
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_one_shot():
    dataset = Dataset.range(4).map(lambda x: x * x).batch(3)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert rest(session, element) == [[0, 1, 4], [9]]
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            session.run(element)
    with tf.Session() as session:
        assert rest(session, element) == [[0, 1, 4], [9]]


def test_one_shot_without_state():
    variable = tf.Variable(np.int64(1))
    line = inspect.currentframe().f_lineno + 1
    dataset = Dataset.range(4).map(lambda x: x + variable)
    dataset = dataset.batch(2)
    where = rf"MapDataset 'MapDataset' \(defined at .*iterator_ops_test.py:{line}\)"
    with pytest.raises(ValueError, match=f"{where}.* make_initializable_iterator"):
        dataset.make_one_shot_iterator()


def test_two_elements_in_one_run_are_two_elements():
    iterator = Dataset.range(4).make_one_shot_iterator()
    a, b = iterator.get_next(), iterator.get_next()
    with tf.Session() as session:
        assert sorted(session.run([a, b])) == [0, 1]
        assert sorted(session.run([a, b])) == [2, 3]


def test_initializable_with_a_placeholder():
    limit = tf.placeholder(tf.int64, [])
    iterator = Dataset.range(limit).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(
            tf.errors.FailedPreconditionError, match="not been initialized"
        ):
            session.run(element)
        for n in (2, 3):
            session.run(iterator.initializer, {limit: n})
            assert rest(session, element) == list(range(n))


def test_by_structure():
    iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    train = iterator.make_initializer(Dataset.range(2))
    test = iterator.make_initializer(Dataset.range(10, 13))
    element = iterator.get_next()
    with pytest.raises(ValueError, match="initializer"):
        iterator.initializer  # noqa: B018
    with tf.Session() as session:
        session.run(train)
        assert rest(session, element) == [0, 1]
        session.run(test)
        assert rest(session, element) == [10, 11, 12]
        session.run(train)
        assert session.run(element) == 0
    with pytest.raises(TypeError, match="output types"):
        iterator.make_initializer(Dataset.from_tensors(1.0))
    with pytest.raises(TypeError, match="output shapes"):
        iterator.make_initializer(Dataset.range(3).batch(2))
    with pytest.raises(ValueError, match="structure"):
        iterator.make_initializer(Dataset.from_tensors((1, 2)))


def test_a_string_handle_chooses_the_iterator():
    a = Dataset.range(3).make_one_shot_iterator()
    b = Dataset.range(10, 13).make_one_shot_iterator()
    handle = tf.placeholder(tf.string, [])
    element = tf.data.Iterator.from_string_handle(
        handle, a.output_types, a.output_shapes
    ).get_next()
    other = tf.data.Iterator.from_string_handle(handle, tf.float32).get_next()
    with tf.Session() as session:
        first, second = session.run([a.string_handle(), b.string_handle()])
        assert session.run(element, {handle: first}) == 0
        assert session.run(element, {handle: second}) == 10
        assert session.run(element, {handle: first}) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="output types"):
            session.run(other, {handle: first})
        with pytest.raises(tf.errors.InvalidArgumentError, match="handle"):
            session.run(element, {handle: b"\xff nonsense"})


def test_shared_names():
    with tf.Session() as session:
        iterators = [
            tf.data.Iterator.from_structure(tf.int64, [], shared_name="shared")
            for _ in range(2)
        ]
        session.run(iterators[0].make_initializer(Dataset.range(3)))
        assert session.run(iterators[1].get_next()) == 0
        assert session.run(iterators[0].get_next()) == 1
        clash = tf.data.Iterator.from_structure(tf.float32, [], shared_name="shared")
        with pytest.raises(tf.errors.InvalidArgumentError, match="output types"):
            session.run(clash.get_next())


def test_dispose():
    iterator = Dataset.range(3).make_initializable_iterator()
    element = iterator.get_next()
    dispose = gen_dataset_ops.iterator_dispose(iterator._iterator_resource)
    with tf.Session() as session:
        session.run(iterator.initializer)
        session.run(dispose)
        with pytest.raises(tf.errors.NotFoundError):
            session.run(element)


def test_older_and_other_forms_of_the_ops():
    kinds = {"output_types": [tf.int64], "output_shapes": [[]]}
    handle = gen_dataset_ops.iterator(shared_name="", container="", **kinds)
    begin = gen_dataset_ops.make_iterator(Dataset.range(3)._variant_tensor, handle)
    following = gen_dataset_ops.iterator_get_next_sync(handle, **kinds)
    name = gen_dataset_ops.iterator_to_string_handle(handle)
    again = gen_dataset_ops.iterator_from_string_handle(name, **kinds)
    same = gen_dataset_ops.iterator_get_next(again, **kinds)
    with tf.Session() as session:
        session.run(begin)
        assert session.run(following) == [0] or session.run(following) == 1
        assert session.run(same) is not None


def test_elements_of_another_shape_are_refused():
    dataset = Dataset.range(3).map(lambda x: tf.py_func(lambda v: v, [x], tf.int64))
    variant = dataset._variant_tensor
    wrong = Dataset._from_variant(variant, tf.TensorSpec([2], tf.int64))
    iterator = wrong.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have shape"):
            session.run(element)


def test_a_run_that_waits_ends_with_its_time_or_session():
    waits = threading.Event()
    dataset = Dataset.range(3).map(
        lambda x: tf.py_func(lambda v: waits.wait(30) and v or v, [x], tf.int64)
    )
    element = (iterator := dataset.prefetch(1).make_initializable_iterator()).get_next()
    session = tf.Session()
    session.run(iterator.initializer)
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(element, options=tf.RunOptions(timeout_in_ms=50))
    errors = []

    def run():
        try:
            session.run(element)
        except tf.errors.OpError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    waits.wait(0.1)
    session.close()
    thread.join(10)
    waits.set()
    assert not thread.is_alive()
    assert isinstance(errors[0], tf.errors.CancelledError)


def test_graphs_are_written_and_read():
    iterator = Dataset.range(4).map(lambda x: x + 1).make_one_shot_iterator()
    name = iterator.get_next().name
    definition = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default():
        (element,) = tf.import_graph_def(definition, return_elements=[name])
        with tf.Session() as session:
            assert rest(session, element) == [1, 2, 3, 4]


def test_many_elements_in_threads():
    dataset = (
        Dataset.range(2000).shuffle(100).map(lambda x: x * 2, num_parallel_calls=2)
    )
    element = dataset.prefetch(4).make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        threads = [
            threading.Thread(target=lambda: found.extend(rest(session, element)))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == [2 * i for i in range(2000)]


def _resident_bytes():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def test_a_long_run_keeps_its_memory():
    count, size = 100_000, 100
    dataset = Dataset.range(count).shuffle(1000, seed=1)
    dataset = dataset.map(
        lambda x: (x, tf.fill([64], tf.cast(x, tf.float32))), num_parallel_calls=2
    )
    number, rows = dataset.batch(size).prefetch(2).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        runs = session.make_callable([number, tf.reduce_sum(rows)])
        total, before = 0, None
        for i in range(count // size):
            numbers, got = runs()
            total += int(numbers.sum())
            np.testing.assert_allclose(got, 64.0 * numbers.sum(), rtol=1e-4)
            if i == 200:
                before = _resident_bytes()
        with pytest.raises(tf.errors.OutOfRangeError):
            runs()
    assert total == count * (count - 1) // 2
    # An element of 256 bytes that stayed would be 20 MB.
    assert _resident_bytes() - before < 8 << 20


def test_a_graph_whose_datasets_are_resources():
    """TensorFlow 1.3 writes functions so: their datasets are resources, not variants."""
    with tf.Graph().as_default() as graph:
        dataset = Dataset.range(3).flat_map(
            lambda n: Dataset.range(n + 1).map(lambda x: x + n)
        )
        dataset = dataset.apply(
            tf.data.experimental.group_by_window(
                lambda x: x % 2, lambda key, window: window.batch(4), 4
            )
        )
        element = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            expected = rest(session, element)
        graph_def = graph.as_graph_def()
    changed = 0
    for function in graph_def.library.function:
        signature = function.signature
        for arg in (*signature.input_arg, *signature.output_arg):
            if arg.type == tf.variant.as_datatype_enum:
                arg.type = tf.resource.as_datatype_enum
                changed += 1
    assert changed >= 4
    for _ in range(2):  # The same functions again are no others.
        got = tf.import_graph_def(graph_def, return_elements=[element.name])[0]
        with tf.Session() as session:
            assert rest(session, got) == expected
