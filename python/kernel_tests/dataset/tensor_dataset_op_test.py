# SPDX-License-Identifier: Apache-2.0
"""One element."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
)
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_one_element_of_any_structure():
    value = {"a": np.eye(2), "b": (1, "x")}
    dataset = Dataset.from_tensors(value)
    assert dataset.output_types == {"a": tf.float64, "b": (tf.int32, tf.string)}
    assert dataset.output_shapes["a"].as_list() == [2, 2]
    assert elements(dataset) == [{"a": [[1, 0], [0, 1]], "b": (1, b"x")}]


def test_lists_are_tensors():
    assert elements(Dataset.from_tensors([1, 2])) == [[1, 2]]


def test_sparse_tensors():
    value = tf.SparseTensor([[0, 1]], [5], [2, 3])
    dataset = Dataset.from_tensors((value, 1))
    assert dataset.output_classes == (tf.SparseTensor, tf.Tensor)
    assert dataset.output_shapes[0].as_list() == [2, 3]
    assert elements(dataset) == [(([[0, 1]], [5], [2, 3]), 1)]


def test_the_shape_must_be_the_one_that_was_said():
    value = tf.py_func(lambda: np.zeros(3), [], tf.float64)
    variant = gen_dataset_ops.tensor_dataset([value], output_shapes=[[2]])
    spec = tf.TensorSpec([2], tf.float64)
    refuses("Incompatible shapes", lambda: Dataset._from_variant(variant, spec))
