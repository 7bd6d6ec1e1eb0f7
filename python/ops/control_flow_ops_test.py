# SPDX-License-Identifier: Apache-2.0
"""cond, case, switch_case, groups and dependencies: values, gradients, nesting, and what they refuse."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import control_flow_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


# --- Merge --------------------------------------------------------------------------


def test_a_feed_arrives_at_a_merge():
    x = tf.placeholder(tf.float32, [])
    value, index = control_flow_ops.merge([x])
    assert _run([value, index], {x: 3.0}) == [3.0, 0]


# --- cond ---------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "expected"), [(True, (6, 2)), (False, (4, 1))])
def test_cond_runs_one_branch_forward_and_back(value, expected):
    p, x = tf.placeholder(tf.bool, []), tf.constant(3.0)
    z = tf.cond(p, lambda: x * 2, lambda: x + 1)
    assert tuple(_run([z, tf.gradients(z, x)[0]], {p: value})) == expected


def test_cond_gives_structures():
    p, x = tf.placeholder(tf.bool, []), tf.constant([1.0, 2.0])
    out = tf.cond(p, lambda: {"a": x, "b": (x, 2 * x)}, lambda: {"a": -x, "b": (x, x)})
    assert set(out) == {"a", "b"}
    a, (b, c) = _run([out["a"], out["b"]], {p: False})
    np.testing.assert_array_equal(a, [-1, -2])
    np.testing.assert_array_equal(b, c)


def test_a_single_result_is_unpacked_unless_strict():
    p, x = tf.constant(True), tf.constant(1.0)
    assert isinstance(tf.cond(p, lambda: [x], lambda: [x + 1]), tf.Tensor)
    assert isinstance(tf.cond(p, lambda: [x], lambda: [x + 1], strict=True), list)


def test_only_the_chosen_branch_changes_variables():
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(1.0)
    out = tf.cond(p, lambda: v.assign_add(10.0), lambda: tf.identity(v))
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(out, {p: False}) == 1.0
        assert session.run(out, {p: True}) == 11.0
        assert session.run(v) == 11.0


def test_branches_of_operations_alone():
    p, v = tf.placeholder(tf.bool, []), tf.Variable(0)
    step = tf.cond(p, lambda: v.assign_add(1).op, lambda: tf.no_op())
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(step, {p: True})
        session.run(step, {p: False})
        assert session.run(v) == 1


def test_conds_nest():
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(
        x > 0,
        lambda: tf.cond(x > 10, lambda: x * x, lambda: 3 * x),
        lambda: tf.constant(-1.0) * x,
    )
    (g,) = tf.gradients(y, x)
    with tf.Session() as session:
        got = [tuple(session.run([y, g], {x: v})) for v in (20.0, 2.0, -5.0)]
    assert got == [(400.0, 40.0), (6.0, 3.0), (5.0, -1.0)]


def test_a_branch_that_does_not_use_x_has_gradient_zero():
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [None])
    y = tf.cond(p, lambda: tf.reduce_sum(x * x), lambda: tf.constant(5.0))
    (g,) = tf.gradients(y, x)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(g, {p: True, x: [1, 2]}), [2, 4])
        np.testing.assert_array_equal(session.run(g, {p: False, x: [1, 2]}), [0, 0])


def test_cond_refuses():
    x = tf.constant(1.0)
    with pytest.raises(TypeError, match="Python bool"):
        tf.cond(True, lambda: x, lambda: x)
    with pytest.raises(TypeError, match="callable"):
        tf.cond(tf.constant(True), x, lambda: x)
    with pytest.raises(ValueError, match="same type"):
        tf.cond(tf.constant(True), lambda: x, lambda: tf.constant(1))
    with pytest.raises(ValueError, match="Incompatible return"):
        tf.cond(tf.constant(True), lambda: (x, x), lambda: x)


def test_what_is_inside_cannot_be_fetched():
    inside = []
    x = tf.constant(1.0)
    tf.cond(tf.constant(True), lambda: inside.append(x + 1) or inside[0], lambda: x)
    with pytest.raises(ValueError, match="not fetchable|fetch"):
        _run(inside[0])


@pytest.mark.parametrize("value", [True, False])
def test_a_merge_takes_a_constant(value):
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    dead_if_true = control_flow_ops.switch(x, p)[0]
    merged = control_flow_ops.merge([dead_if_true, tf.constant(1.0)])[0]
    assert _run(merged, {p: value, x: 5.0}) in ({1.0} if value else {1.0, 5.0})


@pytest.mark.parametrize(("value", "rows"), [(True, [0, 2, 0]), (False, [3, 0, 0])])
def test_gradient_slices_of_branches(value, rows):
    p, v = tf.placeholder(tf.bool, []), tf.Variable(np.ones([3, 2], np.float32))
    y = tf.cond(
        p,
        lambda: tf.reduce_sum(tf.gather(v, [1, 1])),
        lambda: tf.reduce_sum(tf.gather(v, [0])) * 3,
    )
    dense = _run(tf.convert_to_tensor(tf.gradients(y, v)[0]), {p: value})
    np.testing.assert_array_equal(dense[:, 0], rows)


# --- case ---------------------------------------------------------------------------


def test_case_takes_the_first_that_holds():
    x = tf.placeholder(tf.int32, [])
    pairs = [(x < 1, lambda: tf.constant(10)), (x < 5, lambda: tf.constant(20))]
    out = tf.case(pairs, default=lambda: tf.constant(30))
    with tf.Session() as session:
        assert [session.run(out, {x: v}) for v in (0, 3, 7)] == [10, 20, 30]


def test_exclusive_case_checks_that_one_holds():
    x = tf.placeholder(tf.int32, [])
    pairs = [(x < 5, lambda: tf.constant(1)), (x < 9, lambda: tf.constant(2))]
    out = tf.case(pairs, default=lambda: tf.constant(3), exclusive=True)
    with tf.Session() as session:
        assert session.run(out, {x: 7}) == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match="More than one"):
            session.run(out, {x: 1})


# --- Order ---------------------------------------------------------------------------


def test_group_runs_everything():
    a, b = tf.Variable(0), tf.Variable(0)
    both = tf.group(a.assign_add(1), [b.assign_add(2)], name="both")
    assert both.name == "both"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(both) is None
        assert session.run([a, b]) == [1, 2]
    with pytest.raises(TypeError):
        tf.group(1.5)


def test_with_dependencies_waits():
    v = tf.Variable(1.0)
    after = control_flow_ops.with_dependencies([v.assign(5.0)], tf.constant(2.0))
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 2.0
        assert session.run(v) == 5.0


def test_control_dependencies_order_reads_and_writes():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        read = v.read_value()
    assert _run(read) == 2.0


def test_assert_says_what_failed():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"bad.*\[1 2\]"):
        _run(tf.Assert(tf.constant(False), ["bad", tf.constant([1, 2])]))


@pytest.mark.parametrize("form", ["list", "dict", "pairs"])
def test_switch_case_runs_the_branch_of_the_index(form):
    ran = tf.Variable(0)
    functions = [
        lambda i=i: tf.identity(tf.assign_add(ran, 10**i)) * 0 + i for i in range(3)
    ]
    branches = {
        "list": functions,
        "dict": dict(enumerate(functions)),
        "pairs": list(enumerate(functions))[::-1],
    }[form]
    index = tf.placeholder(tf.int32, [])
    result = tf.switch_case(index, branches)
    other = tf.switch_case(index, branches, default=lambda: tf.constant(-7))
    with tf.Session() as session:
        for value, expected, without in ((0, 0, 0), (2, 2, 2), (5, 2, -7), (-1, 2, -7)):
            session.run(ran.initializer)
            assert session.run(result, {index: value}) == expected
            assert session.run(ran) == 10**expected
            assert session.run(other, {index: value}) == without


@pytest.mark.parametrize(
    ("index", "branches", "error"),
    [
        (0, [], ValueError),
        (0.5, [lambda: 1], TypeError),
        (0, [lambda: 1, 3], TypeError),
        (0, 7, TypeError),
        (0, [(0, lambda: 1), (0, lambda: 2)], ValueError),
        (0, [("a", lambda: 1)], TypeError),
    ],
)
def test_switch_case_refuses_other_branches(index, branches, error):
    with pytest.raises(error):
        tf.switch_case(index, branches)


@pytest.mark.parametrize("nothing", [None, [None], []])
def test_branches_return_something(nothing):
    with pytest.raises(ValueError, match="true_fn must return tensors or operations"):
        tf.cond(tf.constant(True), lambda: nothing, lambda: nothing)
    with pytest.raises(ValueError, match="false_fn must return"):
        tf.cond(tf.constant(True), lambda: tf.no_op(), lambda: nothing)
