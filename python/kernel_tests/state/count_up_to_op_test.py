# SPDX-License-Identifier: Apache-2.0
"""CountUpTo."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_state_ops


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def variable(shape, dtype=tf.float32, **kwargs):
    return gen_state_ops._variable_v2(shape=shape, dtype=dtype, **kwargs)


def test_count_up_to_ends_at_its_limit(sess):
    v = variable([], tf.int32)
    sess.run(gen_state_ops.assign(v, 0))
    count = gen_state_ops.count_up_to(v, limit=3)
    assert [sess.run(count) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        sess.run(count)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("start", [0, 1, 2])
def test_gives_the_number_before_it_counts(sess, dtype, start):
    v = variable([], dtype)
    sess.run(gen_state_ops.assign(v, tf.constant(start, dtype)))
    count = gen_state_ops.count_up_to(v, limit=3)
    got = sess.run(count)
    assert (got, got.dtype) == (start, dtype.as_numpy_dtype)
    assert sess.run(v) == start + 1


def test_the_limit_itself_is_kept(sess):
    v = variable([], tf.int64)
    sess.run(gen_state_ops.assign(v, tf.constant(9, tf.int64)))
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        sess.run(gen_state_ops.count_up_to(v, limit=3))
    assert sess.run(v) == 9


def test_refuses_vectors_floats_and_missing_values(sess):
    with pytest.raises(ValueError, match="rank 0|scalar"):
        gen_state_ops.count_up_to(variable([2], tf.int32), limit=3)
    with pytest.raises(TypeError, match="float32"):
        gen_state_ops.count_up_to(variable([]), limit=3)
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
        sess.run(gen_state_ops.count_up_to(variable([], tf.int32), limit=3))


@pytest.mark.parametrize("limit", [1 << 31, -(1 << 63)])
def test_refuses_a_limit_that_the_counter_cannot_hold(sess, limit):
    v = variable([], tf.int32)
    sess.run(gen_state_ops.assign(v, 0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="limit"):
        sess.run(gen_state_ops.count_up_to(v, limit=limit))
