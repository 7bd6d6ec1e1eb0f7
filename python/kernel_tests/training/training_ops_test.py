# SPDX-License-Identifier: Apache-2.0
"""Every optimizer's step against its formula in NumPy: on references and behind handles, dense and of some rows."""

import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_resource_variable_ops, gen_training_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

# A formula changes the list `v` of the variables' values, given scalars `s` by name and
# the gradient `g`, and returns nothing.


def _descent(v, s, g):
    v[0] -= s["alpha"] * g


def _proximal(x, by, l2):
    return np.sign(x) * np.maximum(np.abs(x) - by, 0) / (1 + l2)


def _proximal_descent(v, s, g):
    a = s["alpha"]
    v[0] = _proximal(v[0] - a * g, a * s["l1"], a * s["l2"])


def _proximal_adagrad(v, s, g):
    v[1] += g * g
    rate = s["lr"] / np.sqrt(v[1])
    v[0] = _proximal(v[0] - rate * g, rate * s["l1"], rate * s["l2"])


def _momentum(v, s, g):
    v[1] = s["momentum"] * v[1] + g
    v[0] -= s["lr"] * v[1]


def _nesterov(v, s, g):
    v[1] = s["momentum"] * v[1] + g
    v[0] -= s["lr"] * (g + s["momentum"] * v[1])


def _keras_momentum(v, s, g):
    v[1] = s["momentum"] * v[1] - s["lr"] * g
    v[0] += v[1]


def _keras_nesterov(v, s, g):
    v[1] = s["momentum"] * v[1] - s["lr"] * g
    v[0] += s["momentum"] * v[1] - s["lr"] * g


def _moments(v, s, g):
    v[1] = s["beta1"] * v[1] + (1 - s["beta1"]) * g
    v[2] = s["beta2"] * v[2] + (1 - s["beta2"]) * g * g
    return s["lr"] * np.sqrt(1 - s["beta2_power"]) / (1 - s["beta1_power"])


def _adam(v, s, g):
    rate = _moments(v, s, g)
    v[0] -= rate * v[1] / (np.sqrt(v[2]) + s["epsilon"])


def _nadam(v, s, g):
    rate = _moments(v, s, g)
    ahead = s["beta1"] * v[1] + (1 - s["beta1"]) * g
    v[0] -= rate * ahead / (np.sqrt(v[2]) + s["epsilon"])


def _amsgrad(v, s, g):
    rate = _moments(v, s, g)
    v[3] = np.maximum(v[3], v[2])
    v[0] -= rate * v[1] / (np.sqrt(v[3]) + s["epsilon"])


def _adamax(v, s, g):
    v[1] = s["beta1"] * v[1] + (1 - s["beta1"]) * g
    v[2] = np.maximum(s["beta2"] * v[2], np.abs(g))
    v[0] -= s["lr"] / (1 - s["beta1_power"]) * v[1] / (v[2] + s["epsilon"])


def _adagrad(v, s, g):
    v[1] += g * g
    v[0] -= s["lr"] * g / np.sqrt(v[1])


def _adagrad_still(v, s, g):
    v[0] -= s["lr"] * g / np.sqrt(v[1])


def _adagrad_v2(v, s, g):
    v[1] += g * g
    v[0] -= s["lr"] * g / (np.sqrt(v[1]) + s["epsilon"])


def _adagrad_da(v, s, g):
    v[1] += g
    v[2] += g * g
    t = s["global_step"]
    shrunk = np.sign(v[1]) * np.maximum(np.abs(v[1]) - s["l1"] * t, 0)
    v[0] = -s["lr"] * shrunk / (s["l2"] * t * s["lr"] + np.sqrt(v[2]))


def _rms_prop(v, s, g):
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g * g
    v[2] = s["momentum"] * v[2] + s["lr"] * g / np.sqrt(v[1] + s["epsilon"])
    v[0] -= v[2]


def _centered(v, s, g):
    v[2] = s["rho"] * v[2] + (1 - s["rho"]) * g * g
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g
    size = np.sqrt(v[2] - v[1] ** 2 + s["epsilon"])
    v[3] = s["momentum"] * v[3] + s["lr"] * g / size
    v[0] -= v[3]


def _adadelta(v, s, g):
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g * g
    step = np.sqrt(v[2] + s["epsilon"]) / np.sqrt(v[1] + s["epsilon"]) * g
    v[0] -= s["lr"] * step
    v[2] = s["rho"] * v[2] + (1 - s["rho"]) * step * step


def _ftrl(v, s, g, by_lr=False):
    lr, p = s["lr"], -s["lr_power"]
    new = v[1] + g * g
    pull = g + 2 * s.get("l2_shrinkage", 0) * v[0]
    change = new**p - v[1] ** p
    scale = lr if by_lr else 1
    v[2] += scale * (pull - change / lr * v[0])
    l1, l2 = s["l1"] * scale, s["l2"] * scale
    y = scale * new**p / lr + 2 * l2
    v[0] = np.where(np.abs(v[2]) > l1, (np.sign(v[2]) * l1 - v[2]) / y, 0)
    v[1] = new


def _ftrl_by_lr(v, s, g):
    _ftrl(v, s, g, by_lr=True)


def _add_sign(v, s, g):
    v[1] = s["beta"] * v[1] + (1 - s["beta"]) * g
    agree = np.sign(g) * np.sign(v[1])
    v[0] -= s["lr"] * (s["alpha"] + s["sign_decay"] * agree) * g


def _power_sign(v, s, g):
    v[1] = s["beta"] * v[1] + (1 - s["beta"]) * g
    agree = np.sign(g) * np.sign(v[1])
    v[0] -= s["lr"] * np.exp(s["logbase"] * s["sign_decay"] * agree) * g


_BETAS = dict(
    beta1_power=0.8, beta2_power=0.9, lr=0.1, beta1=0.9, beta2=0.99, epsilon=0.01
)
_BY_LR = {"multiply_linear_by_lr": True}
_FTRL = dict(lr=0.1, l1=0.5, l2=0.25)
# Step -> (variables, scalars in order, formula, attrs).
RULES = {
    "gradient_descent": (1, dict(alpha=0.1), _descent, {}),
    "proximal_gradient_descent": (
        1, dict(alpha=0.3, l1=0.5, l2=0.2), _proximal_descent, {},
    ),
    "proximal_gradient_descent 0": (
        1, dict(alpha=0.3, l1=0.0, l2=0.2), _proximal_descent, {},
    ),
    "proximal_adagrad": (2, dict(lr=0.3, l1=0.5, l2=0.2), _proximal_adagrad, {}),
    "momentum": (2, dict(lr=0.1, momentum=0.9), _momentum, {}),
    "momentum nesterov": (
        2, dict(lr=0.1, momentum=0.9), _nesterov, {"use_nesterov": True},
    ),
    "keras_momentum": (2, dict(lr=0.1, momentum=0.9), _keras_momentum, {}),
    "keras_momentum nesterov": (
        2, dict(lr=0.1, momentum=0.9), _keras_nesterov, {"use_nesterov": True},
    ),
    "adam": (3, _BETAS, _adam, {}),
    "adam nesterov": (3, _BETAS, _nadam, {"use_nesterov": True}),
    "adam_with_amsgrad": (4, _BETAS, _amsgrad, {}),
    "ada_max": (
        3, {k: x for k, x in _BETAS.items() if k != "beta2_power"}, _adamax, {},
    ),
    "adagrad": (2, dict(lr=0.1), _adagrad, {}),
    "adagrad still": (2, dict(lr=0.1), _adagrad_still, {"update_slots": False}),
    "adagrad_v2": (2, dict(lr=0.1, epsilon=0.3), _adagrad_v2, {}),
    "adagrad_da": (3, dict(lr=0.3, l1=0.1, l2=0.2, global_step=3), _adagrad_da, {}),
    "rms_prop": (3, dict(lr=0.1, rho=0.9, momentum=0.5, epsilon=0.01), _rms_prop, {}),
    "centered_rms_prop": (
        4, dict(lr=0.1, rho=0.9, momentum=0.5, epsilon=9.0), _centered, {},
    ),
    "adadelta": (3, dict(lr=0.1, rho=0.9, epsilon=0.01), _adadelta, {}),
    "ftrl": (3, dict(**_FTRL, lr_power=-0.5), _ftrl, {}),
    "ftrl power": (3, dict(**_FTRL, lr_power=-0.7), _ftrl, {}),
    "ftrl by lr": (3, dict(**_FTRL, lr_power=-0.5), _ftrl_by_lr, _BY_LR),
    "ftrl_v2": (3, dict(**_FTRL, l2_shrinkage=0.2, lr_power=-0.5), _ftrl, {}),
    "ftrl_v2 by lr": (
        3, dict(**_FTRL, l2_shrinkage=0.2, lr_power=-0.5), _ftrl_by_lr, _BY_LR,
    ),
    "add_sign": (2, dict(lr=0.1, alpha=1.0, sign_decay=0.5, beta=0.9), _add_sign, {}),
    "power_sign": (
        2, dict(lr=0.1, logbase=1.0, sign_decay=0.5, beta=0.9), _power_sign, {},
    ),
}  # fmt: skip
_TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 6e-3, "bfloat16": 4e-2}


def _values(shape, start):
    """Positive numbers that differ, as slots of squares need them."""
    size = int(np.prod(shape))
    return (start + np.arange(size) / max(size, 1)).reshape(shape)


def _gradient(shape):
    g = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape)
    return np.where(np.abs(g) < 0.01, 0.5, g)


def _step(rule, variables, grad, dtype, indices=None, locking=False, **changes):
    """The operation of a rule on variables, all of one kind."""
    _, scalars, _, attrs = RULES[rule]
    resource = hasattr(variables[0], "handle")
    name = "resource_" if resource else ""
    name += ("apply_" if indices is None else "sparse_apply_") + rule.split()[0]
    function = getattr(gen_training_ops, name)
    inputs = {
        s: tf.constant(x, tf.int64 if s == "global_step" else dtype)
        for s, x in scalars.items()
    }
    inputs.update(changes)
    is_delta = indices is None and name.endswith("gradient_descent")
    inputs["delta" if is_delta else "grad"] = grad
    if indices is not None:
        inputs["indices"] = indices
    refs = [v.handle if resource else v._ref() for v in variables]
    return function(*refs, **inputs, **attrs, use_locking=locking)


def _variables(rule, shape, dtype, resource):
    starts = [_values(shape, 0.5 + 0.25 * i) for i in range(RULES[rule][0])]
    made = [tf.Variable(tf.constant(x, dtype), use_resource=resource) for x in starts]
    return starts, made


def _expected(rule, starts, grad, rows=None):
    v = [x.copy() for x in starts]
    formula = RULES[rule][2]
    if rows is None:
        formula(v, RULES[rule][1], grad)
        return v
    for row, g in zip(rows, grad):
        part = [x[row] for x in v]
        formula(part, RULES[rule][1], g)
        for x, p in zip(v, part):
            x[row] = p
    return v


def _forms(sparse):
    prefix = "sparse_apply_" if sparse else "apply_"
    return [
        (rule, resource)
        for rule in RULES
        for resource in (False, True)
        if hasattr(
            gen_training_ops,
            ("resource_" if resource else "") + prefix + rule.split()[0],
        )
    ]


@pytest.mark.parametrize("rule,resource", _forms(sparse=False))
def test_a_dense_step_follows_its_formula(rule, resource):
    cases = []
    for dtype in _TOLERANCE:
        # A scalar; less than a block; blocks and a rest.
        for shape in ([], [3], [5, 29]):
            starts, made = _variables(rule, shape, dtype, resource)
            grad = _gradient(shape) + (0.3 if shape == [] else 0)
            step = _step(
                rule, made, tf.constant(grad, dtype), dtype, locking=shape == [3]
            )
            cases.append((dtype, starts, made, grad, step))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for dtype, starts, made, grad, step in cases:
            session.run(step)
            for got, want in zip(session.run(made), _expected(rule, starts, grad)):
                tolerance = _TOLERANCE[dtype]
                np.testing.assert_allclose(
                    got.astype(np.float64), want, tolerance, tolerance
                )


@pytest.mark.parametrize("rule,resource", _forms(sparse=True))
def test_a_step_of_rows_follows_its_formula(rule, resource):
    cases = []
    for dtype in ("float64", "float32", "bfloat16"):
        for row in ([], [2], [3, 67]):
            for rows in ([3, 0, 1], []):
                starts, made = _variables(rule, [4, *row], dtype, resource)
                grad = _gradient([len(rows), *row])
                indices = np.array(rows, np.int32 if row else np.int64)
                step = _step(rule, made, tf.constant(grad, dtype), dtype, indices)
                cases.append((dtype, starts, made, grad, rows, step))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for dtype, starts, made, grad, rows, step in cases:
            session.run(step)
            want = _expected(rule, starts, grad, rows)
            for got, expected in zip(session.run(made), want):
                tolerance = _TOLERANCE[dtype]
                np.testing.assert_allclose(
                    got.astype(np.float64), expected, tolerance, tolerance
                )


@pytest.mark.parametrize("resource", [False, True])
def test_rows_that_repeat_are_taken_in_order(resource):
    starts, made = _variables("adagrad", [3, 130], "float64", resource)
    grad = _gradient([3, 130])
    step = _step("adagrad", made, tf.constant(grad), "float64", np.array([2, 0, 2]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        want = _expected("adagrad", starts, grad, [2, 0, 2])
        for got, expected in zip(session.run(made), want):
            np.testing.assert_allclose(got, expected, 1e-12)


@pytest.mark.parametrize("rule", ["add_sign", "power_sign"])
def test_an_infinite_momentum_stays_one(rule):
    _, made = _variables(rule, [3], "float64", True)
    grad = np.array([-2.0, 0.5, 3.0])
    step = _step(rule, made, tf.constant(grad), "float64")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(made[1].assign([-np.inf] * 3))
        v = [session.run(made[0]), np.full(3, -np.inf)]
        RULES[rule][2](v, RULES[rule][1], grad)
        session.run(step)
        for got, expected in zip(session.run(made), v):
            np.testing.assert_allclose(got, expected, 1e-12)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("rule", ["gradient_descent", "momentum"])
def test_linear_rules_take_complex_numbers(rule, dtype):
    starts, made = _variables(rule, [5], dtype, True)
    grad = _gradient([5]) * (1 + 2j)
    step = _step(rule, made, tf.constant(grad, dtype), dtype)
    want = _expected(rule, [x.astype(complex) for x in starts], grad)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        for got, expected in zip(session.run(made), want):
            np.testing.assert_allclose(got, expected, 1e-5)


def test_a_late_gradient_is_corrected_for_the_way_since():
    var, shadow, grad = _values([7], 1.0), _values([7], 0.2), _gradient([7])
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


@pytest.mark.parametrize("rule,resource", _forms(sparse=False))
def test_a_number_that_is_none_spoils_the_variable(rule, resource):
    """But for FTRL, whose variable is zero unless the linear term is beyond a bound."""
    if rule.startswith("ftrl"):
        return
    _, made = _variables(rule, [9], "float32", resource)
    grad = _gradient([9])
    grad[4] = np.nan
    step = _step(rule, made, tf.constant(grad, tf.float32), "float32")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        bad = np.isnan(session.run(made[0]))
    np.testing.assert_array_equal(bad, np.arange(9) == 4)


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
    _, made = _variables("ftrl_v2", [2], "float32", resource)
    bad = {name: tf.constant(x, tf.float32) for name, x in change.items()}
    step = _step("ftrl_v2", made, tf.ones([2]), "float32", **bad)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(step)


@pytest.mark.parametrize("resource", [False, True])
def test_what_does_not_fit_is_refused(resource):
    _, made = _variables("momentum", [3, 2], "float32", resource)
    _, other = _variables("momentum", [2, 3], "float32", resource)
    rows = np.array([0, 5])
    with pytest.raises(ValueError, match="equal|shape"):
        _step("momentum", made, tf.ones([3]), "float32")
    with pytest.raises(ValueError, match="equal|shape"):
        _step("momentum", [made[0], other[1]], tf.ones([3, 2]), "float32")
    with pytest.raises(ValueError, match="rank"):
        _step("momentum", made, tf.ones([3, 2]), "float32", lr=tf.ones([1]))
    with pytest.raises(ValueError, match="equal|shape"):
        _step("momentum", made, tf.ones([2, 3]), "float32", rows)
    step = _step("momentum", made, tf.ones([2, 2]), "float32", rows)
    unknown = tf.placeholder(tf.float32)
    late = _step("momentum", made, unknown, "float32")
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
