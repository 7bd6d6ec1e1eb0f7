# SPDX-License-Identifier: Apache-2.0
"""Switch, Merge and frames by hand; stacks, dynamic parts, Assert."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import (
    gen_array_ops,
    gen_control_flow_ops,
    gen_data_flow_ops,
    gen_logging_ops,
    gen_math_ops,
    gen_state_ops,
)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_switch_and_merge_take_one_branch(sess):
    pred = tf.placeholder(tf.bool, [])
    no, yes = gen_control_flow_ops._switch(tf.constant([1.0, 2.0]), pred)
    output, index = gen_control_flow_ops._merge(
        [gen_math_ops.neg(no), gen_math_ops.square(yes)]
    )
    value, i = sess.run([output, index], {pred: False})
    np.testing.assert_array_equal(value, [-1, -2])
    assert i == 0
    value, i = sess.run([output, index], {pred: True})
    np.testing.assert_array_equal(value, [1, 4])
    assert i == 1


def test_ref_switch_passes_the_variable_itself(sess):
    pred = tf.placeholder(tf.bool, [])
    v = gen_state_ops._variable_v2(shape=[], dtype=tf.float32)
    sess.run(gen_state_ops.assign(v, 1.0))
    no, yes = gen_control_flow_ops.ref_switch(v, pred)
    output, _ = gen_control_flow_ops._ref_merge(
        [gen_state_ops.assign_add(no, 1.0), gen_state_ops.assign_add(yes, 10.0)]
    )
    assert sess.run(output, {pred: True}) == 11
    assert sess.run(output, {pred: False}) == 12
    assert sess.run(v) == 12


@pytest.mark.parametrize(
    "dtype", [np.int8, np.float16, np.float32, np.complex128, object]
)
def test_dynamic_partition_and_stitch_are_inverse(sess, dtype):
    data = np.arange(24).reshape([6, 4])
    data = data.astype(str).astype(object) if dtype is object else data.astype(dtype)
    if dtype is object:
        data = np.vectorize(lambda s: s.encode(), otypes=[object])(data)
    parts = np.array([2, 0, 2, 1, 0, 2], np.int32)
    outputs = gen_data_flow_ops.dynamic_partition(data, parts, num_partitions=4)
    got = sess.run(outputs)
    for p in range(4):
        np.testing.assert_array_equal(got[p], data[parts == p])
    places = [np.nonzero(parts == p)[0].astype(np.int32) for p in range(4)]
    merged = gen_data_flow_ops.dynamic_stitch(places, outputs)
    np.testing.assert_array_equal(sess.run(merged), data)


def test_dynamic_partition_names_the_bad_partition(sess):
    parts = tf.placeholder(tf.int32)
    outputs = gen_data_flow_ops.dynamic_partition([1.0, 2.0], parts, num_partitions=2)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"partitions\[1\] = 2 is not in \[0, 2\)"
    ):
        sess.run(outputs, {parts: [0, 2]})


def test_dynamic_stitch_lets_the_last_one_win(sess):
    merged = gen_data_flow_ops.dynamic_stitch(
        [np.array([0, 1], np.int32), np.array(1, np.int32)],
        [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])],
    )
    np.testing.assert_array_equal(sess.run(merged), [[1, 2], [5, 6]])


def test_a_stack_gives_back_what_was_pushed_last(sess):
    handle = gen_data_flow_ops._stack(elem_type=tf.float32, stack_name="s")
    first = gen_data_flow_ops._stack_push(handle, tf.constant(1.0))
    with tf.control_dependencies([first]):
        second = gen_data_flow_ops._stack_push(handle, tf.constant([2.0, 3.0]))
    with tf.control_dependencies([second]):
        a = gen_data_flow_ops._stack_pop(handle, tf.float32)
    with tf.control_dependencies([a]):
        b = gen_data_flow_ops._stack_pop(handle, tf.float32)
    with tf.control_dependencies([b]):
        empty = gen_data_flow_ops._stack_pop(handle, tf.float32)
    got_a, got_b = sess.run([a, b])
    np.testing.assert_array_equal(got_a, [2, 3])
    assert got_b == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="is empty"):
        sess.run(empty)


def test_assert_shows_its_data(sess):
    condition = tf.placeholder(tf.bool)
    check = gen_logging_ops._assert(
        condition, [np.arange(10, dtype=np.int32), b"words"], summarize=2
    )
    sess.run(check, {condition: True})
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"assertion failed: \[0 1\.*\] \[.*words"
    ):
        sess.run(check, {condition: False})
    with pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(check, {condition: [True]})


def test_print_passes_its_input_on(sess, capfd):
    x = gen_logging_ops._print(
        tf.constant([1.0, 2.0]), [tf.constant([3, 4, 5])], message="see ", first_n=1
    )
    for _ in range(2):
        np.testing.assert_array_equal(sess.run(x), [1, 2])
    assert capfd.readouterr().err.count("see [3 4 5]") == 1


def test_placeholders_must_be_fed(sess):
    x = tf.placeholder(tf.float32, [2], name="x")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="must feed a value for placeholder"
    ):
        sess.run(gen_array_ops.identity(x))
    d = gen_array_ops.placeholder_with_default([1.0], shape=[None])
    np.testing.assert_array_equal(sess.run(d), [1])
    np.testing.assert_array_equal(sess.run(d, {d: [2.0, 3.0]}), [2, 3])


def test_ref_select_and_ref_identity_pass_the_variable_itself(sess):
    index = tf.placeholder(tf.int32)
    v = [tf.Variable(1.0), tf.Variable([2.0, 3.0])]
    sess.run([x.initializer for x in v])
    refs = [x._ref() for x in v]
    chosen = gen_control_flow_ops.ref_select(index, refs)
    assert chosen.shape.ndims is None
    more = gen_state_ops.assign_add(
        gen_array_ops._ref_identity(chosen), chosen * 10.0, name="more"
    )
    assert sess.run(more, {index: 0}) == 11
    np.testing.assert_array_equal(sess.run(more, {index: 1}), [22, 33])
    np.testing.assert_array_equal(sess.run(v[1]), [22, 33])
    assert gen_control_flow_ops.ref_select(0, [refs[1], refs[1]]).shape == [2]
    for bad in (-1, 2):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"in the range \[0, 2"
        ):
            sess.run(more, {index: bad})
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
        sess.run(more, {index: [0]})


def test_abort_ends_the_run_and_not_the_process(sess):
    x = tf.constant(1.0)
    abort = gen_control_flow_ops.abort(error_msg="enough is enough")
    with pytest.raises(tf.errors.AbortedError, match="enough is enough"):
        sess.run(abort)
    quiet = gen_control_flow_ops.abort(error_msg="unheard", exit_without_error=True)
    with pytest.raises(tf.errors.CancelledError, match="asked to exit") as caught:
        sess.run(quiet)
    assert "unheard" not in str(caught.value).splitlines()[0]
    assert sess.run(x) == 1


def test_abort_on_a_branch_that_is_not_taken_does_nothing(sess):
    taken = tf.placeholder(tf.bool)

    def stop():
        with tf.control_dependencies([gen_control_flow_ops.abort(error_msg="taken")]):
            return tf.constant(1.0)

    y = tf.cond(taken, stop, lambda: tf.constant(2.0))
    assert sess.run(y, {taken: False}) == 2
