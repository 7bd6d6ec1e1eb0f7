# SPDX-License-Identifier: Apache-2.0
"""Relu and Relu6 against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import (
    INTEGERS,
    REALS,
    Entry,
    bad_input_test,
    gradients_test,
    values_test,
)
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

_ALL = [*INTEGERS, *REALS]

TABLE = [
    Entry("relu", tf.nn.relu, lambda x: np.maximum(x, 0), _ALL),
    Entry("relu6", tf.nn.relu6, lambda x: np.clip(x, 0, 6), _ALL, span=(-9, 9)),
    Entry(
        "relu_grad",
        gen_nn_ops.relu_grad,
        lambda g, x: np.where(x > 0, g, np.zeros_like(g)),
        _ALL,
        arguments=2,
        shapes=[[0], [1], [7], [3, 5], [1001]],
        gradient_by=(0,),
        bad=[([np.zeros(2), np.zeros(3)], "must have the same|equal|same size")],
    ),
    Entry(
        "relu6_grad",
        gen_nn_ops.relu6_grad,
        lambda g, x: np.where((x > 0) & (x < 6), g, np.zeros_like(g)),
        _ALL,
        arguments=2,
        shapes=[[0], [1], [7], [3, 5], [1001]],
        span=(-9, 9),
        gradient_by=(),
    ),
]

test_values = values_test(TABLE)
test_gradients = gradients_test(TABLE)
test_bad_input = bad_input_test(TABLE)


@pytest.mark.parametrize(("function", "top"), [(tf.nn.relu, np.inf), (tf.nn.relu6, 6)])
def test_nan_stays_and_infinities_are_bounded(function, top):
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    np.testing.assert_array_equal(fed(function, x), [np.nan, top, 0])


@pytest.mark.parametrize("function", [tf.nn.relu, tf.nn.relu6])
def test_refuses_strings_and_complex_numbers(function):
    for dtype in (tf.string, tf.complex64):
        with tf.Graph().as_default(), pytest.raises(TypeError, match=dtype.name):
            function(tf.placeholder(dtype))
