# SPDX-License-Identifier: Apache-2.0
"""Transformations of later releases: windows, shapes, reductions, files of Examples."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

data, Dataset = tf.contrib.data, tf.data.Dataset


def elements(dataset, feed=None):
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer, feed)
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


def test_an_input_pipeline_of_the_time():
    dataset = Dataset.range(6).apply(data.shuffle_and_repeat(6, 2, seed=1))
    dataset = dataset.apply(data.map_and_batch(lambda x: x * 10, 4, drop_remainder=True))  # fmt: skip
    dataset = dataset.apply(data.prefetch_to_device("/cpu:0"))
    found = elements(dataset.apply(data.copy_to_device("/cpu:0")))
    assert sorted(np.concatenate(found).tolist()) == sorted([0, 10, 20, 30, 40, 50] * 2)
    with pytest.raises(ValueError, match="CPUs alone"):
        data.prefetch_to_device("/gpu:0")


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({}, [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]),
        ({"stride": 2}, [[0, 1, 2], [2, 3, 4]]),
        ({"window_shift": 3}, [[0, 1, 2], [3, 4, 5]]),
        ({"window_stride": 2}, [[0, 2, 4], [1, 3, 5]]),
    ],
)
def test_windows(options, want):
    found = elements(Dataset.range(6).apply(data.sliding_window_batch(3, **options)))
    assert [f.tolist() for f in found] == want
    both = Dataset.range(6).map(lambda x: {"a": x, "b": (x * 2, -x)})
    found = elements(both.apply(data.sliding_window_batch(3, **options)))
    assert [f["b"][0].tolist() for f in found] == [[2 * x for x in w] for w in want]


def test_wrong_windows():
    with pytest.raises(ValueError, match="both"):
        data.sliding_window_batch(3, stride=1, window_shift=1)


def test_padded_batches_of_a_known_size():
    ragged = Dataset.range(1, 6).map(lambda n: tf.fill([n], n))
    batches = ragged.apply(data.padded_batch_and_drop_remainder(2, [None], np.int64(-1)))  # fmt: skip
    assert batches.output_shapes.as_list() == [2, None]
    found = [b.tolist() for b in elements(batches)]
    assert found == [[[1, -1], [2, 2]], [[3, 3, 3, -1], [4, 4, 4, 4]]]


def test_shapes_are_known_and_checked():
    x = tf.placeholder(tf.float32, [None, None])
    made = Dataset.from_tensors((x, tf.zeros([3])))
    known = made.apply(data.assert_element_shape(([2, None], tf.TensorShape([3]))))
    assert [s.as_list() for s in known.output_shapes] == [[2, None], [3]]
    assert elements(known, {x: np.ones([2, 5])})[0][0].shape == (2, 5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert_element_shape"):
        elements(known, {x: np.ones([3, 5])})
    with pytest.raises(ValueError, match="not compatible"):
        made.apply(data.assert_element_shape(([2, None], [4])))


def test_reductions():
    reducer = data.Reducer(
        lambda zero: (zero, 0.0),
        lambda state, x: (state[0] + x, state[1] + 1.0),
        lambda total, count: tf.cast(total, tf.float32) / count,
    )
    by_state = data.Reducer(reducer.init_func, reducer.reduce_func, lambda state: reducer.finalize_func(*state))  # fmt: skip
    with tf.Session() as session:
        assert session.run(data.reduce_dataset(Dataset.range(5), by_state)) == 2
    with pytest.raises(TypeError, match="Dataset"):
        data.reduce_dataset([1, 2], reducer)


def write(path, numbers):
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for n in numbers:
            example = tf.train.Example()
            example.features.feature["x"].int64_list.value.append(n)
            example.features.feature["y"].float_list.value.append(n / 2)
            writer.write(example.SerializeToString())


def test_files_of_examples(tmp_path):
    write(tmp_path / "a", [1, 2, 3])
    write(tmp_path / "b", [4, 5])
    features = {"x": tf.FixedLenFeature([], tf.int64), "y": tf.FixedLenFeature([], tf.float32)}  # fmt: skip
    made = data.make_batched_features_dataset(str(tmp_path / "*"), 2, features, num_epochs=1, shuffle=False)  # fmt: skip
    assert [b["x"].tolist() for b in elements(made)] == [[1, 2], [3, 4], [5]]
    labelled = data.make_batched_features_dataset(str(tmp_path / "*"), 2, features, label_key="y", num_epochs=2, shuffle_seed=3, drop_final_batch=True)  # fmt: skip
    found = elements(labelled)
    assert len(found) == 5 and all(set(f) == {"x"} for f, _ in found)
    assert all((f["x"] == 2 * y).all() for f, y in found)
    assert sorted(np.concatenate([f["x"] for f, _ in found]).tolist()) == sorted([1, 2, 3, 4, 5] * 2)  # fmt: skip
    with pytest.raises(ValueError, match="label_key"):
        data.make_batched_features_dataset("x", 2, features, label_key="z")
