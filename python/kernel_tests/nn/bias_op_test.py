# SPDX-License-Identifier: Apache-2.0
"""BiasAdd and BiasAddGrad against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import rounding
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

NUMBERS = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def numbers(dtype, shape, seed=0):
    return np.random.RandomState(seed).randint(0, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_bias_add_and_its_gradient(dtype):
    for shape in ([2, 3], [5, 4, 3], [2, 3, 4, 17], [1000, 10], [0, 3], [3, 700]):
        x, b = numbers(dtype, shape), numbers(dtype, [shape[-1]], 1)
        np.testing.assert_array_equal(fed(gen_nn_ops.bias_add, x, b), x + b)
        np.testing.assert_array_equal(fed(gen_nn_ops.bias_add_v1, x, b), x + b)
        want = x.sum(tuple(range(x.ndim - 1)), dtype=x.dtype)
        got = fed(gen_nn_ops.bias_add_grad, x)
        np.testing.assert_allclose(got, want, rtol=rounding(dtype, 1))
    x, b = numbers(dtype, [2, 3, 4, 5]), numbers(dtype, [3], 1)
    got = fed(lambda v, w: gen_nn_ops.bias_add(v, w, data_format="NCHW"), x, b)
    np.testing.assert_array_equal(got, x + b[:, None, None])
    got = fed(lambda v: gen_nn_ops.bias_add_grad(v, data_format="NCHW"), x)
    np.testing.assert_array_equal(got, x.sum((0, 2, 3), dtype=x.dtype))


@pytest.mark.parametrize(("x", "b"), [([2, 3], [2]), ([3], [3]), ([2, 3], [1, 3])])
def test_bias_add_refuses_what_does_not_fit(x, b):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_nn_ops.bias_add, np.zeros(x, np.float32), np.zeros(b, np.float32))
