# SPDX-License-Identifier: Apache-2.0
"""Weight decay apart from gradients, steps by signs, rates by norms, tasks in turn: against NumPy."""

import math

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

opt = tf.contrib.opt
W = np.array([1.0, -2.0, 3.0], np.float32)
G = np.array([0.5, 2.0, -1.0], np.float32)


def run(train, fetches, count=1):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(count):
            session.run(train)
        return session.run(fetches)


def variable(resource=False, value=W, name=None):
    return tf.get_variable(name or "w", initializer=value, use_resource=resource)


def momentum(w, g, count, decay, nesterov=False):
    a = np.zeros_like(w)
    for _ in range(count):
        w = w - decay * w
        a = 0.9 * a + g
        w = w - 0.1 * (g + 0.9 * a if nesterov else a)
    return w


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_with_decay(resource, nesterov):
    w = variable(resource)
    train = opt.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=nesterov).apply_gradients([(tf.constant(G), w)])  # fmt: skip
    want = momentum(W.astype(float), G, 3, 0.01, nesterov)
    np.testing.assert_allclose(run(train, w, 3), want, rtol=1e-5)


@pytest.mark.parametrize("resource", [False, True])
def test_adam_with_decay(resource):
    w = variable(resource)
    train = opt.AdamWOptimizer(0.01, 0.1).apply_gradients([(tf.constant(G), w)])
    m = v = 0.0
    want = W.astype(float)
    for t in range(1, 4):
        want = want - 0.01 * want
        m, v = 0.9 * m + 0.1 * G, 0.999 * v + 0.001 * G * G
        want -= 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
    np.testing.assert_allclose(run(train, w, 3), want, rtol=1e-5)


@pytest.mark.parametrize("resource", [False, True])
def test_any_optimizer_is_extended_and_chosen_variables_decay(resource):
    kind = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
    assert issubclass(kind, tf.train.GradientDescentOptimizer)
    a, b = variable(resource, name="a"), variable(resource, name="b")
    loss = tf.reduce_sum(a * a) + tf.reduce_sum(b * b)
    train = kind(weight_decay=lambda: 0.1, learning_rate=0.2).minimize(loss, decay_var_list=[b])  # fmt: skip
    a, b = run(train, [a, b])
    # The gradient is of the value before the decay.
    np.testing.assert_allclose(a, W - 0.2 * 2 * W, rtol=1e-6)
    np.testing.assert_allclose(b, 0.9 * W - 0.2 * 2 * W, rtol=1e-6)


@pytest.mark.parametrize("resource", [False, True])
def test_rows_of_a_sparse_gradient_decay(resource):
    table = variable(resource, np.ones([3, 2], np.float32))
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 2]), tf.constant([3, 2]))  # fmt: skip
    train = opt.MomentumWOptimizer(0.5, 0.1, 0.9).apply_gradients([(rows, table)])
    np.testing.assert_allclose(run(train, table), [[1, 1], [1, 1], [0.1, -0.1]], atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("resource", [False, True])
def test_greatest_gradient(resource):
    w = variable(resource)
    table = variable(resource, np.ones([3, 2], np.float32), "t")
    grads = [np.array([0.5, -2.0, 1.0], np.float32), np.array([0.1, 1.0, -3.0], np.float32)]  # fmt: skip
    fed = tf.placeholder(tf.float32, [3])
    rows = tf.IndexedSlices(tf.reshape(fed[:2], [1, 2]), tf.constant([1]), tf.constant([3, 2]))  # fmt: skip
    optimizer = opt.AdaMaxOptimizer(0.1)
    train = optimizer.apply_gradients([(fed, w), (rows, table)])
    assert optimizer.get_slot_names() == ["m", "v"]
    want, m, v = W.astype(float), 0.0, 0.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for t, g in enumerate(grads, 1):
            session.run(train, {fed: g})
            m, v = 0.9 * m + 0.1 * g, np.maximum(0.999 * v, np.abs(g))
            want = want - 0.1 / (1 - 0.9**t) * m / (v + 1e-8)
        got, rows = session.run([w, table])
    np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_allclose(rows[1], 1 + (want - W)[:2], rtol=1e-5)
    np.testing.assert_array_equal(rows[[0, 2]], 1)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("power", [False, True])
def test_steps_by_signs(power, resource):
    w = variable(resource)
    table = variable(resource, np.stack([W, W]), "t")
    step = tf.train.create_global_step()
    decay = opt.get_linear_decay_fn(4)
    kind = opt.PowerSignOptimizer if power else opt.AddSignOptimizer
    optimizer = kind(0.1, sign_decay_fn=decay)
    fed = tf.placeholder(tf.float32, [3])
    rows = tf.IndexedSlices(fed[None], tf.constant([1]), tf.constant([2, 3]))
    train = optimizer.apply_gradients([(fed, w), (rows, table)], step)
    want, m = W.astype(float), 0.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for t, g in enumerate((G, -G * [0.1, 2, 3], G)):
            session.run(train, {fed: g})
            m = 0.9 * m + 0.1 * g
            agreement = (1 - t / 4) * np.sign(g) * np.sign(m)
            want = want - 0.1 * (np.exp(agreement) if power else 1 + agreement) * g
        got, got_rows = session.run([w, table])
    np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_allclose(got_rows, [W, want], rtol=1e-5)


def test_decays_of_signs():
    step = tf.placeholder(tf.int64, [])
    found = [
        opt.get_linear_decay_fn(10)(step),
        opt.get_cosine_decay_fn(10, num_periods=2)(step),
        opt.get_cosine_decay_fn(10, num_periods=2, zero_after=1)(step),
        opt.get_restart_decay_fn(10, num_periods=2)(step),
        opt.get_restart_decay_fn(10, num_periods=2, zero_after=1)(step),
    ]
    with tf.Session() as session:
        for s in (0, 3, 7, 12):
            periods = 2 * s / 10
            cosine = 0.5 * (1 + math.cos(2 * math.pi * periods))
            restart = 0.5 * (1 + math.cos(math.pi * (periods % 1)))
            want = [max(0, 1 - s / 10), cosine, cosine * (periods < 1), restart, restart * (periods < 1)]  # fmt: skip
            np.testing.assert_allclose(session.run(found, {step: s}), want, atol=1e-5)
    with pytest.raises(ValueError, match="zero_after"):
        opt.get_cosine_decay_fn(3, zero_after=0)
    with pytest.raises(ValueError, match="global_step"):
        opt.get_linear_decay_fn(3)(None)


@pytest.mark.parametrize("resource", [False, True])
def test_rates_by_norms(resource):
    w, bias = variable(resource), variable(resource, name="bias")
    zero = variable(resource, np.zeros(3, np.float32), "zero")
    optimizer = opt.LARSOptimizer(0.1, 0.9, 0.01, eeta=0.5, epsilon=0.1, skip_list=["bias"])  # fmt: skip
    train = optimizer.apply_gradients([(tf.constant(G), v) for v in (w, bias, zero)])
    norm = np.linalg.norm
    rate = 0.1 * 0.5 * norm(W) / (norm(G) + 0.01 * norm(W) + 0.1)
    w, bias, zero = run(train, [w, bias, zero])
    np.testing.assert_allclose(w, W - rate * (G + 0.01 * W), rtol=1e-5)
    np.testing.assert_allclose(bias, W - 0.1 * G, rtol=1e-5)
    np.testing.assert_allclose(zero, -0.1 * G, rtol=1e-5)
    with pytest.raises(ValueError, match="momentum"):
        opt.LARSOptimizer(0.1, momentum=-1.0)


@pytest.mark.parametrize("resource", [False, True])
def test_a_task_keeps_the_momentum_of_others(resource):
    a, b = variable(resource, name="a"), variable(resource, name="b")
    wrapped = opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.9))
    on = tf.placeholder(tf.float32, [])
    train = wrapped.apply_gradients([(tf.constant(G), a), (on * G, b)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (1, 0, 0, 1):
            session.run(train, {on: value})
        got = session.run([a, b, wrapped.get_slot(b, "momentum")])
    np.testing.assert_allclose(got[0], momentum(W, G, 4, 0.0), rtol=1e-5)
    np.testing.assert_allclose(got[1], momentum(W, G, 2, 0.0), rtol=1e-5)
    np.testing.assert_allclose(got[2], 1.9 * G, rtol=1e-5)
    with pytest.raises(TypeError, match="tf.train.Optimizer"):
        opt.MultitaskOptimizerWrapper("adam")


def test_gradients_of_tasks_are_clipped_together():
    a, b, c = (variable(name=n) for n in "abc")
    pairs = [(tf.constant([3.0, 0.0, 0.0]), a), (tf.zeros([3]), b), (None, c)]
    (clipped, _), (zeros, _), (none, last) = opt.clip_gradients_by_global_norm(pairs, 1.5)  # fmt: skip
    assert none is None and last is c
    clipped, zeros = run(tf.no_op(), [clipped, zeros])
    np.testing.assert_allclose(clipped, [1.5, 0, 0])
    np.testing.assert_array_equal(zeros, 0)
