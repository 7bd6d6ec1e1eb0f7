# SPDX-License-Identifier: Apache-2.0
"""GatherNd against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    fed,
    gradient_error,
    values,
)

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_gather_nd_takes_slices_by_coordinates(dtype, depth):
    x = values([3, 4, 2], dtype)
    rng = np.random.RandomState(0)
    indices = np.stack(
        [rng.randint(0, x.shape[d], [5, 2]) for d in range(depth)], -1
    ).astype(np.int32)
    got = fed(gen_array_ops.gather_nd, x, indices)
    np.testing.assert_array_equal(got, x[tuple(np.moveaxis(indices, -1, 0))])


def test_gather_nd_names_the_coordinates_that_are_out_of_range():
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"indices\[1\] = \[0, 4\] does not index into param shape \[3,4\]",
    ):
        fed(
            gen_array_ops.gather_nd,
            values([3, 4]),
            np.array([[0, 0], [0, 4]], np.int32),
        )


@pytest.mark.parametrize(
    ("indices", "shape"),
    [([[1], [0], [1]], [2, 3]), ([[1, 2], [0, 0]], [2, 3]), (np.zeros([0, 1]), [4])],
)
def test_gradient_scatters_to_where_the_slices_came_from(indices, shape):
    indices = np.array(indices, np.int32)
    assert gradient_error(lambda x: tf.gather_nd(x, indices), shape) < 1e-9
