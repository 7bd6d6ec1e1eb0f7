# SPDX-License-Identifier: Apache-2.0
"""Datasets one after the other."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_flat_map():
    dataset = Dataset.range(4).flat_map(lambda x: Dataset.range(x))
    assert elements(dataset) == [0, 0, 1, 0, 1, 2]


def test_nested():
    dataset = Dataset.range(3).flat_map(
        lambda x: Dataset.range(2).flat_map(lambda y: Dataset.from_tensors((x, y)))
    )
    assert elements(dataset) == [(x, y) for x in range(3) for y in range(2)]


def test_what_is_no_dataset_is_refused():
    with pytest.raises(TypeError, match="must return a `Dataset`"):
        Dataset.range(3).flat_map(lambda x: x)


def test_generators():
    def count(n):
        for i in range(n):
            yield i, [float(i)] * i

    dataset = Dataset.from_generator(
        count, (tf.int64, tf.float32), (tf.TensorShape([]), tf.TensorShape([None])), [3]
    )
    assert dataset.output_shapes[1].as_list() == [None]
    want = [(0, []), (1, [1.0]), (2, [2.0, 2.0])]
    assert elements(dataset) == want
    assert elements(dataset.repeat(2)) == want * 2


def test_generators_that_give_something_else():
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not match|expected"):
        elements(Dataset.from_generator(lambda: iter([(1, 2)]), tf.int64, [3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not be converted"):
        elements(Dataset.from_generator(lambda: iter(["x"]), tf.int64))
    with pytest.raises(TypeError, match="callable"):
        Dataset.from_generator([1], tf.int64)
