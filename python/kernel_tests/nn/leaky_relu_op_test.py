# SPDX-License-Identifier: Apache-2.0
"""LeakyRelu and its gradient against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import (
    REALS,
    Entry,
    bad_input_test,
    gradients_test,
    values_test,
)
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

TABLE = [
    Entry(
        "leaky_relu",
        lambda x: gen_nn_ops.leaky_relu(x, alpha=0.25),
        lambda x: np.where(x > 0, x, x * x.dtype.type(0.25)),
        REALS,
    ),
    Entry(
        "leaky_relu_grad",
        lambda g, x: gen_nn_ops.leaky_relu_grad(g, x, alpha=0.25),
        lambda g, x: np.where(x > 0, g, g * g.dtype.type(0.25)),
        REALS,
        arguments=2,
        shapes=[[0], [1], [7], [3, 5], [1001]],
        gradient_by=(0,),
        bad=[([np.zeros(2), np.zeros(3)], "must have the same|equal|same size")],
    ),
]

test_values = values_test(TABLE)
test_gradients = gradients_test(TABLE)
test_bad_input = bad_input_test(TABLE)


def test_what_is_no_number_or_has_no_end_stays():
    x = np.array([np.nan, np.inf, -np.inf, 0.0], np.float32)
    np.testing.assert_array_equal(
        fed(gen_nn_ops.leaky_relu, x), [np.nan, np.inf, -np.inf, 0.0]
    )


def test_gradients_of_equal_values_are_each_their_own():
    g, x = np.float32([4, 8, 8, 4]), np.float32([-1, 2, -1, 2])
    got = fed(lambda g, x: gen_nn_ops.leaky_relu_grad(g, x, alpha=0.25), g, x)
    np.testing.assert_array_equal(got, [1, 8, 2, 4])


def test_the_slope_is_0_2_unless_it_is_given():
    x = np.array([-1.0, 2.0], np.float32)
    np.testing.assert_array_equal(
        fed(gen_nn_ops.leaky_relu, x), np.float32([-0.2, 2.0])
    )
    steep = fed(lambda v: gen_nn_ops.leaky_relu(v, alpha=3.0), x)
    np.testing.assert_array_equal(steep, [-3.0, 2.0])


@pytest.mark.parametrize("dtype", [tf.int32, tf.complex64, tf.string])
def test_refuses_what_has_no_slope(dtype):
    with tf.Graph().as_default(), pytest.raises(TypeError, match=dtype.name):
        gen_nn_ops.leaky_relu(tf.placeholder(dtype))
