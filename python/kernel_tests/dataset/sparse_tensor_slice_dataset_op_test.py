# SPDX-License-Identifier: Apache-2.0
"""Slices of a sparse tensor."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_slices():
    value = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], [5, 6, 7], [4, 3])
    want = [
        ([[1]], [5], [3]), ([], [], [3]), ([[0], [2]], [6, 7], [3]), ([], [], [3]),
    ]  # fmt: skip
    parts = Dataset.from_sparse_tensor_slices(value)
    assert parts.output_classes == (tf.Tensor, tf.Tensor, tf.Tensor)
    assert [s.as_list() for s in parts.output_shapes] == [[None, 1], [None], [1]]
    assert elements(parts) == want
    whole = Dataset.from_tensor_slices(value)
    assert whole.output_classes is tf.SparseTensor
    assert elements(whole) == want


def test_beside_dense_ones():
    value = tf.SparseTensor([[1, 0]], ["x"], [2, 1])
    dataset = Dataset.from_tensor_slices((value, [3, 4]))
    assert elements(dataset) == [(([], [], [1]), 3), (([[0]], [b"x"], [1]), 4)]


def test_what_is_refused():
    def of(indices, values=(1,), shape=(2, 2)):
        return lambda: Dataset.from_sparse_tensor_slices(
            tf.SparseTensor(
                tf.py_func(lambda: np.array(indices, np.int64), [], tf.int64),
                tf.constant(values),
                tf.constant(shape, tf.int64),
            )
        )

    refuses("which has size 2", of([[0, 2]]))
    refuses("which has size 2", of([[-1, 0]]))
    refuses("ordered", of([[1, 0], [0, 0]], (1, 2)), tf.errors.UnimplementedError)
    refuses("must be", of([[0, 1, 2]]))
    with pytest.raises(TypeError, match="SparseTensor"):
        Dataset.from_sparse_tensor_slices(np.zeros(2))
