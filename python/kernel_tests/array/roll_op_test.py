# SPDX-License-Identifier: Apache-2.0
"""tf.roll against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "shift", "axis"),
    [
        ([5], 2, 0),
        ([5], -7, 0),
        ([5], 0, -1),
        ([3, 4], [1, -2], [0, 1]),
        ([3, 4], [1, 1], [0, 0]),
        ([3, 4, 2], 1, 1),
        ([3, 4, 2], [2, 3], [0, -1]),
        ([0, 4], 1, 0),
        ([3, 4], [], []),
        ([60, 70], [2**31 - 1, -5], [0, 1]),
    ],
)
def test_roll(dtype, shape, shift, axis):
    x = values(shape, dtype)
    want = np.roll(x, shift, axis) if np.size(shift) else x
    for index_dtype in (np.int32, np.int64):
        got = fed(tf.roll, x, np.array(shift, index_dtype), np.array(axis, np.int32))
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("shape", "shift", "axis"),
    [([], 1, 0), ([3], 1, 1), ([3], 1, -2), ([3], [1, 2], [0]), ([3], [[1]], [[0]])],
)
def test_roll_refuses_bad_axes(shape, shift, axis):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(tf.roll, values(shape), np.array(shift, np.int32), np.array(axis, np.int32))


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (lambda x: tf.roll(x, [1, -2], [0, 1]), [[3, 4]]),
        (lambda x: tf.roll(x, 3, 0), [[5]]),
    ],
)
def test_gradients(build, shapes):
    assert gradient_error(build, *shapes) < 1e-9
