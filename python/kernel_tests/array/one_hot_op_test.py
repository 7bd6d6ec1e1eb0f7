# SPDX-License-Identifier: Apache-2.0
"""OneHot against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    fed,
    values,
)

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("index_dtype", [np.uint8, np.int32, np.int64])
def test_one_hot_sets_one(dtype, axis, index_dtype):
    indices = np.array([[0, 2, 3], [1, 0, 9]], index_dtype)
    on, off = values([2], dtype)[::-1]
    hot = indices[..., None] == np.arange(4)
    want = np.where(np.moveaxis(hot, -1, axis), on, off)
    got = fed(
        lambda i, d, a, b: gen_array_ops._one_hot(i, d, a, b, axis=axis),
        indices,
        np.int32(4),
        np.array(on, dtype),
        np.array(off, dtype),
    )
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [-1, 0])
def test_many_rows_on_several_threads(axis):
    indices = np.random.RandomState(0).randint(-1, 400, [3000]).astype(np.int32)
    hot = (indices[:, None] == np.arange(400)).astype(np.float32)
    got = fed(lambda i: tf.one_hot(i, 400, axis=axis), indices)
    np.testing.assert_array_equal(got, hot if axis else hot.T)


def test_one_hot_refuses_a_negative_depth():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            gen_array_ops._one_hot,
            np.array([0], np.int32),
            np.int32(-1),
            np.float32(1),
            np.float32(0),
        )
