# SPDX-License-Identifier: Apache-2.0
"""tf.unravel_index against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    fed,
)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("indices", "dims"), [([0, 5, 3], [2, 3]), (4, [2, 3]), ([], [2]), ([7], [2, 2, 2])]
)
def test_unravel_index(dtype, indices, dims):
    indices, dims = np.array(indices, dtype), np.array(dims, dtype)
    want = np.array(np.unravel_index(indices, dims))
    np.testing.assert_array_equal(fed(tf.unravel_index, indices, dims), want)


@pytest.mark.parametrize(
    ("indices", "dims"),
    [([6], [2, 3]), ([-1], [2]), ([0], [0]), ([0], [-2]), ([[0]], [2]), ([0], [[2]])],
)
def test_unravel_index_refuses_what_is_outside(indices, dims):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.unravel_index, np.array(indices, np.int32), np.array(dims, np.int32))
