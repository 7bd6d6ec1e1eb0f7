# SPDX-License-Identifier: Apache-2.0
"""Variables as references: Assign and its kin, Scatter, CountUpTo, training."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops, gen_state_ops


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def variable(shape, dtype=tf.float32, **kwargs):
    return gen_state_ops._variable_v2(shape=shape, dtype=dtype, **kwargs)


def test_a_variable_has_no_value_until_it_is_assigned(sess):
    v = variable([2])
    known = gen_state_ops.is_variable_initialized(v)
    assert not sess.run(known)
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
        sess.run(gen_array_ops.identity(v))
    assign = gen_state_ops.assign(v, [1.0, 2.0])
    np.testing.assert_array_equal(sess.run(assign), [1, 2])
    assert sess.run(known)
    np.testing.assert_array_equal(sess.run(v), [1, 2])


def test_a_value_that_was_fetched_does_not_change(sess):
    v = variable([3])
    sess.run(gen_state_ops.assign(v, [1.0, 2.0, 3.0]))
    before = sess.run(v)
    sess.run(gen_state_ops.assign_add(v, [1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(before, [1, 2, 3])
    np.testing.assert_array_equal(sess.run(v), [2, 3, 4])


def test_a_constant_is_not_changed_through_the_variable(sess):
    c = tf.constant([1.0, 2.0])
    v = variable([2])
    sess.run(gen_state_ops.assign(v, c))
    sess.run(gen_state_ops.assign_add(v, [5.0, 5.0]))
    np.testing.assert_array_equal(sess.run(c), [1, 2])


def test_variables_of_one_shared_name_are_one(sess):
    a = variable([], shared_name="shared")
    b = variable([], shared_name="shared")
    sess.run(gen_state_ops.assign(a, 3.0))
    assert sess.run(b) == 3


def test_strings_can_be_variables(sess):
    v = variable([2], tf.string)
    sess.run(gen_state_ops.assign(v, [b"a", b"long enough not to be stored inside"]))
    assert sess.run(v)[1] == b"long enough not to be stored inside"


def test_scatter_changes_rows(sess):
    v = variable([4, 2])
    start = np.arange(8, dtype=np.float32).reshape([4, 2])
    sess.run(gen_state_ops.assign(v, start))
    indices = np.array([3, 1, 3], np.int32)
    rows = np.ones([3, 2], np.float32)
    want = start.copy()
    np.add.at(want, indices, rows)
    np.testing.assert_array_equal(
        sess.run(gen_state_ops.scatter_add(v, indices, rows)), want
    )
    np.subtract.at(want, indices, rows * 2)
    np.testing.assert_array_equal(
        sess.run(gen_state_ops.scatter_sub(v, indices, rows * 2)), want
    )
    want[indices] = 9
    np.testing.assert_array_equal(
        sess.run(gen_state_ops.scatter_update(v, indices, rows * 9)), want
    )
    bad = tf.placeholder(tf.int32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[1\] = 4 is not in \[0, 4\)"
    ):
        sess.run(gen_state_ops.scatter_update(v, bad, rows), {bad: [0, 4, 1]})


def test_temporary_variables_end_with_their_destruction(sess):
    v = gen_state_ops._temporary_variable(shape=[2], dtype=tf.float32, var_name="t")
    filled = gen_state_ops.assign(v, [1.0, 2.0])
    more = gen_state_ops.assign_add(filled, [1.0, 1.0])
    last = gen_state_ops._destroy_temporary_variable(more, var_name="t")
    for _ in range(2):
        np.testing.assert_array_equal(sess.run(last), [2, 3])
