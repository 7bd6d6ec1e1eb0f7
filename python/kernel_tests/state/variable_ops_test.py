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


def test_a_fed_array_is_copied_into_the_variable(sess):
    v = variable([1000])
    value = tf.placeholder(tf.float32, [1000])
    array = np.arange(1000, dtype=np.float32)
    sess.run(gen_state_ops.assign(v, value).op, {value: array})
    array[:] = -1
    np.testing.assert_array_equal(sess.run(v), np.arange(1000))


def test_a_constant_is_not_changed_through_the_variable(sess):
    c = tf.constant([1.0, 2.0])
    v = variable([2])
    sess.run(gen_state_ops.assign(v, c))
    sess.run(gen_state_ops.assign_add(v, [5.0, 5.0]))
    np.testing.assert_array_equal(sess.run(c), [1, 2])


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


def test_count_up_to_ends_at_its_limit(sess):
    v = variable([], tf.int32)
    sess.run(gen_state_ops.assign(v, 0))
    count = gen_state_ops.count_up_to(v, limit=3)
    assert [sess.run(count) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        sess.run(count)


def test_temporary_variables_end_with_their_destruction(sess):
    v = gen_state_ops._temporary_variable(shape=[2], dtype=tf.float32, var_name="t")
    filled = gen_state_ops.assign(v, [1.0, 2.0])
    more = gen_state_ops.assign_add(filled, [1.0, 1.0])
    last = gen_state_ops._destroy_temporary_variable(more, var_name="t")
    for _ in range(2):
        np.testing.assert_array_equal(sess.run(last), [2, 3])
