# SPDX-License-Identifier: Apache-2.0
"""Softplus, Softsign and Elu against NumPy."""

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


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


TABLE = [
    Entry(
        "softplus", tf.nn.softplus, lambda x: np.logaddexp(x, 0), REALS, span=(-30, 30)
    ),
    Entry("softsign", tf.nn.softsign, lambda x: x / (1 + np.abs(x)), REALS),
    Entry("elu", tf.nn.elu, lambda x: np.where(x < 0, np.expm1(x), x), REALS),
    Entry(
        "softplus_grad",
        gen_nn_ops.softplus_grad,
        lambda g, x: g * _sigmoid(x),
        REALS,
        arguments=2,
        shapes=[[0], [1], [7], [3, 5], [1001]],
        bad=[([np.zeros(2), np.zeros(3)], "equal|same")],
    ),
    Entry(
        "softsign_grad",
        gen_nn_ops.softsign_grad,
        lambda g, x: g / (1 + np.abs(x)) ** 2,
        REALS,
        arguments=2,
        shapes=[[0], [1], [7], [3, 5], [1001]],
        gradient_by=(),
        bad=[([np.zeros(2), np.zeros(3)], "equal|same")],
    ),
    Entry(
        "elu_grad",
        gen_nn_ops.elu_grad,
        lambda g, y: np.where(y < 0, g * (y + 1), g),
        REALS,
        arguments=2,
        shapes=[[0], [1], [7], [3, 5], [1001]],
        gradient_by=(),
        bad=[([np.zeros(2), np.zeros(3)], "equal|same")],
    ),
]

test_values = values_test(TABLE)
test_gradients = gradients_test(TABLE)
test_bad_input = bad_input_test(TABLE)


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (tf.nn.softplus, [np.nan, np.inf, 0]),
        (tf.nn.elu, [np.nan, np.inf, -1]),
    ],
)
def test_nan_stays_and_infinities_have_limits(function, want):
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    np.testing.assert_array_equal(fed(function, x), want)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [2, 37])
def test_elus_gradient_of_an_infinite_one_is_infinite(dtype, size):
    """g * (y + 1): not g * y + g, which adds infinities of two signs."""
    g = np.resize(np.array([np.inf, -np.inf], dtype), size)
    with tf.Session() as session:
        got = session.run(gen_nn_ops.elu_grad(g, np.full(size, -0.5, dtype)))
    np.testing.assert_array_equal(got, g)
