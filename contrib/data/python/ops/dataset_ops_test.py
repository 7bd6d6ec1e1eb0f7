# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.data: methods that tf.data.Dataset has not, files, iterators."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

data = tf.contrib.data


def elements(dataset):
    following = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


def test_mapped_in_threads():
    dataset = data.Dataset.range(5).map(lambda x: x * 2, num_threads=2, output_buffer_size=3)  # fmt: skip
    assert isinstance(dataset, data.Dataset)
    assert dataset.make_dataset_resource().dtype == tf.variant
    assert elements(dataset) == [0, 2, 4, 6, 8]


def test_groups_and_batches():
    dataset = data.Dataset.range(7)
    grouped = dataset.group_by_window(lambda x: x % 2, lambda key, window: window.batch(4), 4)  # fmt: skip
    assert [g.tolist() for g in elements(grouped)] == [[0, 2, 4, 6], [1, 3, 5]]
    sparse = data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
    (found,) = elements(sparse.dense_to_sparse_batch(2, [None]))
    assert found.values.tolist() == [1, 2, 2] and found.dense_shape.tolist() == [2, 2]
    assert elements(dataset.batch(2).unbatch().take(2).enumerate()) == [(0, 0), (1, 1)]
    zipped = data.Dataset.zip((dataset, dataset.skip(5)))
    assert elements(zipped) == [(0, 5), (1, 6)]


def write(path, numbers):
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for n in numbers:
            example = tf.train.Example()
            example.features.feature["x"].int64_list.value.append(n)
            writer.write(example.SerializeToString())


def test_files_are_read_by_lines_and_records(tmp_path):
    (tmp_path / "lines").write_text("a\nb\n")
    (tmp_path / "bytes").write_bytes(b"HaabbF")
    assert elements(data.TextLineDataset(str(tmp_path / "lines"))) == [b"a", b"b"]
    fixed = data.FixedLengthRecordDataset(str(tmp_path / "bytes"), 2, 1, 1)
    assert elements(fixed) == [b"aa", b"bb"]
    write(tmp_path / "r", [1, 2])
    assert len(elements(data.TFRecordDataset([str(tmp_path / "r")]))) == 2


def test_batches_of_examples(tmp_path):
    write(tmp_path / "one", [1, 2])
    write(tmp_path / "two", [3])
    spec = {"x": tf.FixedLenFeature([], tf.int64)}
    pattern = str(tmp_path / "*")
    dataset = data.Dataset.read_batch_features(pattern, 2, spec, data.TFRecordDataset, num_epochs=1)  # fmt: skip
    found = np.concatenate([e["x"] for e in elements(dataset)])
    assert sorted(found) == [1, 2, 3]
    batch = data.read_batch_features(pattern, 3, spec, data.TFRecordDataset, randomize_input=False)  # fmt: skip
    with tf.Session() as session:
        assert session.run(batch)["x"].tolist() == [1, 2, 3]


def test_iterators():
    iterator = data.Iterator.from_dataset(data.Dataset.range(2))
    dispose = iterator.dispose_op()
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(following) == 0
        session.run(dispose)
        with pytest.raises(tf.errors.NotFoundError):
            session.run(following)


def test_classes_are_balanced():
    dataset = data.Dataset.from_tensor_slices([0] * 900 + [1] * 100)
    balanced = data.rejection_resample(dataset, lambda x: x, [0.5, 0.5], [0.9, 0.1], 7)
    classes = [c for c, _ in elements(balanced)]
    # All of the rare class stay, and each of the other by chance, 1 of 9: a deviation of 9.4 from 100.
    assert np.sum(classes) == 100
    assert abs(classes.count(0) - 100) < 4 * 9.4
