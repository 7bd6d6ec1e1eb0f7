# SPDX-License-Identifier: Apache-2.0
"""Every optimizer's step against its formula in NumPy: on references and behind handles, dense and of some rows."""

import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.training import rules
from tensorwright.python.ops import gen_resource_variable_ops, gen_training_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("rule,resource", rules.forms(sparse=False))
def test_a_dense_step_follows_its_formula(rule, resource):
    cases = []
    for dtype in rules.TOLERANCE:
        # A scalar; less than a block; blocks and a rest.
        for shape in ([], [3], [5, 29]):
            starts, made = rules.variables(rule, shape, dtype, resource)
            grad = rules.gradient(shape) + (0.3 if shape == [] else 0)
            step = rules.step(
                rule, made, tf.constant(grad, dtype), dtype, locking=shape == [3]
            )
            cases.append((dtype, starts, made, grad, step))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for dtype, starts, made, grad, step in cases:
            session.run(step)
            for got, want in zip(session.run(made), rules.expected(rule, starts, grad)):
                tolerance = rules.TOLERANCE[dtype]
                np.testing.assert_allclose(
                    got.astype(np.float64), want, tolerance, tolerance
                )


@pytest.mark.parametrize("rule,resource", rules.forms(sparse=True))
def test_a_step_of_rows_follows_its_formula(rule, resource):
    cases = []
    for dtype in ("float64", "float32", "bfloat16"):
        for row in ([], [2], [3, 67]):
            for rows in ([3, 0, 1], []):
                starts, made = rules.variables(rule, [4, *row], dtype, resource)
                grad = rules.gradient([len(rows), *row])
                indices = np.array(rows, np.int32 if row else np.int64)
                step = rules.step(rule, made, tf.constant(grad, dtype), dtype, indices)
                cases.append((dtype, starts, made, grad, rows, step))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for dtype, starts, made, grad, rows, step in cases:
            session.run(step)
            want = rules.expected(rule, starts, grad, rows)
            for got, expected in zip(session.run(made), want):
                tolerance = rules.TOLERANCE[dtype]
                np.testing.assert_allclose(
                    got.astype(np.float64), expected, tolerance, tolerance
                )


@pytest.mark.parametrize("rule,resource", rules.forms(sparse=True))
def test_many_rows_that_threads_share_follow_their_formula(rule, resource):
    starts, made = rules.variables(rule, [500, 301], "float32", resource)
    rows = np.random.RandomState(1).permutation(500)[:400]
    grad = rules.gradient([400, 301])
    step = rules.step(rule, made, tf.constant(grad, "float32"), "float32", rows)
    want = [x.copy() for x in starts]
    # No row is there twice: all at a time.
    parts = [x[rows] for x in want]
    rules.RULES[rule][2](parts, rules.RULES[rule][1], grad)
    for x, part in zip(want, parts):
        x[rows] = part
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        for got, expected in zip(session.run(made), want):
            np.testing.assert_allclose(got, expected, 2e-5, 2e-5)


@pytest.mark.parametrize("resource", [False, True])
def test_rows_that_repeat_are_taken_in_order(resource):
    starts, made = rules.variables("adagrad", [3, 130], "float64", resource)
    grad = rules.gradient([3, 130])
    step = rules.step(
        "adagrad", made, tf.constant(grad), "float64", np.array([2, 0, 2])
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        want = rules.expected("adagrad", starts, grad, [2, 0, 2])
        for got, expected in zip(session.run(made), want):
            np.testing.assert_allclose(got, expected, 1e-12)


@pytest.mark.parametrize("rule", ["add_sign", "power_sign"])
def test_an_infinite_momentum_stays_one(rule):
    _, made = rules.variables(rule, [3], "float64", True)
    grad = np.array([-2.0, 0.5, 3.0])
    step = rules.step(rule, made, tf.constant(grad), "float64")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(made[1].assign([-np.inf] * 3))
        v = [session.run(made[0]), np.full(3, -np.inf)]
        rules.RULES[rule][2](v, rules.RULES[rule][1], grad)
        session.run(step)
        for got, expected in zip(session.run(made), v):
            np.testing.assert_allclose(got, expected, 1e-12)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("rule", ["gradient_descent", "momentum"])
def test_linear_rules_take_complex_numbers(rule, dtype):
    starts, made = rules.variables(rule, [5], dtype, True)
    grad = rules.gradient([5]) * (1 + 2j)
    step = rules.step(rule, made, tf.constant(grad, dtype), dtype)
    want = rules.expected(rule, [x.astype(complex) for x in starts], grad)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        for got, expected in zip(session.run(made), want):
            np.testing.assert_allclose(got, expected, 1e-5)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("rule", ["adagrad", "rms_prop"])
def test_rows_may_be_of_complex_numbers(rule, dtype):
    starts, made = rules.variables(rule, [3, 5], dtype, True)
    grad = rules.gradient([2, 5]) * (1 + 2j)
    step = rules.step(rule, made, tf.constant(grad, dtype), dtype, np.array([2, 0]))
    want = rules.expected(rule, [x.astype(complex) for x in starts], grad, [2, 0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        for got, expected in zip(session.run(made), want):
            np.testing.assert_allclose(got, expected, 1e-4)


def test_a_late_gradient_is_corrected_for_the_way_since():
    var, shadow, grad = (
        rules.values([7], 1.0),
        rules.values([7], 0.2),
        rules.gradient([7]),
    )
    made = [tf.Variable(x, use_resource=True) for x in (var, shadow)]
    step = gen_training_ops.apply_delay_compensated_gradient_descent(
        made[0].handle, tf.constant(0.1, tf.float64), grad,
        tf.constant(0.5, tf.float64), made[1].handle,
    )  # fmt: skip
    want = var - 0.1 * (grad + 0.5 * grad * (var - shadow))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        for got in session.run(made):
            np.testing.assert_allclose(got, want, 1e-12)


@pytest.mark.parametrize("rule,resource", rules.forms(sparse=False))
def test_a_number_that_is_none_spoils_the_variable(rule, resource):
    """But for FTRL, whose variable is zero unless the linear term is beyond a bound."""
    if rule.startswith("ftrl"):
        return
    _, made = rules.variables(rule, [9], "float32", resource)
    grad = rules.gradient([9])
    grad[4] = np.nan
    step = rules.step(rule, made, tf.constant(grad, tf.float32), "float32")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        bad = np.isnan(session.run(made[0]))
    np.testing.assert_array_equal(bad, np.arange(9) == 4)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("rule", ["ftrl", "ftrl_v2"])
def test_a_number_that_is_none_makes_the_variable_of_ftrl_zero(rule, resource):
    starts, made = rules.variables(rule, [9], "float32", resource)
    grad = rules.gradient([9])
    want = rules.expected(rule, starts, grad)
    grad[4] = np.nan
    want[0][4], want[1][4], want[2][4] = 0, np.nan, np.nan
    step = rules.step(rule, made, tf.constant(grad, tf.float32), "float32")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        after = session.run(step) if not resource else session.run([step, made[0]])[1]
        got = session.run(made)
    np.testing.assert_allclose(after if not resource else got[0], want[0], 1e-5, 1e-5)
    for value, expected in zip(got, want):
        np.testing.assert_allclose(value, expected, 1e-5, 1e-5)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("rule", ["adadelta", "adagrad_da", "adagrad", "rms_prop"])
def test_a_number_that_is_none_spoils_its_place_in_a_row_alone(rule, resource):
    starts, made = rules.variables(rule, [3, 5], "float64", resource)
    grad = rules.gradient([2, 5])
    want = rules.expected(rule, starts, grad, [2, 0])
    grad[0, 3] = np.nan
    step = rules.step(rule, made, tf.constant(grad), "float64", np.array([2, 0]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        got = session.run(made)
    assert np.isnan(got[0][2, 3])
    for value, expected in zip(got, want):
        value[2, 3] = expected[2, 3]
        np.testing.assert_allclose(value, expected, 1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_infinite_moments_of_rows_stay_infinite(dtype):
    """As in TensorFlow, where a step of all rows makes them NaN."""
    shape = [2, 9]
    var, ms, mom = (
        tf.Variable(tf.fill(shape, tf.constant(x, dtype))) for x in (1.0, np.inf, 0.0)
    )
    numbers = [tf.constant(x, dtype) for x in (0.1, 0.9, 0.5, 0.01)]
    grad = tf.ones([1, 9], dtype)
    step = gen_training_ops.sparse_apply_rms_prop(var, ms, mom, *numbers, grad, [1])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_array_equal(session.run(ms), np.full(shape, np.inf))
        np.testing.assert_array_equal(session.run(var), np.ones(shape))


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize(
    "change,words",
    [
        ({"lr": -0.5}, "lr is not a positive scalar"),
        ({"l1": -0.5}, "l1 regularization strength is not a non-negative scalar"),
        ({"l2": -0.5}, "l2 regularization strength is not a non-negative scalar"),
        ({"l2_shrinkage": -0.5}, "l2 shrinkage regularization strength is not"),
        ({"lr_power": 0.5}, "lr_power is not a non-positive scalar"),
    ],
)
def test_ftrl_refuses_bad_numbers(change, words, resource):
    _, made = rules.variables("ftrl_v2", [2], "float32", resource)
    bad = {name: tf.constant(x, tf.float32) for name, x in change.items()}
    step = rules.step("ftrl_v2", made, tf.ones([2]), "float32", **bad)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(step)


@pytest.mark.parametrize("resource", [False, True])
def test_what_does_not_fit_is_refused(resource):
    _, made = rules.variables("momentum", [3, 2], "float32", resource)
    _, other = rules.variables("momentum", [2, 3], "float32", resource)
    rows = np.array([0, 5])
    with pytest.raises(ValueError, match="equal|shape"):
        rules.step("momentum", made, tf.ones([3]), "float32")
    with pytest.raises(ValueError, match="equal|shape"):
        rules.step("momentum", [made[0], other[1]], tf.ones([3, 2]), "float32")
    with pytest.raises(ValueError, match="rank"):
        rules.step("momentum", made, tf.ones([3, 2]), "float32", lr=tf.ones([1]))
    with pytest.raises(ValueError, match="equal|shape"):
        rules.step("momentum", made, tf.ones([2, 3]), "float32", rows)
    step = rules.step("momentum", made, tf.ones([2, 2]), "float32", rows)
    unknown = tf.placeholder(tf.float32)
    late = rules.step("momentum", made, unknown, "float32")
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="nitialized"):
            session.run(step)
        session.run(tf.global_variables_initializer())
        before = session.run(made)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=re.escape("Index 5 at offset 1")
        ):
            session.run(step)
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
            session.run(late, {unknown: np.ones([3])})
        for x, y in zip(before, session.run(made)):
            np.testing.assert_array_equal(x, y)


def test_a_handle_of_another_type_is_refused():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    with pytest.raises(ValueError, match="dtype"):
        gen_training_ops.resource_apply_gradient_descent(
            v.handle, tf.constant(0.1, tf.float64), tf.ones([2], tf.float64)
        )
    wrong = tf.Variable([1, 2], use_resource=True, name="wrong")
    handle = gen_resource_variable_ops.var_handle_op(
        dtype=tf.float32, shape=[2], shared_name=wrong.op.name
    )
    step = gen_training_ops.resource_apply_gradient_descent(handle, 0.1, [1.0, 2.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="of type int32"):
            session.run(step)
