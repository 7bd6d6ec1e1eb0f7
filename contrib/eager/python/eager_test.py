# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.eager in graphs: functions with effects, metrics, arrays for Python functions, savers."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

tfe = tf.contrib.eager


def test_graphs_only():
    assert not tfe.executing_eagerly() and not tfe.in_eager_mode()
    assert any("CPU:0" in name for name in tfe.list_devices()) and tfe.num_gpus() == 0
    for name in ("enable_eager_execution", "GradientTape"):
        assert not hasattr(tfe, name)


def test_effects_happen_in_the_order_of_the_program():
    v = tfe.Variable(1.0)

    @tfe.defun
    def step(x):
        tf.assign_add(v, x)
        seen = v + 0.0
        tf.assign(v, seen * 10.0)
        return {"seen": seen}

    done = step(tf.constant(2.0))["seen"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for want in (3.0, 32.0, 322.0):
            assert session.run(done) == want
            assert session.run(v) == want * 10


def test_functions_without_a_result_are_operations():
    v = tfe.Variable(1.0)

    @tfe.defun
    def update():
        v.assign(5.0)

    update = update()
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(update)
        assert session.run(v) == 5


def test_signatures():
    double = tfe.defun(lambda x: x * 2, input_signature=[tfe.TensorSpec([None, 2], tf.float32)])  # fmt: skip
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(double([[1, 2]])), [[2, 4]])
    with pytest.raises(ValueError, match="not compatible"):
        double([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="takes as many arguments"):
        double()


def test_effects_of_branches_stay_there():
    v = tfe.Variable(0.0)
    pred = tf.placeholder(tf.bool, [])

    @tfe.defun
    def maybe():
        return tf.cond(pred, lambda: v.assign_add(1.0), lambda: v.assign_add(10.0))

    result = maybe()
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result, {pred: True}) == 1
        assert session.run(result, {pred: False}) == 11


def test_python_functions_get_values():
    def f(x, n):
        assert isinstance(x.numpy(), np.ndarray) and n.numpy() == 3
        return x * np.float32(n.numpy())

    y = tfe.py_func(f, [tf.constant([1.0, 2.0]), tf.constant(3)], tf.float32)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y), [3, 6])


def counted(metric, *batches, **weights):
    """The value after batches, which are fed."""
    holders = [tf.placeholder(np.asarray(a).dtype, np.shape(a)) for a in batches[0]]
    update = metric(*holders, **weights)
    result = metric.result()
    with tf.Session() as session:
        session.run(metric.init_variables())
        for batch in batches:
            session.run(update, dict(zip(holders, batch, strict=True)))
        value = session.run(result)
        session.run(metric.init_variables())
        assert session.run(metric.variables) == [0, 0]
    return value


def test_means():
    assert counted(tfe.metrics.Mean(), [[1.0, 2.0]], [[6.0, 7.0]]) == 4
    weights = tf.constant([3.0, 1.0])
    assert counted(tfe.metrics.Mean("m"), [[1.0, 2.0]], [[5.0, 6.0]], weights=weights) == 3.25  # fmt: skip
    assert [v.op.name for v in tf.local_variables()] == ["Mean/numer", "Mean/denom", "m/numer", "m/denom"]  # fmt: skip
    assert not tf.global_variables()
    with pytest.raises(RuntimeError, match="must be called"):
        tfe.metrics.Mean().init_variables()


def test_accuracies():
    m = tfe.metrics
    rows = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    assert counted(m.Accuracy(), [[1, 2, 3], [1, 0, 3]], [[1, 1, 1], [0, 0, 0]]) == 2 / 6  # fmt: skip
    assert counted(m.CategoricalAccuracy(), [np.array([[0, 1], [0, 1], [0, 1]]), rows]) == 2 / 3  # fmt: skip
    assert counted(m.SparseAccuracy(), [[1, 0, 0], rows]) == 2 / 3
    assert counted(m.BinaryAccuracy(0.75), [[1, 1, 0, 0], [0.9, 0.7, 0.8, 0.1]]) == 0.5
    with tf.Session() as session, pytest.raises((tf.errors.InvalidArgumentError, ValueError)):  # fmt: skip
        session.run(m.Accuracy()([1, 2], [1]))


def test_own_metrics():
    class Most(tfe.metrics.Metric):
        def build(self, values):
            self.most = self.add_variable(
                "most", (), tf.float32, tf.zeros_initializer()
            )

        def call(self, values):
            self.most.assign(tf.maximum(self.most, tf.reduce_max(values)))
            return values

        def result(self):
            return self.most.read_value()

    metric = Most()
    x = tf.placeholder(tf.float32, [2])
    update, result = metric(x), metric.value()
    with tf.Session() as session:
        session.run(metric.init_variables())
        session.run(update, {x: [3.0, 9.0]})
        session.run(update, {x: [4.0, 1.0]})
        assert session.run(result) == 9
    with pytest.raises(RuntimeError, match="except in build"):
        metric.add_variable("late")


def test_savers_use_the_default_session(tmp_path):
    v = tfe.Variable(1.0, name="v")
    saver = tfe.Saver({"w": v})
    with tf.Session() as session:
        v.load(4.0, session)
        path = saver.save(str(tmp_path / "m"), global_step=3)
        v.load(0.0, session)
        saver.restore(path)
        assert session.run(v) == 4
    assert tf.train.load_variable(path, "w") == 4
    with pytest.raises(ValueError, match="default session"):
        saver.restore(path)


def test_stores_of_variables():
    store = tfe.EagerVariableStore()
    for _ in range(2):
        with store.as_default():
            tf.layers.batch_normalization(tf.layers.dense(tf.zeros([1, 2]), 3, name="d"), name="b")  # fmt: skip
    assert len(store.variables()) == 6
    assert [v.op.name for v in store.non_trainable_variables()] == ["b/moving_mean", "b/moving_variance"]  # fmt: skip
    adam = tf.train.AdamOptimizer()
    adam.minimize(tf.reduce_sum(store.trainable_variables()[0] ** 2))
    assert len(tfe.get_optimizer_variables(adam)) == 4
