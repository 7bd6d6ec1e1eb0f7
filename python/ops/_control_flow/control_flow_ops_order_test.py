# SPDX-License-Identifier: Apache-2.0
"""Branches and loops wait for operations that were made outside of them."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _counter():
    """A variable at 0 and an operation that adds 1 to it."""
    counter = tf.Variable(0.0)
    return counter, counter.assign_add(1.0)


def _after(fetch, counter):
    """(value of `fetch`, value of `counter` then)."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(fetch)
        return value, session.run(counter)


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_that_returns_an_operation_from_outside_runs_it(taken):
    counter, add = _counter()
    takes = tf.placeholder_with_default(taken, [])
    branches = (lambda: add.op, tf.no_op) if taken else (tf.no_op, lambda: add.op)
    assert _after(tf.cond(takes, *branches).op, counter)[1] == 1


def test_nested_branches_and_cases_run_operations_from_outside():
    counter, add = _counter()
    yes = tf.placeholder_with_default(True, [])
    inner = tf.cond(yes, lambda: tf.cond(yes, lambda: add.op, tf.no_op), tf.no_op)
    assert _after(inner.op, counter)[1] == 1
    case = tf.case([(tf.logical_not(yes), tf.no_op), (yes, lambda: add.op)], tf.no_op)
    assert _after(case.op, counter)[1] == 1


def test_a_branch_in_a_loop_runs_an_operation_from_outside_once():
    counter, add = _counter()

    def body(i):
        with tf.control_dependencies([tf.cond(i > 1, lambda: add.op, tf.no_op)]):
            return i + 1

    assert _after(tf.while_loop(lambda i: i < 3, body, [0]), counter) == (3, 1)


def test_what_a_branch_makes_waits_for_the_dependencies_around_it():
    counter, add = _counter()
    with tf.control_dependencies([add]):
        value = tf.cond(
            tf.constant(True), lambda: counter.read_value() * 2, lambda: 0.0
        )
    assert _after(value, counter) == (2, 1)


@pytest.mark.parametrize("invariant", [True, False])
def test_a_loop_waits_for_the_dependencies_around_it(invariant):
    counter, add = _counter()
    start = tf.placeholder_with_default(0, [])
    with tf.control_dependencies([add]):
        first = start if invariant else tf.constant(0)
        value = tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, x + counter.read_value()),
            [first, 0.0],
        )
    assert _after(value, counter) == ((3, 3), 1)


def test_loops_of_functions_and_cells_are_built_under_control_dependencies():
    _, add = _counter()
    x = tf.constant([1.0, 2.0])
    with tf.control_dependencies([add]):
        mapped = tf.map_fn(lambda e: e * 2, x)
        folded = tf.foldl(lambda a, e: a + e, x)
        scanned = tf.scan(lambda a, e: a + e, x)
        outputs, _ = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.GRUCell(3), tf.ones([2, 4, 5]), dtype=tf.float32
        )
        weights = tf.trainable_variables("rnn")
        gradients = tf.gradients(outputs, weights)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(mapped).tolist() == [2, 4]
        assert session.run(folded) == 3
        assert session.run(scanned).tolist() == [1, 3]
        assert all(g.any() for g in session.run(gradients))


def test_a_loop_in_a_loop_waits_for_an_operation_outside_of_both():
    counter, add = _counter()

    def body(i):
        with tf.control_dependencies([add]):
            j = tf.while_loop(lambda j: j < 3, lambda j: j + 1, [i])
        return j + 1

    assert _after(tf.while_loop(lambda i: i < 5, body, [0]), counter) == (5, 1)
