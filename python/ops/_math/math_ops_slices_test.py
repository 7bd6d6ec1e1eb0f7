# SPDX-License-Identifier: Apache-2.0
"""Tensors as IndexedSlices of their rows, and the helpers of math_ops that other packages use."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import math_ops
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("optimize", [True, False])
def test_slices_are_all_rows(optimize):
    x = np.arange(6.0).reshape(3, 2)
    slices = math_ops._as_indexed_slices(tf.constant(x), optimize)
    values, indices, shape = evaluate(
        [slices.values, slices.indices, slices.dense_shape]
    )
    np.testing.assert_array_equal(values, x)
    assert indices.tolist() == [0, 1, 2] and shape.tolist() == [3, 2]
    assert slices.dense_shape.op.type == ("Const" if optimize else "Shape")
    assert math_ops._as_indexed_slices(slices) is slices
    with pytest.raises(TypeError, match="x must be a Tensor or IndexedSlices, got 3"):
        math_ops._as_indexed_slices(3)


def test_slices_of_a_list_have_indices_of_one_dtype():
    x = tf.ones([3, 2])
    wide = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1], tf.int64), [3, 2])
    first, second = math_ops._as_indexed_slices_list([x, wide])
    assert second is wide and first.indices.dtype == tf.int64
    assert evaluate(first.indices).tolist() == [0, 1, 2]
    narrow = math_ops._as_indexed_slices_list([x, x])
    assert [s.indices.dtype for s in narrow] == [tf.int32] * 2
    with pytest.raises(TypeError, match="inputs must be a list or tuple"):
        math_ops._as_indexed_slices_list(x)


def test_numbers_fall_into_buckets():
    found = math_ops._bucketize([-5, 0, 9, 10, 11], boundaries=[0.0, 10.0])
    assert evaluate(found).tolist() == [0, 1, 1, 2, 2]
