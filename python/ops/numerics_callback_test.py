# SPDX-License-Identifier: Apache-2.0
"""Tests of tf.debugging.enable_check_numerics."""

import numpy as np
import pytest

import tensorwright as tf

_Bad = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def _checked():
    with tf.Graph().as_default() as graph:
        tf.debugging.enable_check_numerics()
        yield graph
    tf.debugging.disable_check_numerics()


def test_the_first_operation_that_goes_wrong_is_named():
    x = tf.placeholder(tf.float32, name="x")
    y = tf.add(tf.log(x, name="lg"), 1.0, name="y")
    with tf.Session() as session:
        assert session.run(y, {x: 1.0}) == 1
        for bad, what in ((-1.0, "NaN"), (0.0, "Inf")):
            with pytest.raises(_Bad) as caught:
                session.run(y, {x: bad})
            text = str(caught.value)
            assert "Infinity or NaN in output 0 of lg (Log" in text and what in text
            assert "numerics_callback_test.py:" in text and "inputs: x:0" in text
        with pytest.raises(_Bad, match="of x .Placeholder"):
            session.run(y, {x: np.nan})


def test_what_is_fetched_is_checked_though_nothing_takes_it():
    x = tf.placeholder(tf.float64, [2])
    with tf.Session() as session:
        root = tf.sqrt(x, name="root")
        assert session.run(root, {x: [1, 4]}).tolist() == [1, 2]
        with pytest.raises(_Bad, match="of root"):
            session.run(root, {x: [1, -4]})
        with pytest.raises(_Bad, match="of root"):
            session.run(root.op, {x: [1, -4]})
        with pytest.raises(_Bad, match="of root"):
            session.make_callable(root, [x])([1, -4])
        handle = session.partial_run_setup([root], [x])
        with pytest.raises(_Bad, match="of root"):
            session.partial_run(handle, root, {x: [1, -4]})


def test_names_inputs_and_gradients_are_the_programs_own(_checked):
    x = tf.placeholder(tf.float32, name="x")
    with tf.name_scope("scope"):
        y = tf.square(x, name="y")
    assert y.name == "scope/y:0" and y.op.inputs[0] is x
    assert tf.square(x, name="y").name == "y:0"
    (gradient,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run(gradient, {x: 3.0}) == 6
    checks = [op for op in _checked.get_operations() if op.type == "CheckNumerics"]
    assert "scope/y/CheckNumerics" in [op.name for op in checks]


def test_loops_and_branches_are_checked_inside():
    x = tf.placeholder(tf.float32, [])
    total = tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, tf.log(t, name="lg") + 2.0), (0, x)
    )[1]
    (gradient,) = tf.gradients(total, x)
    chosen = tf.cond(x > 0, lambda: tf.log(x), lambda: tf.sqrt(x, name="root"))
    with tf.Session() as session:
        want, slope = 1.0, 1.0
        for _ in range(3):
            want, slope = np.log(want) + 2, slope / want
        np.testing.assert_allclose(session.run(total, {x: 1.0}), want, rtol=1e-6)
        np.testing.assert_allclose(session.run(gradient, {x: 1.0}), slope, rtol=1e-5)
        with pytest.raises(_Bad, match="of while/lg"):
            session.run(total, {x: -1.0})
        np.testing.assert_allclose(session.run(chosen, {x: 2.0}), np.log(2), rtol=1e-6)
        with pytest.raises(_Bad, match="inputs: cond/root"):
            session.run(chosen, {x: -1.0})


def test_training_goes_on_as_without():
    w = tf.Variable([1.0, 2.0])
    loss = tf.reduce_sum(tf.square(w))
    step = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(w).tolist() == [0.5, 1.0]
        tf.debugging.disable_check_numerics()
        session.run(w.assign([np.inf, 0.0]))
        with pytest.raises(_Bad, match="Variable/read"):
            session.run(step)


def test_only_operations_made_while_it_is_on_are_checked(_checked):
    tf.debugging.enable_check_numerics()  # A second time: nothing more.
    checked = tf.log(tf.placeholder_with_default(-1.0, []), name="checked")
    tf.debugging.disable_check_numerics()
    before = _checked.num_operations()
    free = tf.log(tf.constant(-1.0))
    assert _checked.num_operations() == before + 2
    with tf.Session() as session:
        assert np.isnan(session.run(free))
        with pytest.raises(_Bad, match="of checked"):
            session.run(checked)


def test_limits_of_the_text(_checked):
    tf.debugging.disable_check_numerics()
    tf.debugging.enable_check_numerics(stack_height_limit=1, path_length_limit=7)
    op = tf.exp(1.0, name="e").op
    message = _checked.get_operation_by_name("e/CheckNumerics").get_attr("message")
    lines = message.decode().splitlines()
    assert len(lines) == 2 and lines[0].startswith("Infinity or NaN in output 0 of e")
    assert lines[1].startswith("  ...") and len(lines[1].split(":")[0]) == 12
    assert op.traceback


def test_integers_and_other_graphs():
    tf.add(1, 2)
    assert not tf.get_default_graph()._fetch_checks
    with tf.Graph().as_default() as other:
        x = tf.constant([1.0])
        assert x in other._fetch_checks
