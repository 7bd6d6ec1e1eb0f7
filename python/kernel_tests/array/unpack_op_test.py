# SPDX-License-Identifier: Apache-2.0
"""Unpack against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


def test_unpack_of_the_wrong_number_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(lambda p: gen_array_ops._unpack(p, num=4), values([3], np.int32))
    with tf.Graph().as_default(), pytest.raises(ValueError):
        gen_array_ops._unpack(values([3], np.int32), num=4)


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [([1], 0), ([5], -1), ([3, 4], 1), ([2, 0], 0), ([3, 70, 2], 1), ([0, 2], 1)],
)
def test_unpack_gives_each_slice(dtype, shape, axis):
    x = values(shape, dtype)
    n = shape[axis]
    for known in (True, False):
        got = fed(lambda x: tf.unstack(x, n, axis), x, known=known)
        assert len(got) == n
        for i, part in enumerate(got):
            np.testing.assert_array_equal(part, np.take(x, i, axis))


def test_gradient_packs():
    assert gradient_error(lambda x: tf.unstack(x, 3, 1)[1], [2, 3]) < 1e-9
