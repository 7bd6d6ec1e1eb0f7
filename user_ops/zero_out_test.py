# SPDX-License-Identifier: Apache-2.0
"""ZeroOut keeps the first element of an int32 tensor and zeroes the others."""

import numpy as np
import pytest

import tensorwright as tf


def _run(value):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.user_ops.zero_out(value))


def test_keeps_the_first_element_only():
    result = _run([1, 2, 3])
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, [1, 0, 0])


@pytest.mark.parametrize("shape", [(0,), (1,), (17,), (2, 3), ()])
def test_any_shape(shape):
    value = np.arange(7, 7 + np.prod(shape, dtype=np.int64), dtype=np.int32)
    value = value.reshape(shape)
    expected = np.zeros_like(value)
    expected.reshape(-1)[:1] = value.reshape(-1)[:1]
    np.testing.assert_array_equal(_run(value), expected)


def test_static_shape_is_the_inputs():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [None, 3])
        assert tf.user_ops.zero_out(x).get_shape().as_list() == [None, 3]


def test_other_dtypes_are_refused():
    with tf.Graph().as_default(), pytest.raises(TypeError):
        tf.user_ops.zero_out(tf.constant([1.0, 2.0]))
