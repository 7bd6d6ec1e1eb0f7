# SPDX-License-Identifier: Apache-2.0
"""Fill, ZerosLike, OnesLike, Const and Placeholder."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    fed,
    gradient_error,
    run,
    values,
)

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [1], [7, 3], [1000, 1001]])
def test_fill_and_its_likes(dtype, shape):
    value = values([3], dtype)[2:].reshape([])
    got = fed(gen_array_ops.fill, np.array(shape, np.int32), value)
    np.testing.assert_array_equal(got, np.full(shape, value))
    if dtype is not object:
        x = values(shape, dtype)
        np.testing.assert_array_equal(
            fed(gen_array_ops._zeros_like, x), np.zeros(shape, dtype)
        )
        np.testing.assert_array_equal(
            fed(gen_array_ops.ones_like, x), np.ones(shape, dtype)
        )


def test_fill_refuses_negative_sizes():
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.fill, np.array([2, -1], np.int32), np.float32(0))
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.fill, np.array([2**40, 2**40], np.int64), np.float32(0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [1], [2, 3], [1001]])
def test_a_constant_is_its_value(dtype, shape):
    x = values(shape, dtype)
    np.testing.assert_array_equal(run(lambda: tf.constant(x)), x)
    np.testing.assert_array_equal(fed(tf.identity, x), x)


def test_a_placeholder_without_a_value_is_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2], name="missing")
        words = "You must feed a value for placeholder tensor 'missing'"
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(x)


def test_gradient_of_fill_adds_up():
    assert gradient_error(lambda x: tf.fill([2, 3], x), []) < 1e-9
