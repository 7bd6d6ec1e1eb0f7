# SPDX-License-Identifier: Apache-2.0
"""Optimizers' steps on scaled gradients: the same numbers with and without fusion."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.client.plan_testutil import make_config, ops_of, run_with_plan

OPTIMIZERS = {
    "ApplyGradientDescent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "ApplyMomentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "ApplyAdam": lambda: tf.train.AdamOptimizer(0.1),
    "ApplyAdagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "ApplyRMSProp": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
}
PLAIN = make_config(disable_meta_optimizer=True)


def _train(make_optimizer, config, dtype, use_locking=False):
    """Variables after five clipped steps, and the ops of the plan."""
    rng = np.random.default_rng(1)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        # More elements than one piece, an odd number, a scalar.
        values = [rng.standard_normal(n).astype(dtype) for n in ((41, 61), (3,), ())]
        variables = [tf.Variable(v) for v in values]
        targets = [tf.constant(rng.standard_normal(v.shape), dtype) for v in values]
        loss = tf.add_n(
            [tf.reduce_sum(tf.exp(v * t)) for v, t in zip(variables, targets)]
        )
        grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
        step = make_optimizer().apply_gradients(zip(grads, variables))
        session.run(tf.global_variables_initializer())
        _, nodes = run_with_plan(session, step)
        for _ in range(4):
            session.run(step)
        return session.run(variables), ops_of(nodes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_clipped_steps_are_those_of_the_plain_graph(name, dtype):
    fused, fused_ops = _train(OPTIMIZERS[name], None, dtype)
    plain, plain_ops = _train(OPTIMIZERS[name], PLAIN, dtype)
    assert fused_ops.count("_FusedUpdate") >= 2 and name in plain_ops
    for a, b in zip(fused, plain):
        np.testing.assert_allclose(a, b, rtol=2e-5 if dtype == np.float32 else 1e-12)


def test_an_uninitialized_variable_is_named():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(3, np.float32), name="never_set")
        scale = tf.placeholder(tf.float32, [])
        grad = tf.placeholder(tf.float32, [3])
        step = tf.train.GradientDescentOptimizer(0.1).apply_gradients(
            [(grad * scale, v)]
        )
        with pytest.raises(tf.errors.FailedPreconditionError, match="never_set"):
            session.run(step, {scale: 1.0, grad: np.ones(3)})


def test_a_gradient_of_another_shape_is_the_step_s_error():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(3, np.float32))
        grad = tf.placeholder(tf.float32)
        step = tf.train.GradientDescentOptimizer(0.1).apply_gradients(
            [(grad * tf.placeholder_with_default(2.0, []), v)], name="update"
        )
        session.run(tf.global_variables_initializer())
        session.run(step, {grad: np.ones(3)})
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            session.run(step, {grad: np.ones(4)})
        assert "ApplyGradientDescent" in str(error.value)
        np.testing.assert_allclose(session.run(v), np.full(3, -0.2), rtol=1e-6)
