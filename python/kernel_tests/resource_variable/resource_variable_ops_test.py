# SPDX-License-Identifier: Apache-2.0
"""Variables behind handles, and slices of them assigned."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import (
    gen_array_ops,
    gen_lookup_ops,
    gen_resource_variable_ops as ops,
)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def handle_of(shape, dtype=tf.float32, **kwargs):
    return ops.var_handle_op(dtype=dtype, shape=shape, **kwargs)


def test_a_variable_lives_from_its_first_value_on(sess):
    handle = handle_of([2])
    known = ops.var_is_initialized_op(handle)
    read = ops.read_variable_op(handle, dtype=tf.float32)
    assert read.shape.as_list() == [2]
    assert not sess.run(known)
    with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
        sess.run(read)
    sess.run(ops.assign_variable_op(handle, [1.0, 2.0]))
    assert sess.run(known)
    before = sess.run(read)
    sess.run(ops.assign_variable_op(handle, [3.0, 4.0]))
    np.testing.assert_array_equal(before, [1, 2])
    np.testing.assert_array_equal(sess.run(read), [3, 4])
    sess.run(ops.destroy_resource_op(handle))
    assert not sess.run(known)
    sess.run(ops.destroy_resource_op(handle))
    with pytest.raises(tf.errors.NotFoundError):
        sess.run(ops.destroy_resource_op(handle, ignore_lookup_error=False))


@pytest.mark.parametrize("out_type", [tf.int32, tf.int64])
def test_the_shape_is_that_of_the_value(sess, out_type):
    handle = handle_of(tf.TensorShape(None))
    value = tf.placeholder(tf.float32)
    shape = ops.variable_shape(handle, out_type=out_type)
    for sizes in ([], [4], [2, 0, 3]):
        sess.run(ops.assign_variable_op(handle, value), {value: np.zeros(sizes)})
        assert sess.run(shape).tolist() == sizes


def test_a_fed_array_is_copied_into_the_variable(sess):
    handle, value = handle_of([1000]), tf.placeholder(tf.float32, [1000])
    array = np.arange(1000, dtype=np.float32)
    sess.run(ops.assign_variable_op(handle, value), {value: array})
    array[:] = -1
    read = ops.read_variable_op(handle, dtype=tf.float32)
    np.testing.assert_array_equal(sess.run(read), np.arange(1000))


def test_names_are_shared_and_types_are_checked(sess):
    one, two = (handle_of([], shared_name="shared") for _ in range(2))
    sess.run(ops.assign_variable_op(one, 5.0))
    assert sess.run(ops.read_variable_op(two, dtype=tf.float32)) == 5
    with pytest.raises(ValueError, match="dtype"):
        ops.read_variable_op(one, dtype=tf.int32)
    with pytest.raises(ValueError, match="equal|shape"):
        ops.assign_variable_op(one, [1.0])
    other = handle_of([], tf.int32, shared_name="shared")
    with pytest.raises(tf.errors.InvalidArgumentError, match="of type float"):
        sess.run(ops.read_variable_op(other, dtype=tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="of type float"):
        sess.run(ops.assign_variable_op(other, np.int32(1)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64", "complex128", "bool"])
def test_slices_are_assigned_in_place(sess, dtype):
    handle = handle_of([4, 3], getattr(tf, dtype))
    start = np.arange(12).reshape([4, 3]).astype(dtype)
    sess.run(ops.assign_variable_op(handle, start))
    read = ops.read_variable_op(handle, dtype=getattr(tf, dtype))
    before = sess.run(read)
    value = np.zeros([2, 3], dtype)
    sess.run(
        gen_array_ops.resource_strided_slice_assign(
            handle, [3, 0], [0, 0], [-2, 1], value, end_mask=2
        )
    )
    want = start.copy()
    want[3:0:-2] = value
    np.testing.assert_array_equal(sess.run(read), want)
    np.testing.assert_array_equal(before, start)


def test_a_slice_of_no_variable_is_refused(sess):
    handle = handle_of([4])
    assign = gen_array_ops.resource_strided_slice_assign(handle, [0], [1], [1], [1.0])
    with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
        sess.run(assign)
    sess.run(ops.assign_variable_op(handle, [1.0, 2.0, 3.0, 4.0]))
    sess.run(assign)
    wrong = gen_array_ops.resource_strided_slice_assign(handle, [0], [1], [1], [1])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="of type float as one of type int32"
    ):
        sess.run(wrong)
    wide = gen_array_ops.resource_strided_slice_assign(
        handle, [0], [1], [1], [1.0, 2.0]
    )
    with pytest.raises(
        tf.errors.UnimplementedError, match="must have the slice's shape"
    ):
        sess.run(wide)


def test_a_variable_without_a_value_is_named_with_what_to_do():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [2], use_resource=True)
        for use in (v + 1, v.assign_add([1.0, 1.0]), v.sparse_read([0])):
            with pytest.raises(tf.errors.FailedPreconditionError) as caught:
                session.run(use)
            message = caught.value.message
            assert "resource variable v is not initialized" in message
            assert "tf.global_variables_initializer()" in message
            assert "ontainer" not in message


def test_copies_on_reads_can_be_turned_off_though_there_are_none(sess):
    handle = handle_of([2])
    off = ops.disable_copy_on_read(handle)
    with pytest.raises(tf.errors.NotFoundError, match="not exist|not initialized"):
        sess.run(off)
    sess.run(ops.assign_variable_op(handle, [1.0, 2.0]))
    sess.run(off)
    read = ops.read_variable_op(handle, dtype=tf.float32)
    np.testing.assert_array_equal(sess.run(read), [1, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        table = gen_lookup_ops._mutable_hash_table_v2(
            key_dtype=tf.int64, value_dtype=tf.int64
        )
        wrong = ops.disable_copy_on_read(table)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(wrong)
