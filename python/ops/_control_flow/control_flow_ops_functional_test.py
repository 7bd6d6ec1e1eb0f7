# SPDX-License-Identifier: Apache-2.0
"""Conditionals and loops as single ops give what those of Switch, Merge and Enter give."""

import numpy as np
import pytest

import tensorwright as tf


@pytest.fixture(autouse=True)
def functional(fresh_graph):
    del fresh_graph
    tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


def types():
    return {op.type for op in tf.get_default_graph().get_operations()}


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def test_it_can_be_asked_and_undone():
    assert tf.control_flow_v2_enabled()
    tf.disable_control_flow_v2()
    assert not tf.control_flow_v2_enabled()
    tf.cond(tf.constant(True), lambda: 1, lambda: 2)
    assert {"Switch", "Merge"} <= types() and "StatelessIf" not in types()


def test_a_condition_is_one_op():
    p, x = tf.placeholder(tf.bool, []), tf.constant([1.0, 2.0])
    factor = tf.constant(3.0)
    y = tf.cond(p, lambda: {"a": x * factor, "b": [x]}, lambda: {"a": x, "b": [-x]})
    assert y["a"].op.type == "StatelessIf" and y["a"].shape.as_list() == [2]
    assert "Switch" not in types()
    for value, a, b in [(True, [3, 6], [1, 2]), (False, [1, 2], [-1, -2])]:
        got = run(y, {p: value})
        assert got["a"].tolist() == a and got["b"][0].tolist() == b


def test_shapes_are_what_both_branches_have():
    p = tf.placeholder(tf.bool, [])
    assert tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([2, 4])).shape.as_list() == [2, None]  # fmt: skip # noqa: E501
    assert isinstance(tf.cond(p, lambda: [1], lambda: [2]), tf.Tensor)
    assert isinstance(tf.cond(p, lambda: [1], lambda: [2], strict=True), list)


@pytest.mark.parametrize("value", [True, False])
def test_gradients_of_a_condition(value):
    p, x = tf.placeholder(tf.bool, []), tf.constant(2.0)
    w = tf.get_variable("w", initializer=3.0, use_resource=True)
    y = tf.cond(p, lambda: x**3 * w, lambda: tf.cond(x > 0, lambda: -x, lambda: w))
    first = tf.gradients(y, [x, w])
    second = tf.gradients(first[0], x)[0]
    got = run([*first, second], {p: value})
    np.testing.assert_allclose(got, [36, 8, 36] if value else [-1, 0, 0])


@pytest.mark.parametrize("value", [True, False])
def test_effects_of_the_branch_that_is_taken(value):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    p = tf.placeholder(tf.bool, [])
    done = tf.cond(p, lambda: v.assign_add(1.0).op, lambda: v.assign_sub(1.0).op)
    assert done.op.type == "If"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(done, {p: value})
        assert session.run(v) == (2 if value else 0)


def test_an_operation_from_outside_runs():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    up = v.assign_add(1.0).op
    done = tf.cond(tf.constant(True), lambda: up, tf.no_op)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(done)
        assert session.run(v) == 2


def test_variables_of_a_branch_belong_to_the_graph():
    def dense(x):
        return tf.layers.dense(x, 2, name="dense", kernel_initializer=tf.ones_initializer())  # fmt: skip # noqa: E501

    tf.enable_resource_variables()
    try:
        x = tf.ones([1, 3])
        y = tf.cond(tf.constant(True), lambda: dense(x), lambda: tf.zeros([1, 2]))
    finally:
        tf.disable_resource_variables()
    assert [v.op.name for v in tf.trainable_variables()] == ["dense/kernel", "dense/bias"]  # fmt: skip # noqa: E501
    got = run([y, *tf.gradients(y, tf.trainable_variables())])
    np.testing.assert_array_equal(got[0], [[3, 3]])
    np.testing.assert_array_equal(got[1], np.ones([3, 2]))


def test_cases_and_switches():
    i = tf.placeholder(tf.int32, [])
    a = tf.case([(i < 0, lambda: -1), (i > 5, lambda: 5)], lambda: i)
    b = tf.switch_case(i, [lambda: 10, lambda: 11], lambda: 12)
    assert "Switch" not in types()
    for value, want in [(-3, [-1, 12]), (1, [1, 11]), (9, [5, 12]), (0, [0, 10])]:
        assert run([a, b], {i: value}) == want


def test_slices_and_sparse_tensors():
    p = tf.placeholder(tf.bool, [])
    sparse = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    made = tf.cond(p, lambda: [sparse, slices], lambda: [sparse, slices], strict=True)
    got = run([tf.sparse_tensor_to_dense(made[0]), tf.convert_to_tensor(made[1])], {p: True})  # fmt: skip # noqa: E501
    np.testing.assert_array_equal(got[0], [[0, 2], [0, 0]])
    np.testing.assert_array_equal(got[1], [[0, 0], [1, 1], [0, 0]])


def test_branches_that_do_not_fit():
    p = tf.placeholder(tf.bool, [])
    with pytest.raises(ValueError, match="same type"):
        tf.cond(p, lambda: 1, lambda: 1.0)
    with pytest.raises(ValueError, match="must return tensors"):
        tf.cond(p, lambda: None, lambda: 1)
    with pytest.raises((ValueError, TypeError), match="Incompatible return"):
        tf.cond(p, lambda: [1, 2], lambda: 1)


def test_a_loop_is_one_op():
    n, step = tf.placeholder(tf.int32, []), tf.constant(2)
    i, total = tf.while_loop(
        lambda i, t: i < n, lambda i, t: (i + 1, t + step * i), (0, 0)
    )
    assert i.op.type == "StatelessWhile" and i.shape.as_list() == []
    assert not types() & {"Enter", "Exit", "Merge"}
    assert run([i, total], {n: 5}) == [5, 20]
    assert run([i, total], {n: 0}) == [0, 0]


def test_first_and_second_derivatives_of_a_loop():
    x, w = tf.constant(1.5), tf.constant(0.5)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x * w), (0, x))
    assert y.shape.as_list() == []
    first = tf.gradients(y, [x, w])  # y = x^4 w^3
    second = tf.gradients(first[0], [x, w])
    np.testing.assert_allclose(
        run([y, *first, *second]),
        [1.5**4 / 8, 4 * 1.5**3 / 8, 3 * 1.5**4 / 4, 12 * 1.5**2 / 8, 12 * 1.5**3 / 4],
        rtol=1e-5,
    )


def test_a_gradient_by_a_variable_in_a_loop():
    w = tf.get_variable("w", initializer=[2.0], use_resource=True)
    _, y = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * w), (0, tf.ones([1]))
    )
    np.testing.assert_allclose(run([y, tf.gradients(y, w)[0]]), [[8], [12]])


def test_limits_invariants_and_structures():
    def longer(t):
        return [tf.concat([t["a"], [1.0]], 0)]

    a = tf.constant([0.0])
    got = tf.while_loop(
        lambda t: tf.constant(True),
        lambda t: [{"a": longer(t)[0]}],
        [{"a": a}],
        shape_invariants=[{"a": tf.TensorShape([None])}],
        maximum_iterations=3,
    )
    assert got["a"].shape.as_list() == [None]
    assert run(got["a"]).tolist() == [0, 1, 1, 1]
    with pytest.raises(ValueError, match="shape_invariants"):
        tf.while_loop(lambda t: True, lambda t: [{"a": longer(t)[0]}], [{"a": a}])
    with pytest.raises(ValueError, match="shape invariant"):
        tf.while_loop(lambda t: True, lambda t: t, [a], [tf.TensorShape([3])])
    with pytest.raises(TypeError, match="dtype"):
        tf.while_loop(lambda t: True, lambda t: [tf.cast(t, tf.int32)], [a])


def test_an_array_goes_round():
    array = tf.TensorArray(tf.int32, 4)
    _, filled = tf.while_loop(
        lambda i, _: i < 4, lambda i, a: (i + 1, a.write(i, i * i)), (0, array)
    )
    assert run(filled.stack()).tolist() == [0, 1, 4, 9]
    held = tf.cond(tf.constant(True), lambda: filled, lambda: filled)
    assert run(held.read(3)) == 9
    assert run(tf.map_fn(lambda x: x + 1, tf.constant([1, 2, 3]))).tolist() == [2, 3, 4]


def test_a_sparse_tensor_goes_round():
    sparse = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    _, last = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0), (0, sparse))  # fmt: skip # noqa: E501
    np.testing.assert_array_equal(run(tf.sparse_tensor_to_dense(last)), [[0, 16], [0, 0]])  # fmt: skip # noqa: E501


def test_gradients_that_would_draw_again_are_refused():
    x = tf.constant([1.0])
    y = tf.cond(tf.constant(True), lambda: tf.nn.dropout(x, 0.5), lambda: x)
    with pytest.raises(LookupError, match="once more"):
        tf.gradients(y, x)
