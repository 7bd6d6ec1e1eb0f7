# SPDX-License-Identifier: Apache-2.0
"""Optimizers against their formulae in NumPy, dense and sparse; minimize and its parts."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

STEPS = 4
START = np.array([[1.0, -2.0], [3.0, 0.5]])
GRAD = np.array([[0.5, -0.1], [0.2, 0.9]])


# The value after one more step; `s` keeps what the optimizer remembers.


def _descent(x, g, s):
    return x - 0.1 * g


def _momentum(x, g, s):
    s["a"] = 0.9 * s.get("a", 0) + g
    return x - 0.1 * s["a"]


def _nesterov(x, g, s):
    s["a"] = 0.9 * s.get("a", 0) + g
    return x - 0.1 * (g + 0.9 * s["a"])


def _adam(x, g, s):
    s["t"] = s.get("t", 0) + 1
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
    rate = 0.1 * np.sqrt(1 - 0.999 ** s["t"]) / (1 - 0.9 ** s["t"])
    return x - rate * s["m"] / (np.sqrt(s["v"]) + 1e-8)


def _adagrad(x, g, s):
    s["a"] = s.get("a", 0.1) + g * g
    return x - 0.1 * g / np.sqrt(s["a"])


def _rmsprop(x, g, s):
    s["ms"] = 0.9 * s.get("ms", np.ones_like(x)) + 0.1 * g * g
    s["mom"] = 0.5 * s.get("mom", 0) + 0.1 * g / np.sqrt(s["ms"] + 1e-10)
    return x - s["mom"]


def _centered(x, g, s):
    s["ms"] = 0.9 * s.get("ms", np.ones_like(x)) + 0.1 * g * g
    s["mg"] = 0.9 * s.get("mg", 0) + 0.1 * g
    scale = np.sqrt(s["ms"] - s["mg"] ** 2 + 1e-10)
    s["mom"] = 0.5 * s.get("mom", 0) + 0.1 * g / scale
    return x - s["mom"]


def _adadelta(x, g, s):
    s["a"] = 0.95 * s.get("a", 0) + 0.05 * g * g
    update = np.sqrt(s.get("u", 0) + 1e-6) / np.sqrt(s["a"] + 1e-6) * g
    s["u"] = 0.95 * s.get("u", 0) + 0.05 * update * update
    return x - 0.1 * update


def _ftrl(x, g, s):
    old = s.get("a", 0.1)
    s["a"] = old + g * g
    sigma = (np.sqrt(s["a"]) - np.sqrt(old)) / 0.1
    s["z"] = s.get("z", 0) + g - sigma * x
    quadratic = np.sqrt(s["a"]) / 0.1 + 2 * 0.2
    return np.where(
        np.abs(s["z"]) > 0.05, (np.sign(s["z"]) * 0.05 - s["z"]) / quadratic, 0.0
    )


_CASES = {
    "descent": (lambda: tf.train.GradientDescentOptimizer(0.1), _descent),
    "momentum": (lambda: tf.train.MomentumOptimizer(0.1, 0.9), _momentum),
    "nesterov": (lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), _nesterov),
    "adam": (lambda: tf.train.AdamOptimizer(0.1), _adam),
    "adagrad": (lambda: tf.train.AdagradOptimizer(0.1), _adagrad),
    "rmsprop": (lambda: tf.train.RMSPropOptimizer(0.1, 0.9, 0.5), _rmsprop),
    "centered": (lambda: tf.train.RMSPropOptimizer(0.1, 0.9, 0.5, centered=True), _centered),
    "adadelta": (lambda: tf.train.AdadeltaOptimizer(0.1, epsilon=1e-6), _adadelta),
    "ftrl": (
        lambda: tf.train.FtrlOptimizer(
            0.1, l1_regularization_strength=0.05, l2_regularization_strength=0.2
        ),
        _ftrl,
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", list(_CASES))
def test_steps_equal_the_formula(name, dtype):
    make, formula = _CASES[name]
    v = tf.Variable(START.astype(dtype))
    train = make().apply_gradients([(tf.constant(GRAD.astype(dtype)), v)])
    expected, state = START, {}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(STEPS):
            session.run(train)
            expected = formula(expected, GRAD, state)
            np.testing.assert_allclose(session.run(v), expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", list(_CASES))
def test_slices_change_their_rows_as_a_dense_gradient_would(name):
    """Row 1 twice and row 2: its own gradients add up; row 0 has gradient zero."""
    make, formula = _CASES[name]
    start = np.array([[1.0, -2.0], [3.0, 0.5], [0.3, 0.4]])
    dense = np.array([[0, 0], [0.3, 0.5], [0.2, 0.1]])
    v = tf.Variable(start)
    slices = tf.IndexedSlices(
        tf.constant([[0.1, 0.2], [0.2, 0.1], [0.2, 0.3]], tf.float64),
        tf.constant([1, 2, 1]),
        tf.constant([3, 2]),
    )
    train = make().apply_gradients([(slices, v)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        expected = formula(start, dense, {})
        np.testing.assert_allclose(session.run(v)[1:], expected[1:], rtol=1e-6)


@pytest.mark.parametrize("name", list(_CASES))
def test_minimize_lowers_the_loss(name):
    v = tf.Variable([1.0, -2.0])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(tf.square(v - [0.5, 0.5]))
    train = _CASES[name][0]().minimize(loss, global_step=step)
    assert train in tf.get_collection(tf.GraphKeys.TRAIN_OP)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(STEPS):
            session.run(train)
        assert session.run(loss) < before
        assert tf.train.global_step(session, step) == STEPS


def test_slots_belong_to_their_variables():
    v = tf.Variable([1.0], name="v")
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.reduce_sum(v))
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(v, "m").name == "v/Adam:0"
    assert optimizer.get_slot(v, "v").name == "v/Adam_1:0"
    assert len(optimizer.variables()) == 4
    assert tf.trainable_variables() == [v]


@pytest.mark.parametrize("own", [False, True])
def test_variables_of_the_whole_optimizer_are_named_under_it_on_demand(own):
    v = tf.Variable([1.0], name="v")
    optimizer = tf.train.AdamOptimizer(use_own_namescope_for_non_slot_vars=own)
    train = optimizer.minimize(tf.reduce_sum(v))
    powers = {x.name for x in tf.global_variables() if "power" in x.name}
    scope = "Adam/" if own else ""
    assert powers == {f"{scope}beta1_power:0", f"{scope}beta2_power:0"}
    assert len(optimizer.variables()) == 4
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(v)[0] == pytest.approx(0.999)


def _names_of_slots(build):
    """The global variables named Momentum after `build(w)` in variable scope "net", where w is."""
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        build(tf.get_variable("w", initializer=1.0))
    return [v.name for v in tf.global_variables() if "Momentum" in v.name]


def test_slots_are_named_after_the_open_scope_and_their_variable():
    def train(w):
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.square(w))

    assert _names_of_slots(train) == ["net/net/w/Momentum:0"]
    # Entered again, the scope finds what it has.
    assert _names_of_slots(train) == ["net/net/w/Momentum:0"]
    with tf.variable_scope("train"):
        (w,) = tf.trainable_variables()
        train(w)
    assert tf.global_variables()[-1].name == "train/net/w/Momentum:0"
    with tf.variable_scope("net", reuse=True), pytest.raises(ValueError, match="reuse"):
        tf.train.AdagradOptimizer(0.1).minimize(tf.square(w))


def test_averages_are_named_as_slots():
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=1.0)
        average = tf.train.ExponentialMovingAverage(0.9, name="Average")
        average.apply([w])
    assert average.average(w).name == "net/net/w/Average:0"


def test_parts_have_whole_slots():
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [4], initializer=tf.ones_initializer())
        loss = tf.reduce_sum(tf.square(tf.convert_to_tensor(w)))
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    slots = [v.op.name for v in tf.global_variables() if "Momentum" in v.name]
    assert slots == ["net/net/w/part_0/Momentum", "net/net/w/part_1/Momentum"]


@pytest.mark.parametrize("gate", [0, 1, 2])
def test_gates_do_not_change_values(gate):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    train = optimizer.minimize(a * b, gate_gradients=gate)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run([a, b]) in ([0.0, 1.5], [0.0, 2.0], [0.25, 1.5])
        if gate == tf.train.Optimizer.GATE_GRAPH:
            assert session.run([a, b]) == [0.0, 1.5]


def test_variables_without_a_gradient_are_left_alone():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = optimizer.compute_gradients(a * 3)
    assert [(g is None, v) for g, v in pairs] == [(False, a), (True, b)]
    train = optimizer.apply_gradients(pairs)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run([a, b]) == [-0.5, 2.0]


def test_bad_arguments_are_refused():
    v = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    with pytest.raises(ValueError, match="No gradients"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="Invalid type"):
        optimizer.minimize(tf.constant(1), var_list=[v])
    with pytest.raises(ValueError, match="No variables"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="gate_gradients"):
        optimizer.compute_gradients(v * 2, gate_gradients=7)
    with pytest.raises(TypeError):
        optimizer.compute_gradients(v * 2, var_list=[1.0])


# --- Learning rates, averages, steps ------------------------------------------------


@pytest.mark.parametrize(
    ("make", "formula"),
    [
        (lambda s: tf.train.exponential_decay(0.1, s, 10, 0.5), lambda t: 0.1 * 0.5 ** (t / 10)),
        (
            lambda s: tf.train.exponential_decay(0.1, s, 10, 0.5, staircase=True),
            lambda t: 0.1 * 0.5 ** (t // 10),
        ),
        (lambda s: tf.train.natural_exp_decay(0.1, s, 1, 0.1), lambda t: 0.1 * np.exp(-0.1 * t)),
        (lambda s: tf.train.inverse_time_decay(0.1, s, 1, 0.5), lambda t: 0.1 / (1 + 0.5 * t)),
        (
            lambda s: tf.train.polynomial_decay(0.1, s, 20, 0.01, power=2.0),
            lambda t: 0.09 * (1 - min(t, 20) / 20) ** 2 + 0.01,
        ),
        (
            lambda s: tf.train.piecewise_constant(s, [5, 12], [1.0, 0.5, 0.1]),
            lambda t: 1.0 if t <= 5 else 0.5 if t <= 12 else 0.1,
        ),
        (
            lambda s: tf.train.cosine_decay(0.1, s, 20),
            lambda t: 0.05 * (1 + np.cos(np.pi * min(t, 20) / 20)),
        ),
    ],
)  # fmt: skip
def test_learning_rates(make, formula):
    step = tf.placeholder(tf.int32, [])
    rate = make(step)
    with tf.Session() as session:
        for t in (0, 5, 6, 12, 13, 25):
            np.testing.assert_allclose(
                session.run(rate, {step: t}), formula(t), rtol=1e-5
            )


def test_exponential_moving_average():
    v = tf.Variable(10.0)
    average = tf.train.ExponentialMovingAverage(0.9)
    update = average.apply([v])
    shadow = average.average(v)
    assert (
        shadow.op.name == average.average_name(v) == "Variable/ExponentialMovingAverage"
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign(20.0))
        session.run(update)
        np.testing.assert_allclose(session.run(shadow), 11.0)


def test_the_global_step_is_one_a_graph():
    assert tf.train.get_global_step() is None
    step = tf.train.create_global_step()
    assert tf.train.get_global_step() is step
    assert tf.train.get_or_create_global_step() is step
    assert step.dtype.base_dtype == tf.int64
    with pytest.raises(ValueError, match="already exists"):
        tf.train.create_global_step()


@pytest.mark.parametrize("scope, prefix", [("", ""), ("a", "a/a/")])
def test_slots_are_made_in_any_scope(scope, prefix):
    with tf.variable_scope(scope, use_resource=True) as made:
        assert made.name == scope
        v = tf.get_variable("v", [3])
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(v))
        with tf.variable_scope("inner") as inner:
            assert inner.name == (f"{scope}/inner" if scope else "inner")
    assert tf.global_variables()[-1].op.name == f"{prefix}v/Momentum"


def test_one_variable_is_a_list_of_one():
    x, y = tf.Variable(3.0), tf.Variable(5.0)
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    step = optimizer.minimize(tf.square(x) + tf.square(y), var_list=x)
    pairs = optimizer.compute_gradients(tf.square(x * y), var_list=[[x], (y,)])
    assert [v for _, v in pairs] == [x, y]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run([x, y]) == [1.5, 5]
