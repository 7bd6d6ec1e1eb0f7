# SPDX-License-Identifier: Apache-2.0
"""Pack against NumPy, and Unpack as its inverse."""

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
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_pack_and_unpack_are_inverse(dtype, axis, n):
    parts = [values([n, 3, 2], dtype)[i] for i in range(n)]
    packed = fed(lambda *p: gen_array_ops._pack(p, axis=axis), *parts)
    np.testing.assert_array_equal(packed, np.stack(parts, axis))
    unpacked = fed(lambda p: gen_array_ops._unpack(p, num=n, axis=axis), packed)
    assert len(unpacked) == n
    for got, want in zip(unpacked, parts):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("shape", [[], [0], [1], [7], [1001], [2, 0, 3]])
def test_parts_of_any_size(shape):
    x = values([3, *shape])
    got = fed(lambda *p: tf.stack(p), *x)
    np.testing.assert_array_equal(got, x)


def test_refuses_parts_of_other_shapes_and_axes():
    a, b = values([2]), values([3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        fed(lambda a, b: tf.stack([a, b]), a, b)
    with pytest.raises(ValueError, match="shape"):
        fed(lambda a, b: tf.stack([a, b]), a, b, known=True)
    with pytest.raises(ValueError, match=r"axis|\[-2, 2\)"):
        fed(lambda a: tf.stack([a, a], 2), a, known=True)


def test_gradient_unpacks():
    assert gradient_error(lambda a, b: tf.stack([a, b], 1), [2, 3], [2, 3]) < 1e-9
    assert gradient_error(lambda *parts: tf.stack(parts, 1), *[[2, 3]] * 8) < 1e-9
