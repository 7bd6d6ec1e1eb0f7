# SPDX-License-Identifier: Apache-2.0
"""DynamicStitch against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_data_flow_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


def stitch(indices, data):
    """Returns the stitched rows; of equal numbers, the last row counts."""
    rows = max((i.max(initial=-1) for i in indices), default=-1) + 1
    rest = data[0].shape[indices[0].ndim :]
    out = np.zeros([rows, *rest], data[0].dtype)
    for numbers, part in zip(indices, data, strict=True):
        for place in np.ndindex(*numbers.shape):
            out[numbers[place]] = part[place]
    return out


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("indices", "rest"),
    [
        ([[0]], []),
        ([[0, 2], [1]], []),
        ([[0, 2], [1]], [3]),
        ([[[0, 1], [4, 3]], 2], [2, 2]),
        ([[], [1, 0]], [2]),
        ([[0, 1, 1], [1, 2]], [2]),
        ([np.arange(500) * 2, np.arange(500) * 2 + 1], [3]),
    ],
)
def test_rows_come_to_their_numbers(dtype, indices, rest):
    indices = [np.array(i, np.int32) for i in indices]
    data = [values([*i.shape, *rest], dtype) for i in indices]
    n = len(indices)
    got = fed(
        lambda *p: gen_data_flow_ops.dynamic_stitch(p[:n], p[n:]), *indices, *data
    )
    np.testing.assert_array_equal(got, stitch(indices, data))


def test_stitch_undoes_a_partition():
    x, numbers = values([7, 2]), np.array([1, 0, 2, 0, 1, 1, 0], np.int32)

    def build(x, p):
        rows = tf.range(7)
        parts = gen_data_flow_ops.dynamic_partition(x, p, 3)
        places = gen_data_flow_ops.dynamic_partition(rows, p, 3)
        return gen_data_flow_ops.dynamic_stitch(places, parts)

    np.testing.assert_array_equal(fed(build, x, numbers), x)


@pytest.mark.parametrize(
    ("indices", "shape", "words"),
    [([-1, 0], [2], ">= 0"), ([0, 1], [3], "does not start with|shape")],
)
def test_refuses_bad_numbers_and_shapes(indices, shape, words):
    arrays = np.array(indices, np.int32), values(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda i, x: gen_data_flow_ops.dynamic_stitch([i], [x]), *arrays)


def test_gradient_gathers():
    def build(x, y):
        return gen_data_flow_ops.dynamic_stitch([[0, 3], [2, 1]], [x, y])

    assert gradient_error(build, [2, 2], [2, 2]) < 1e-9


def test_gradient_of_many_lists():
    numbers = [[0, 7], [2, 1], [5, 3], [4, 6]]

    def build(*lists):
        return gen_data_flow_ops.dynamic_stitch(numbers, lists)

    assert gradient_error(build, *[[2, 2]] * 4) < 1e-9
