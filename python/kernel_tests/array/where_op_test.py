# SPDX-License-Identifier: Apache-2.0
"""The op Where against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    fed,
)


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int16, np.float16, np.float64, np.complex64]
)
@pytest.mark.parametrize("shape", [[0], [7], [3, 5], [2, 3, 4], [3, 0]])
def test_where_gives_coordinates(dtype, shape):
    x = (np.arange(int(np.prod(shape))) % 3 == 1).astype(dtype).reshape(shape)
    if np.issubdtype(dtype, np.inexact):
        x = np.where(x == 0, np.array(-0.0, dtype), x)
    np.testing.assert_array_equal(fed(gen_array_ops.where, x), np.argwhere(x))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float32, np.int64])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 1.0])
@pytest.mark.parametrize(
    "shape",
    [
        [1 << 17],
        [400, 333],
        [40, 1, 3333],
        [100003, 1],
        [11, 10, 9, 131],
        [5, 20, 3, 7, 61],
        [3, 5, 4, 6, 7, 51],
        [4, 3, 5, 2, 6, 3, 61],
        [2, 3, 4, 5, 2, 6, 9, 7],
        [16385, 8],
        [16383, 8],
    ],
)
def test_where_in_many_blocks(dtype, share, shape):
    x = (np.random.RandomState(0).uniform(size=shape) < share).astype(dtype)
    np.testing.assert_array_equal(fed(gen_array_ops.where, x), np.argwhere(x))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
def test_where_counts_nan_as_not_zero(dtype):
    x = np.zeros([3, 17], dtype)
    x[1, 3] = x[2, 16] = np.nan
    x[0, 5] = np.inf
    np.testing.assert_array_equal(
        fed(gen_array_ops.where, x), [[0, 5], [1, 3], [2, 16]]
    )


def test_where_refuses_a_scalar():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.where, np.array(True))
