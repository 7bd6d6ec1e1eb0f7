# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.opt: steps against NumPy, and minima."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

opt = tf.contrib.opt
SGD = tf.train.GradientDescentOptimizer


def steps(train, fetches, count=1):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(count):
            session.run(train)
        return session.run(fetches)


def adam(x, grads, nesterov):
    m = v = 0.0
    for t, g in enumerate(grads, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        ahead = 0.9 * m + 0.1 * g if nesterov else m
        x = x - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * ahead / (np.sqrt(v) + 1e-8)
    return x


@pytest.mark.parametrize("nesterov", [True, False])
def test_adam_and_its_variants(nesterov):
    kind = opt.NadamOptimizer if nesterov else opt.LazyAdamOptimizer
    dense, table = tf.Variable([1.0, 2.0]), tf.Variable(np.ones([3, 2], np.float32))
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 1.0]]), tf.constant([0, 2]), tf.constant([3, 2]))  # fmt: skip
    train = kind(0.1).apply_gradients(
        [(tf.constant([0.5, -2.0]), dense), (rows, table)]
    )
    dense, table = steps(train, [dense, table], 3)
    g = np.array([0.5, -2.0])
    np.testing.assert_allclose(dense, adam(np.array([1.0, 2.0]), [g] * 3, nesterov), rtol=1e-5)  # fmt: skip
    np.testing.assert_allclose(table[0], adam(np.ones(2), [np.array([1.0, 2.0])] * 3, nesterov), rtol=1e-5)  # fmt: skip
    np.testing.assert_array_equal(table[1], [1, 1])


def test_averages_are_saved_in_the_place_of_variables(tmp_path):
    v = tf.Variable(1.0, name="v")
    moving = opt.MovingAverageOptimizer(SGD(1.0), average_decay=0.5)
    with pytest.raises(RuntimeError):
        moving.swapping_saver()
    train = moving.apply_gradients([(tf.constant(-2.0), v)])
    saver = moving.swapping_saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        path = saver.save(session, str(tmp_path / "model"))
        assert session.run(v) == 3
    assert tf.train.load_variable(path, "v") == 2
    assert tf.train.load_variable(path, "v/ExponentialMovingAverage") == 3


def test_norms_stay_below_a_bound():
    v, table = tf.Variable([[3.0, 4.0], [0.0, 1.0]]), tf.Variable([[3.0, 4.0], [9.0, 9.0]])  # fmt: skip
    clip = opt.VariableClippingOptimizer(SGD(0.0), {v: [1], table: [1]}, 2.0, colocate_clip_ops_with_vars=True)  # fmt: skip
    rows = tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([0]), tf.constant([2, 2]))
    train = clip.apply_gradients([(tf.zeros([2, 2]), v), (rows, table)])
    v, table = steps(train, [v, table])
    np.testing.assert_allclose(v, [[1.2, 1.6], [0, 1]], rtol=1e-6)
    np.testing.assert_allclose(table, [[1.2, 1.6], [9, 9]], rtol=1e-6)


def test_stale_gradients_are_left_out():
    step = tf.train.create_global_step()
    v = tf.Variable(1.0)
    drop = opt.DropStaleGradientOptimizer(tf.train.MomentumOptimizer(0.5, 0.9), staleness=0)  # fmt: skip
    grads = drop.compute_gradients(v * 2.0)
    # Another worker's step in between.
    others = tf.placeholder_with_default(np.int64(0), [])
    with tf.control_dependencies([drop._local_step]):
        moved = tf.assign_add(step, others)
    with tf.control_dependencies([moved]):
        grads = [(tf.identity(g), w) for g, w in grads]
    train = drop.apply_gradients(grads, global_step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(train) == 0 and session.run([v, step]) == [0, 1]
        assert session.run(train, {others: 5}) == 1
        assert session.run([v, step]) == [0, 6]
    with pytest.raises(ValueError):
        drop.apply_gradients(grads)


def test_delays_are_compensated():
    v = tf.Variable(1.0)
    sgd = opt.DelayCompensatedGradientDescentOptimizer(0.5, 0.1, num_workers=2)
    first = sgd.apply_gradients([(tf.constant(2.0), v)], worker_index=0)
    second = sgd.apply_gradients([(tf.constant(2.0), v)], worker_index=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(first)
        assert session.run(v) == 0
        session.run(second)
        np.testing.assert_allclose(session.run(v), -0.5 * (2 + 0.1 * 4 * -1), rtol=1e-6)
    with pytest.raises(ValueError, match="worker"):
        sgd.minimize(v * v, worker_index=2)
    with pytest.raises(ValueError):
        opt.DelayCompensatedGradientDescentOptimizer(0.5, 0.1, 0)


def minimum(loss, *variables, **options):
    scipy = opt.ScipyOptimizerInterface(loss, **options)
    seen = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        scipy.minimize(session, loss_callback=lambda *found: seen.append(found))
        assert seen
        return session.run(list(variables))


def test_minima():
    x, y = tf.Variable([7.0, 9.0]), tf.Variable(3.0)
    loss = tf.reduce_sum((x - [1.0, 2.0]) ** 2) + (y + 1) ** 2
    found = minimum(loss, x, y, options={"maxiter": 50})
    np.testing.assert_allclose(found[0], [1, 2], atol=1e-4)
    np.testing.assert_allclose(found[1], -1, atol=1e-4)
    (bounded,) = minimum(loss, x, var_to_bounds={x: (1.5, np.inf)})
    np.testing.assert_allclose(bounded, [1.5, 2], atol=1e-4)


def test_minima_under_constraints():
    x = tf.Variable([3.0, 4.0])
    loss = tf.reduce_sum(x**2)
    (found,) = minimum(loss, x, equalities=[x[0] - 1.0], inequalities=[x[1] - 2.0], method="SLSQP")  # fmt: skip
    np.testing.assert_allclose(found, [1, 2], atol=1e-4)


def test_other_optimizers_are_subclasses():
    class Newton(opt.ExternalOptimizerInterface):
        def _minimize(self, initial_val, loss_grad_func, **unused):
            _, gradient = loss_grad_func(initial_val)
            return initial_val - gradient / 2

    v = tf.Variable([5.0, 6.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        Newton(tf.reduce_sum((v - 1) ** 2)).minimize(session)
        assert session.run(v).tolist() == [1, 1]
    with pytest.raises(NotImplementedError), tf.Session() as session:
        session.run(tf.global_variables_initializer())
        opt.ExternalOptimizerInterface(tf.reduce_sum(v)).minimize(session)
