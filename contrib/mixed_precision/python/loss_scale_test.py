# SPDX-License-Identifier: Apache-2.0
"""Scales of losses over steps, and gradients in float16 that would vanish."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

mixed = tf.contrib.mixed_precision
SGD = tf.train.GradientDescentOptimizer


def scales(manager, finite):
    """The scale after each step."""
    fed = tf.placeholder(tf.bool, [])
    update, scale = manager.update_loss_scale(fed), manager.get_loss_scale()
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in finite:
            session.run(update, {fed: value})
            found.append(float(session.run(scale)))
    return found


def test_a_fixed_scale_stays():
    assert scales(mixed.FixedLossScaleManager(8.0), [True, False]) == [8, 8]
    with pytest.raises(ValueError, match="at least 1"):
        mixed.FixedLossScaleManager(0.5)


@pytest.mark.parametrize(
    ("finite", "want"),
    [
        ([1, 1, 1, 1, 1, 1], [8, 8, 16, 16, 16, 32]),
        # The row of good steps breaks; bad steps are counted on.
        ([1, 1, 0, 1, 1, 1], [8, 8, 8, 8, 8, 16]),
        ([0, 1, 0, 0, 0], [8, 8, 4, 4, 2]),
        ([0] * 10, [8, 4, 4, 2, 2, 1, 1, 1, 1, 1]),
    ],
)
def test_a_scale_follows_the_steps(finite, want):
    manager = mixed.ExponentialUpdateLossScaleManager(8, 3, 2, 2, 0.5)
    assert scales(manager, [bool(f) for f in finite]) == want


def test_a_scale_stays_finite():
    manager = mixed.ExponentialUpdateLossScaleManager(2.0**127, 1)
    assert scales(manager, [True, True]) == [2.0**127] * 2


def test_small_gradients_survive_in_float16():
    v = tf.get_variable("v", initializer=np.float32(0.0))
    half = tf.cast(v, tf.float16)
    # 1e-8 is 0 in float16.
    loss = tf.cast(half, tf.float32) * 1e-8
    opt = mixed.LossScaleOptimizer(SGD(1.0), mixed.FixedLossScaleManager(2.0**10))
    ((scaled, _),) = opt.compute_gradients(lambda: loss)
    ((plain, _),) = SGD(1.0).compute_gradients(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        scaled, plain = session.run([scaled, plain])
    assert plain == 0
    np.testing.assert_allclose(scaled, 1e-8, rtol=1e-2)


def test_steps_with_infinite_gradients_are_left_out():
    step = tf.train.create_global_step()
    v = tf.get_variable("v", initializer=1.0)
    factor = tf.placeholder(tf.float32, [])
    manager = mixed.ExponentialUpdateLossScaleManager(4.0, 2, 1, decr_ratio=0.5)
    train = mixed.LossScaleOptimizer(SGD(0.1), manager).minimize(factor * v, step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {factor: 2.0})
        session.run(train, {factor: np.inf})
        found = session.run([v, step, manager.get_loss_scale()])
    np.testing.assert_allclose(found, [0.8, 1, 2.0], rtol=1e-6)
    with pytest.raises(ValueError, match="Optimizer"):
        mixed.LossScaleOptimizer("adam", manager)
