# SPDX-License-Identifier: Apache-2.0
"""Values that are made of several tensors are of one class."""

import pytest

import tensorwright as tf
from tensorwright.python.framework import composite_tensor, ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_sparse_tensors_and_slices_are_composite_and_tensors_are_not():
    kind = composite_tensor.CompositeTensor
    assert isinstance(tf.SparseTensor([[0]], [1.0], [2]), kind)
    assert isinstance(ops.IndexedSlices(tf.ones([1, 2]), tf.constant([0])), kind)
    assert not isinstance(tf.constant(1), kind)


def test_a_program_has_composite_tensors_of_its_own():
    class Pair(composite_tensor.CompositeTensor):
        def __init__(self, first, second):
            self.both = first, second

    assert isinstance(Pair(tf.constant(1), 2), composite_tensor.CompositeTensor)
