# SPDX-License-Identifier: Apache-2.0
"""AddN against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.op_testing import fed
from tensorwright.python.ops import gen_math_ops

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
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_add_n(dtype, count):
    for shape in ([], [0], [3, 7], [9000]):
        parts = [numbers(dtype, shape, i) for i in range(count)]
        np.testing.assert_array_equal(
            fed(lambda *p: gen_math_ops.add_n(list(p)), *parts), sum(parts)
        )
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda a, b: gen_math_ops.add_n([a, b]),
            numbers(dtype, [2]),
            numbers(dtype, [3]),
        )
