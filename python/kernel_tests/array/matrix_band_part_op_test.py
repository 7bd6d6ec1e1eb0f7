# SPDX-License-Identifier: Apache-2.0
"""tf.matrix_band_part against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("shape", "lower", "upper"),
    [
        ([4, 4], 0, 0),
        ([4, 4], 1, 2),
        ([3, 5], -1, 0),
        ([5, 3], 0, -1),
        ([2, 3, 4], -1, -1),
        ([2, 3, 4], 3, 4),
        ([0, 3], 0, 0),
        ([130, 70], 5, 60),
    ],
)
def test_band_part(dtype, index_dtype, shape, lower, upper):
    x = values(shape, dtype)
    distance = np.arange(shape[-1]) - np.arange(shape[-2])[:, None]
    inside = np.ones(distance.shape, bool)
    if lower >= 0:
        inside &= distance >= -lower
    if upper >= 0:
        inside &= distance <= upper
    got = fed(tf.matrix_band_part, x, index_dtype(lower), index_dtype(upper))
    np.testing.assert_array_equal(got, np.where(inside, x, np.zeros_like(x)))


@pytest.mark.parametrize(("lower", "upper"), [(4, 0), (0, 5)])
def test_band_part_refuses_more_diagonals_than_there_are(lower, upper):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be negative or"):
        fed(tf.matrix_band_part, values([3, 4]), np.int64(lower), np.int64(upper))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
        fed(tf.matrix_band_part, values([3]), np.int64(0), np.int64(0))


def test_gradient_keeps_the_band():
    assert gradient_error(lambda x: tf.matrix_band_part(x, 1, 0), [2, 3, 4]) < 1e-9
