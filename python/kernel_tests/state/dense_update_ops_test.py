# SPDX-License-Identifier: Apache-2.0
"""AssignAdd and AssignSub."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_state_ops


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def variable(shape, dtype=tf.float32, **kwargs):
    return gen_state_ops._variable_v2(shape=shape, dtype=dtype, **kwargs)


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int64", "complex64"]
)
@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_assign_add_and_sub(sess, dtype, n):
    v = variable([n], getattr(tf, dtype))
    x = (np.arange(n) % 5).astype(dtype)
    sess.run(gen_state_ops.assign(v, x))
    for use_locking in (False, True):
        sess.run(gen_state_ops.assign_add(v, x + 1, use_locking=use_locking))
        sess.run(gen_state_ops.assign_sub(v, x, use_locking=use_locking))
    np.testing.assert_array_equal(sess.run(v), x + 2)


@pytest.mark.parametrize("name", ["assign_add", "assign_sub"])
def test_refuses_other_shapes_and_missing_values(sess, name):
    function = getattr(gen_state_ops, name)
    v, value = variable([2]), tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
        sess.run(function(v, value), {value: [1.0, 2.0]})
    sess.run(gen_state_ops.assign(v, [1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        sess.run(function(v, value), {value: [1.0, 2.0, 3.0]})
    np.testing.assert_array_equal(sess.run(v), [1, 2])
    with pytest.raises(ValueError, match="shape"):
        function(v, [1.0, 2.0, 3.0])
