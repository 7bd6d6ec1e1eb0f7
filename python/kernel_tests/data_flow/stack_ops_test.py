# SPDX-License-Identifier: Apache-2.0
"""Stacks of both generations, references through loops, and the older TensorArrays."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import (
    gen_control_flow_ops,
    gen_data_flow_ops,
    gen_state_ops,
)
from tensorwright.python.ops._control_flow import control_flow_ops_basic


def run(build):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(build())


def stack_ops(version):
    def op(name):
        return getattr(gen_data_flow_ops, f"_stack{name}{version}")

    def new(max_size=-1):
        size = [max_size] if version else []
        return op("")(*size, elem_type=tf.float32)

    return op, new


@pytest.mark.parametrize("version", ["", "_v2"])
def test_what_was_pushed_last_is_popped_first(version):
    op, new = stack_ops(version)

    def build():
        stack = new()
        first = op("_push")(stack, [1.0, 2.0])
        with tf.control_dependencies([first]):
            second = op("_push")(stack, 3.0)
        with tf.control_dependencies([second]):
            top = op("_pop")(stack, elem_type=tf.float32)
        with tf.control_dependencies([top]):
            below = op("_pop")(stack, elem_type=tf.float32)
        with tf.control_dependencies([below]):
            closed = op("_close")(stack)
        with tf.control_dependencies([closed]):
            return first, second, top, tf.identity(below)

    first, second, top, below = run(build)
    np.testing.assert_array_equal(first, [1, 2])
    np.testing.assert_array_equal(below, [1, 2])
    assert second == top == 3.0


@pytest.mark.parametrize("version", ["", "_v2"])
def test_rows_are_pushed_and_popped_as_they_are(version):
    op, new = stack_ops(version)
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)

    def build():
        stack = new()
        pushed = op("_push")(stack, rows)
        with tf.control_dependencies([pushed]):
            return pushed, op("_pop")(stack, elem_type=tf.float32)

    for got in run(build):
        np.testing.assert_array_equal(got, rows)


@pytest.mark.parametrize("version", ["", "_v2"])
def test_wrong_use_of_a_stack_is_an_invalid_argument(version):
    op, new = stack_ops(version)

    def use_after_close():
        stack = new()
        with tf.control_dependencies([op("_close")(stack)]):
            return op("_push")(stack, 1.0)

    cases = {
        "is empty": lambda: op("_pop")(new(), elem_type=tf.float32),
        "already been closed": use_after_close,
        "Must have type float but got int32": lambda: op("_push")(new(), 1),
    }
    for message, build in cases.items():
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            run(build)


def test_a_stack_of_limited_size_overflows():
    op, new = stack_ops("_v2")
    with pytest.raises(tf.errors.InvalidArgumentError, match="overflowed its max_size"):
        run(lambda: op("_push")(new(0), 1.0))


def test_a_reference_goes_through_a_frame():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = gen_state_ops._variable(shape=[2], dtype=tf.float32)
        inside = control_flow_ops_basic.enter(v, "frame")
        outside = control_flow_ops_basic.exit(inside)
        assert inside.op.type == "RefEnter" and outside.op.type == "RefExit"
        sess.run(tf.assign(v, [1.0, 2.0]))
        np.testing.assert_array_equal(sess.run(outside), [1, 2])


def test_a_reference_goes_round_a_loop():
    """Each iteration changes the variable itself."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        v = gen_state_ops._variable(shape=[2], dtype=tf.float32)
        _, last = tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, gen_state_ops.assign_add(x, [1.0, 10.0])),
            [0, v],
        )
        ops = {op.type: op for op in graph.get_operations()}
        for name in ("Enter", "Merge", "Switch", "NextIteration", "Exit"):
            assert ops[f"Ref{name}"].outputs[0].shape.as_list() == [2]
        assert last.op.type == "RefExit"
        sess.run(tf.assign(v, [1.0, 2.0]))
        np.testing.assert_array_equal(sess.run(last), [4, 32])
        np.testing.assert_array_equal(sess.run(v), [4, 32])


def test_a_gradient_goes_back_through_a_loop_of_references():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = gen_state_ops._variable(shape=[2], dtype=tf.float32)
        _, last = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), [0, v])
        (dv,) = tf.gradients(last, v, tf.constant([3.0, 4.0]))
        sess.run(tf.assign(v, [1.0, 2.0]))
        np.testing.assert_array_equal(sess.run(dv), [3, 4])


@pytest.mark.parametrize("first", [True, False])
def test_the_gradient_of_a_choice_of_references_goes_to_the_one_that_was_there(first):
    with tf.Graph().as_default(), tf.Session() as sess:
        v, w = (gen_state_ops._variable(shape=[2], dtype=tf.float32) for _ in "vw")
        p = tf.placeholder(tf.bool, [])
        a = gen_control_flow_ops.ref_switch(v, p)[1]
        b = gen_control_flow_ops.ref_switch(w, p)[0]
        y, index = gen_control_flow_ops.ref_merge([a, b])
        da, db = tf.gradients(y, [a, b], tf.constant([3.0, 4.0]))
        sess.run([tf.assign(v, [1.0, 2.0]), tf.assign(w, [5.0, 6.0])])
        there, absent = (da, db) if first else (db, da)
        got = sess.run([y, index, there], {p: first})
        np.testing.assert_array_equal(got[0], [1, 2] if first else [5, 6])
        assert got[1] == (0 if first else 1)
        np.testing.assert_array_equal(got[2], [3, 4])
        with pytest.raises(tf.errors.InvalidArgumentError, match="not taken"):
            sess.run(absent, {p: first})


@pytest.mark.parametrize("version", ["", "_v2"])
def test_older_tensor_arrays_write_split_and_have_gradients(version):
    def op(name):
        return getattr(gen_data_flow_ops, f"_tensor_array{name}{version}")

    def build():
        handle = op("")(2, dtype=tf.float32, clear_after_read=False)
        flow = op("_split")(handle, [1.0, 2.0, 3.0], np.int64([1, 2]), 0.0)
        piece = op("_read")(handle, 1, flow, dtype=tf.float32)
        gradient = op("_grad")(handle, flow, source="gradients")
        flow = op("_write")(gradient, 1, [1.0, 1.0], 0.0)
        flow = op("_write")(gradient, 1, [2.0, 3.0], flow)
        total = op("_read")(gradient, 1, flow, dtype=tf.float32)
        with tf.control_dependencies([total]):
            zeros = op("_read")(gradient, 0, flow, dtype=tf.float32)
        return piece, total, zeros

    piece, total, zeros = run(build)
    np.testing.assert_array_equal(piece, [2, 3])
    np.testing.assert_array_equal(total, [3, 4])
    np.testing.assert_array_equal(zeros, [0])
