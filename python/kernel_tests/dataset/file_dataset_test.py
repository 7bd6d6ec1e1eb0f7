# SPDX-License-Identifier: Apache-2.0
"""The common behaviour of the datasets that read files."""

import inspect

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    elements,
    refuses,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_an_unreadable_file_is_left_behind(tmp_path):
    (tmp_path / "a").write_bytes(b"1\n2\n")
    (tmp_path / "c").write_bytes(b"3\n")
    names = [str(tmp_path / n) for n in "abc"]
    dataset = tf.data.TextLineDataset(names).ignore_errors()
    assert elements(dataset) == [b"1", b"2", b"3"]


def test_names_are_at_most_a_list():
    with pytest.raises(ValueError, match="rank"):
        tf.data.TextLineDataset([["a"]])
    matrix = tf.py_func(lambda: np.array([["a"]], object), [], tf.string)
    refuses("rank|scalar or a vector", lambda: tf.data.TextLineDataset(matrix))
    assert elements(tf.data.TextLineDataset(tf.constant([], tf.string))) == []


@pytest.mark.parametrize("one_shot", [True, False])
@pytest.mark.parametrize("damaged", [True, False])
def test_a_read_error_names_the_line_of_the_dataset(tmp_path, one_shot, damaged):
    path = str(tmp_path / "a")
    if damaged:
        with tf.python_io.TFRecordWriter(path) as writer:
            writer.write(b"record")
        data = (tmp_path / "a").read_bytes()
        (tmp_path / "a").write_bytes(data[:13] + b"?" + data[14:])
    line = inspect.currentframe().f_lineno + 1
    dataset = tf.data.TFRecordDataset(path, name="records")
    dataset = dataset.map(tf.strings.length).batch(2)
    iterator = (
        dataset.make_one_shot_iterator()
        if one_shot
        else dataset.make_initializable_iterator()
    )
    element = iterator.get_next()
    kind = tf.errors.DataLossError if damaged else tf.errors.NotFoundError
    with tf.Session() as session:
        if not one_shot:
            session.run(iterator.initializer)
        with pytest.raises(kind) as caught:
            session.run(element)
    message = caught.value.message
    assert message.count(path) == 1
    assert message.endswith("(TFRecordDataset, node records)")
    (row,) = [r for r in str(caught.value).splitlines() if r.startswith("\t dataset ")]
    assert f"file_dataset_test.py:{line}, records" in row


def test_a_read_error_within_a_function_names_the_line_of_the_dataset(tmp_path):
    def read(name):
        return tf.data.TextLineDataset(name)

    line = read.__code__.co_firstlineno + 1
    dataset = tf.data.Dataset.from_tensors(str(tmp_path / "a")).flat_map(read)
    with pytest.raises(tf.errors.NotFoundError) as caught:
        elements(dataset)
    (row,) = [r for r in str(caught.value).splitlines() if r.startswith("\t dataset ")]
    assert f"file_dataset_test.py:{line}, " in row
