# SPDX-License-Identifier: Apache-2.0
"""Assign."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_state_ops
from tensorwright.python.testing.op_testing import DTYPES, values


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def variable(shape, dtype=tf.float32, **kwargs):
    return gen_state_ops._variable_v2(shape=shape, dtype=dtype, **kwargs)


def test_a_fed_array_is_copied_into_the_variable(sess):
    v = variable([1000])
    value = tf.placeholder(tf.float32, [1000])
    array = np.arange(1000, dtype=np.float32)
    sess.run(gen_state_ops.assign(v, value).op, {value: array})
    array[:] = -1
    np.testing.assert_array_equal(sess.run(v), np.arange(1000))


def test_assign_checks_the_shape_if_asked(sess):
    v = variable([2])
    value = tf.placeholder(tf.float32)
    strict = gen_state_ops.assign(v, value)
    loose = gen_state_ops.assign(v, value, validate_shape=False)
    sess.run(strict, {value: [1.0, 2.0]})
    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(strict, {value: [1.0, 2.0, 3.0]})
    np.testing.assert_array_equal(
        sess.run(loose, {value: [[1.0, 2.0, 3.0]]}), [[1, 2, 3]]
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [3, 5], [1001]])
def test_the_variable_has_the_value(sess, dtype, shape):
    x = values(shape, dtype)
    v = variable(shape, tf.as_dtype(dtype))
    for locking in (False, True):
        got = sess.run(gen_state_ops.assign(v, x, use_locking=locking))
        np.testing.assert_array_equal(got, x)
        np.testing.assert_array_equal(sess.run(v), x)


def test_refuses_another_dtype(sess):
    with pytest.raises(TypeError, match="int32"):
        gen_state_ops.assign(variable([2]), tf.constant([1, 2]))


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_slice_of_a_variable_is_assigned_to(use_resource):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=use_resource)
        update = tf.assign(v[0:2], [5.0, 6.0])
        session.run(v.initializer)
        session.run(update)
        assert session.run(v).tolist() == [5, 6, 3]
        with pytest.raises(AttributeError, match="ref must be a variable"):
            tf.assign(tf.constant([1.0, 2.0])[0:1], [5.0])


@pytest.mark.parametrize("change", [tf.assign, tf.assign_add, tf.assign_sub])
def test_a_value_that_is_no_variable_has_no_method_to_change_it(sess, change):
    with pytest.raises(AttributeError, match="ref must be a variable.*assign"):
        change(tf.constant([1.0]), [2.0])
