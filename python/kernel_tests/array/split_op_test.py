# SPDX-License-Identifier: Apache-2.0
"""Split and SplitV against NumPy."""

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
@pytest.mark.parametrize(
    ("shape", "axis", "n"),
    [([6], 0, 3), ([4, 6], 1, 2), ([4, 6, 3], -2, 6), ([0, 4], 1, 2)],
)
def test_split_cuts_evenly(dtype, shape, axis, n):
    x = values(shape, dtype)
    got = fed(lambda d, v: gen_array_ops._split(d, v, num_split=n), np.int32(axis), x)
    for g, want in zip(got, np.split(x, n, axis), strict=True):
        np.testing.assert_array_equal(g, want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_split_v_cuts_as_told(dtype):
    x = values([7, 3], dtype)
    sizes = np.array([2, -1, 0, 1], np.int64)
    got = fed(
        lambda v, s, d: gen_array_ops._split_v(v, s, d, num_split=4),
        x,
        sizes,
        np.int32(0),
    )
    for g, want in zip(got, np.split(x, [2, 6, 6]), strict=True):
        np.testing.assert_array_equal(g, want)


@pytest.mark.parametrize("sizes", [[2, 4], [2, 6], [-1, -1], [8, -1], [-2, 9]])
def test_split_v_refuses_sizes_that_do_not_add_up(sizes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda v, s: gen_array_ops._split_v(v, s, 0, num_split=2),
            values([7], np.float32),
            np.array(sizes, np.int64),
        )


def test_split_refuses_what_does_not_divide():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda d, v: gen_array_ops._split(d, v, num_split=2),
            np.int32(0),
            values([7], np.float32),
        )
    with tf.Graph().as_default(), pytest.raises(ValueError):
        gen_array_ops._split(0, values([7], np.float32), num_split=2)


def test_gradients_join_the_parts():
    assert gradient_error(lambda x: tf.split(x, 2, 1)[1], [2, 4]) < 1e-9
    assert gradient_error(lambda x: tf.split(x, [1, 3], 1)[1], [2, 4]) < 1e-9
