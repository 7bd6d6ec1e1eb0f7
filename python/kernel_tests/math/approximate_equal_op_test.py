# SPDX-License-Identifier: Apache-2.0
"""ApproximateEqual against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [0, 1, 7, 17, 3001])
def test_is_true_where_the_difference_is_within_the_tolerance(dtype, size):
    rng = np.random.RandomState(size)
    x, step = rng.uniform(-4, 4, size), rng.uniform(-0.125, 0.125, size)
    x, y = x.astype(dtype), (x + step).astype(dtype)
    got = fed(lambda a, b: gen_math_ops.approximate_equal(a, b, tolerance=0.0625), x, y)
    np.testing.assert_array_equal(got, np.abs(x - y) <= 0.0625)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_difference_of_the_tolerance_is_within_it(dtype):
    x = np.array([1, 1, 1], dtype)
    y = np.array(
        [-1, 3, np.nextafter(np.dtype(dtype).type(3), np.dtype(dtype).type(4))], dtype
    )
    got = fed(lambda a, b: gen_math_ops.approximate_equal(a, b, tolerance=2.0), x, y)
    assert got.tolist() == [True, True, False]


def test_nothing_is_close_to_nan_nor_infinity_to_itself():
    odd = np.array([np.nan, np.inf], np.float32)
    assert not fed(gen_math_ops.approximate_equal, odd, odd).any()


def test_refuses_other_shapes():
    x = np.zeros(2, np.float32)
    words = "of x and y"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(gen_math_ops.approximate_equal, x, x[:1])
    with pytest.raises(ValueError, match=words):
        fed(gen_math_ops.approximate_equal, x, x[:1], known=True)
