# SPDX-License-Identifier: Apache-2.0
"""tf.mixed_precision: how scales change, and that steps are those of the optimizer without them."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

mp = tf.mixed_precision


def test_a_fixed_scale_stays():
    scale = mp.FixedLossScale(8)
    update, applies = scale.update([tf.constant(np.nan)])
    assert applies is True
    with tf.Session() as session:
        assert session.run(scale()) == 8
        session.run(update)
    assert scale.get_config() == {"loss_scale_value": 8.0}
    assert mp.FixedLossScale.from_config({"loss_scale_value": 3.0})._value == 3
    assert repr(scale) == "FixedLossScale(8.0)" and not tf.global_variables()


_GOOD, _NAN, _INFINITE = [1.0, 2.0], [np.nan, 1.0], [1.0, -np.inf]


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [
        # Gradients, the scale after them.
        (
            {"increment_period": 2},
            [(_GOOD, 2**15), (_GOOD, 2**16), (_NAN, 2**15), (_GOOD, 2**15)]
            + [(_INFINITE, 2**14), (_GOOD, 2**14), (_GOOD, 2**15)],
        ),
        (
            {"initial_loss_scale": 6, "increment_period": 1, "multiplier": 3},
            [(_NAN, 2), (_NAN, 1), (_NAN, 1), (_GOOD, 3), (_GOOD, 9)],
        ),
        (
            {"initial_loss_scale": 2.0**127, "increment_period": 1},
            [(_GOOD, 2.0**127), (_GOOD, 2.0**127), (_NAN, 2.0**126)],
        ),
    ],
)
def test_a_dynamic_scale_follows_the_gradients(arguments, steps):
    scale = mp.DynamicLossScale(**arguments)
    fed = tf.placeholder(tf.float32, [2])
    slices = tf.IndexedSlices(fed, tf.constant([0, 1]))
    update, applies = scale.update([None, tf.ones([3, 1]), slices])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for grads, expected in steps:
            applied, _ = session.run([applies, update], {fed: grads})
            assert applied == (grads is _GOOD)
            assert session.run(scale()) == expected


def test_a_dynamic_scale_tells_its_arguments():
    scale = mp.DynamicLossScale(4, 5, 3)
    config = {"initial_loss_scale": 4.0, "increment_period": 5, "multiplier": 3.0}
    assert scale.get_config() == config
    assert mp.DynamicLossScale.from_config(config).get_config() == config
    assert (scale.initial_loss_scale, scale.increment_period) == (4, 5)
    assert scale.multiplier == 3 and "multiplier=3.0" in repr(scale)
    names = [v.name for v in tf.global_variables()[:2]]
    assert names == ["current_loss_scale:0", "good_steps:0"]
    assert not tf.trainable_variables()


@pytest.mark.parametrize("loss_scale", [16.0, "dynamic", mp.FixedLossScale(2)])
@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.train.GradientDescentOptimizer(0.1),
        lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        lambda: tf.train.AdamOptimizer(0.1),
    ],
)
def test_steps_are_those_without_a_scale(make, loss_scale):
    def build(optimizer):
        dense = tf.Variable([1.0, -2.0])
        table = tf.Variable([[1.0], [2.0], [3.0]])
        unused = tf.Variable(1.0)
        rows = tf.gather(table, [0, 2, 2])
        loss = tf.reduce_sum(tf.square(dense)) + tf.reduce_sum(rows * rows)
        step = tf.Variable(0, trainable=False)
        train = optimizer.minimize(
            loss, var_list=[dense, table, unused], global_step=step
        )
        return train, [dense, table, unused, step]

    plain, expected = build(make())
    scaled, got = build(mp.MixedPrecisionLossScaleOptimizer(make(), loss_scale))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run([plain, scaled])
            values = session.run([expected, got])
            for a, b in zip(*values, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6)
        assert values[1][-1] == 3


def test_gradients_are_of_the_loss_itself_and_do_not_vanish_in_float16():
    x = tf.Variable([1.0])
    small = tf.cast(x, tf.float16) * np.float16(2.0**-14)
    loss = tf.reduce_sum(tf.cast(small * np.float16(2.0**-14), tf.float32))
    make = tf.train.GradientDescentOptimizer
    ((plain, _),) = make(1.0).compute_gradients(loss)
    scaled = mp.MixedPrecisionLossScaleOptimizer(make(1.0), 2.0**12)
    ((grad, variable),) = scaled.compute_gradients(loss)
    assert variable is x
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(plain) == [0]
        assert session.run(grad) == [2.0**-28]


def test_a_step_that_is_not_finite_is_left_out():
    x, factor = tf.Variable(1.0), tf.placeholder(tf.float32, [])
    optimizer = mp.MixedPrecisionLossScaleOptimizer(
        tf.train.MomentumOptimizer(0.5, 0.5), "dynamic"
    )
    step = tf.train.get_or_create_global_step()
    train = optimizer.minimize(x * factor, global_step=step)
    slot = optimizer.get_slot(x, "momentum")
    assert optimizer.get_slot_names() == ["momentum"]
    scale, good_steps = optimizer.variables()[1:]
    assert optimizer.variables()[0] is slot and optimizer.get_name() == "Momentum"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {factor: 1.0})
        for bad in (np.inf, np.nan):
            session.run(train, {factor: bad})
        values = session.run([x, slot, step, scale, good_steps])
    assert values == [0.5, 1.0, 1, 2**13, 0]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: mp.FixedLossScale(0.5), "at least 1, got 0.5"),
        (lambda: mp.FixedLossScale(np.nan), "at least 1"),
        (lambda: mp.FixedLossScale("1"), "int or a float"),
        (lambda: mp.MixedPrecisionLossScaleOptimizer(1, 2.0), "Optimizer, got int"),
        (
            lambda: mp.MixedPrecisionLossScaleOptimizer(
                tf.train.AdamOptimizer(), "static"
            ),
            "got 'static'",
        ),
        (
            lambda: mp.MixedPrecisionLossScaleOptimizer(tf.train.AdamOptimizer(), None),
            "got None",
        ),
    ],
)
def test_mistakes_are_value_errors(build, words):
    with pytest.raises(ValueError, match=words):
        build()


def test_asking_for_mixed_precision_scales_losses():
    v = tf.get_variable("v", initializer=[1.0, -2.0])
    loss = tf.reduce_sum(v * v)
    plain = tf.train.GradientDescentOptimizer(0.1)
    opt = mp.enable_mixed_precision_graph_rewrite(plain, loss_scale=8.0)
    assert isinstance(opt, mp.MixedPrecisionLossScaleOptimizer)
    step = opt.minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run(v), [0.8, -1.6], rtol=1e-6)
    with pytest.raises(ValueError, match="must not already be an instance"):
        mp.enable_mixed_precision_graph_rewrite(opt)
    with pytest.raises(ValueError, match='"opt" must be an instance of a tf.train.Opt'):
        mp.enable_mixed_precision_graph_rewrite("sgd")
    mp.disable_mixed_precision_graph_rewrite()
