# SPDX-License-Identifier: Apache-2.0
"""DynamicPartition against NumPy."""

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


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "picked"),
    [([0], 1), ([1], 1), ([7], 1), ([5, 3], 1), ([5, 3], 2), ([0, 4], 1), ([1001], 1)],
)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_parts_have_the_rows_of_their_number(dtype, shape, picked, n):
    x = values(shape, dtype)
    partitions = np.random.RandomState(n).randint(0, n, shape[:picked]).astype(np.int32)
    got = fed(lambda x, p: gen_data_flow_ops.dynamic_partition(x, p, n), x, partitions)
    assert len(got) == n
    for i, part in enumerate(got):
        np.testing.assert_array_equal(part, x[partitions == i])


def test_scalars_are_one_row():
    function = lambda x, p: gen_data_flow_ops.dynamic_partition(x, p, 2)  # noqa: E731
    got = fed(function, np.float32([1, 2]), np.int32(1))
    assert got[0].shape == (0, 2)
    np.testing.assert_array_equal(got[1], [[1, 2]])


@pytest.mark.parametrize("bad", [-1, 2])
def test_refuses_numbers_out_of_range(bad):
    words = rf"partitions\[1\] = {bad} is not in \[0, 2\)"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            lambda x, p: gen_data_flow_ops.dynamic_partition(x, p, 2),
            values([3]),
            np.array([0, bad, 1], np.int32),
        )


def test_refuses_shapes_that_do_not_start_alike():
    arrays = values([3, 2]), np.zeros([2], np.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        fed(lambda x, p: gen_data_flow_ops.dynamic_partition(x, p, 2), *arrays)


def test_gradient_puts_the_rows_back():
    rows = np.array([1, 0, 1], np.int32)
    build = lambda x: gen_data_flow_ops.dynamic_partition(x, rows, 2)[1]  # noqa: E731
    assert gradient_error(build, [3, 2]) < 1e-9
