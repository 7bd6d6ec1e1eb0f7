# SPDX-License-Identifier: Apache-2.0
"""The converters of constant_op, which packages call by name."""

import pytest

import tensorwright as tf
from tensorwright.python.framework import constant_op

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_shape_becomes_its_sizes():
    convert = constant_op._tensor_shape_tensor_conversion_function
    sizes = convert(tf.TensorShape([2, 3]))
    assert sizes.dtype == tf.int32
    assert convert(tf.TensorShape([2**31])).dtype == tf.int64
    with tf.Session() as session:
        assert session.run(sizes).tolist() == [2, 3]
    with pytest.raises(ValueError, match="partially known TensorShape"):
        convert(tf.TensorShape([2, None]))


def test_the_shape_of_a_constant_is_no_tensor():
    """Programs try `constant`, and use `fill` where it refuses."""
    for shape in (tf.constant([2, 3]), tf.placeholder(tf.int32, [2])):
        for verify in (False, True):
            with pytest.raises(TypeError, match="tf.fill takes one"):
                tf.constant(2.0, shape=shape, verify_shape=verify)
