# SPDX-License-Identifier: Apache-2.0
"""Shape, ShapeN, Size and Rank against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    values,
)


@pytest.mark.parametrize("shape", [[], [0], [3, 1, 4]])
def test_shape_size_and_rank(shape):
    x = values(shape)
    np.testing.assert_array_equal(fed(gen_array_ops.shape, x), shape)
    assert fed(gen_array_ops.size, x) == x.size
    assert fed(gen_array_ops.rank, x) == len(shape)
    a, b = fed(lambda u, v: gen_array_ops.shape_n([u, v]), x, values([2]))
    np.testing.assert_array_equal(a, shape)
    np.testing.assert_array_equal(b, [2])


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize("out", [tf.int32, tf.int64])
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [3, 0, 5], [40, 70]])
def test_shapes_of_any_tensor(dtype, out, shape):
    x = values(shape, dtype)
    for function, want in ((tf.shape, shape), (tf.size, x.size)):
        got = fed(lambda x, f=function: f(x, out_type=out), x)
        assert got.dtype == out.as_numpy_dtype
        np.testing.assert_array_equal(got, want)
    assert fed(tf.rank, x) == len(shape)
    got = fed(lambda a, b: tf.shape_n([a, b], out_type=out), x, values([2, 1], dtype))
    np.testing.assert_array_equal(got[0], shape)
    np.testing.assert_array_equal(got[1], [2, 1])


def test_refuses_other_types_of_sizes():
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError), match="float"):
        tf.shape(tf.placeholder(tf.int32), out_type=tf.float32)
