# SPDX-License-Identifier: Apache-2.0
"""Tensors as rows of a sparse tensor."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_dense_rows_become_one_sparse_batch():
    dataset = Dataset.range(3).map(lambda x: tf.fill([x], x)).sparse_batch(2, [4])
    assert dataset.output_shapes.as_list() == [None, 4]
    assert elements(dataset) == [
        ([[1, 0]], [1], [2, 4]), ([[0, 0], [0, 1]], [2, 2], [1, 4]),
    ]  # fmt: skip


def test_free_sizes_are_the_largest():
    dataset = Dataset.range(1, 3).map(lambda x: tf.fill([x, 1], "a"))
    dataset = dataset.apply(tf.data.experimental.dense_to_sparse_batch(2, [None, 1]))
    assert elements(dataset) == [
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [b"a"] * 3, [2, 2, 1])
    ]


def test_what_is_refused():
    def sparse(size, row):
        return lambda: (
            Dataset.range(4).map(lambda x: tf.fill([x], x)).sparse_batch(size, row)
        )

    refuses("Batch size must be", sparse(scalar(0), [4]))
    refuses("larger than the row shape", sparse(4, [2]), tf.errors.DataLossError)
    refuses("incompatible", sparse(2, [2, 2]))
    with pytest.raises(TypeError, match="one dense tensor"):
        Dataset.zip((Dataset.range(2), Dataset.range(2))).sparse_batch(2, [1])
