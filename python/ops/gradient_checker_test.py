# SPDX-License-Identifier: Apache-2.0
"""tf.test.compute_gradient and its error: right, wrong, missing and misshapen gradients."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _with_gradient(function, gradient):
    """`function` of a tensor with a gradient of our choice."""

    @tf.custom_gradient
    def op(x):
        return function(x), lambda grad: gradient(x, grad)

    return op


def _error(y, x, shape, y_shape=None, **kwargs):
    with tf.Session():
        return tf.test.compute_gradient_error(x, shape, y, y_shape or shape, **kwargs)


@pytest.mark.parametrize("dtype", [tf.float64, tf.complex128])
def test_the_error_of_a_right_gradient_is_small(dtype):
    x = tf.placeholder(dtype, [2, 3])
    assert _error(x * x * x, x, [2, 3]) < 1e-5


@pytest.mark.parametrize(
    ("wrong", "least"), [(lambda x, g: 3 * 2 * x * g, 3), (lambda x, g: -2 * x * g, 3)]
)
def test_the_error_of_a_wrong_gradient_is_the_difference(wrong, least):
    x = tf.placeholder(tf.float64, [2])
    y = _with_gradient(tf.square, wrong)(x)
    assert _error(y, x, [2], x_init_value=np.array([1.0, 2.0])) >= least


def test_a_gradient_that_is_not_a_number_is_an_error_that_is_none():
    x = tf.placeholder(tf.float64, [2])
    y = _with_gradient(tf.square, lambda x, g: g * np.array([np.nan, 2.0]))(x)
    assert np.isnan(_error(y, x, [2]))


def test_one_of_several_inputs_is_enough_for_not_a_number():
    a, b = (tf.placeholder(tf.float64, [1]) for _ in range(2))
    y = _with_gradient(tf.square, lambda x, g: g * np.nan)(a) + b
    assert np.isnan(_error(y, [a, b], [[1], [1]], [1]))


def test_a_gradient_must_have_the_shape_of_its_input():
    x = tf.placeholder(tf.float64, [2])
    # A shape that only the run knows: the graph cannot refuse it.
    n = tf.placeholder_with_default(np.int32(3), [])
    y = _with_gradient(tf.square, lambda x, g: tf.zeros([n], tf.float64))(x)
    with pytest.raises(ValueError, match=r"must have shape \(2,\), got \(3,\)"):
        _error(y, x, [2])


def test_the_gradient_of_an_empty_result_must_have_the_shape_of_its_input():
    x = tf.placeholder(tf.float64, [2])
    n = tf.placeholder_with_default(np.int32(0), [])
    y = _with_gradient(lambda x: x[:0], lambda x, g: tf.zeros([n], tf.float64))(x)
    with pytest.raises(ValueError, match=r"must have shape \(2,\), got \(0,\)"):
        _error(y, x, [2], [0])
