# SPDX-License-Identifier: Apache-2.0
"""Early stopping, evaluations in memory, features that are kept, gradients that are clipped."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.estimator.python.estimator import early_stopping

pytestmark = pytest.mark.usefixtures("fresh_graph")

contrib = tf.contrib.estimator
X = np.linspace(-1, 1, 20).astype(np.float32)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(({"x": X, "id": np.arange(20)}, 3 * X))
    return data.batch(20).repeat(200)


def once():
    return tf.data.Dataset.from_tensor_slices(({"x": X, "id": np.arange(20)}, 3 * X)).batch(5)  # fmt: skip


def model_fn(features, labels, mode):
    y = features["x"] * tf.get_variable("a", initializer=0.0)
    if mode == "infer":
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": y})}
        return tf.estimator.EstimatorSpec(mode, {"y": y}, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, y)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())  # fmt: skip
    return tf.estimator.EstimatorSpec(mode, y, loss, train)


def made(folder, **options):
    return tf.estimator.Estimator(model_fn, str(folder), tf.estimator.RunConfig(**options))  # fmt: skip


def write(folder, losses):
    writer = tf.summary.FileWriter(str(folder))
    for step, loss in losses.items():
        value = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=loss)])
        writer.add_summary(value, step)
    writer.close()


@pytest.mark.parametrize(
    ("kind", "number", "losses", "stops"),
    [
        ("no_decrease", 20, {0: 5.0, 10: 3.0, 20: 4.0}, False),
        ("no_decrease", 20, {0: 5.0, 10: 3.0, 20: 4.0, 30: 3.0}, True),
        ("no_increase", 10, {0: 5.0, 10: 3.0}, True),
        ("no_increase", 20, {0: 5.0, 10: 3.0}, False),
        ("higher", 4.0, {0: 5.0, 10: 3.0}, False),
        ("higher", 4.0, {5: 5.0, 10: 3.0}, True),
        ("lower", 4.0, {5: 5.0, 10: 3.0}, True),
        ("lower", 4.0, {0: 3.0}, False),
    ],
)
def test_a_training_stops_by_its_evaluations(tmp_path, kind, number, losses, stops):
    estimator = made(tmp_path)
    write(tmp_path / "eval", losses)
    least = 5 if kind in ("higher", "lower") else 0
    hook = getattr(contrib, f"stop_if_{kind}_hook")(estimator, "loss", number, min_steps=least, run_every_secs=None, run_every_steps=1)  # fmt: skip
    estimator.train(input_fn, hooks=[hook], steps=6)
    assert (estimator.get_variable_value("global_step") < 6) == stops


def test_metrics_of_a_folder(tmp_path):
    estimator = made(tmp_path)
    estimator.train(input_fn, steps=3)
    found = estimator.evaluate(once)
    kept = contrib.read_eval_metrics(estimator.eval_dir())
    np.testing.assert_allclose(kept[3]["loss"], found["loss"], rtol=1e-6)
    assert contrib.read_eval_metrics(str(tmp_path / "none")) == {}
    with pytest.raises(ValueError, match="Exactly one"):
        contrib.make_early_stopping_hook(estimator, lambda: True, 60, 10)
    with pytest.raises(TypeError, match="callable"):
        contrib.make_early_stopping_hook(estimator, True)


def test_evaluations_in_memory(tmp_path):
    estimator = made(tmp_path, save_checkpoints_steps=None, save_checkpoints_secs=None)
    hook = contrib.InMemoryEvaluatorHook(estimator, once, name="mem", every_n_iter=4)
    estimator.train(input_fn, hooks=[hook], steps=8)
    kept = contrib.read_eval_metrics(str(tmp_path / "eval_mem"))
    assert set(kept) >= {0, 8} and len(kept) >= 3
    mean = (X**2).mean()
    a, wanted = 0.0, {0: 9 * mean}
    for step in range(1, 9):
        a += 0.1 * 2 * (3 - a) * mean
        wanted[step] = (3 - a) ** 2 * mean
    for step, metrics in kept.items():
        np.testing.assert_allclose(metrics["loss"], wanted[step], rtol=1e-4)
    for options in ({"every_n_iter": 0}, {"steps": 0}, {"hooks": [hook]}):
        with pytest.raises(ValueError):
            contrib.InMemoryEvaluatorHook(estimator, once, **options)


def test_features_are_kept(tmp_path):
    estimator = made(tmp_path)
    estimator.train(input_fn, steps=1)
    kept = contrib.forward_features(estimator, "id")
    found = list(kept.predict(once))
    assert [p["id"] for p in found] == list(range(20)) and set(found[0]) == {"y", "id"}
    every = next(contrib.forward_features(estimator).predict(once))
    assert set(every) == {"x", "y", "id"}

    def serving():
        holders = {"x": tf.placeholder(tf.float32, [None]), "id": tf.placeholder(tf.int64, [None])}  # fmt: skip
        return tf.estimator.export.ServingInputReceiver(holders, holders)

    folder = kept.export_savedmodel(str(tmp_path / "out"), serving)
    predict = tf.contrib.predictor.from_saved_model(folder)
    assert predict({"x": [1.0], "id": [7]})["id"].tolist() == [7]
    with pytest.raises(ValueError, match="not in features"):
        next(contrib.forward_features(estimator, "no").predict(once))
    with pytest.raises(TypeError, match="string"):
        contrib.forward_features(estimator, [1])


def test_sparse_features_are_kept_with_a_default(tmp_path):
    def sparse():
        words = tf.SparseTensor([[0, 0], [1, 1]], ["a", "b"], [2, 2])
        return {"x": tf.zeros([2]), "w": words}

    estimator = made(tmp_path)
    estimator.train(input_fn, steps=1)
    kept = contrib.forward_features(estimator, ["w"], {"w": "-"})
    predictions = kept.predict(sparse)
    assert [next(predictions)["w"].tolist() for _ in range(2)] == [[b"a", b"-"], [b"-", b"b"]]  # fmt: skip
    with pytest.raises(ValueError, match="sparse_default_values"):
        next(contrib.forward_features(estimator, ["w"]).predict(sparse))


def test_gradients_are_clipped_together():
    a, b = tf.get_variable("a", initializer=0.0), tf.get_variable("b", initializer=0.0)
    optimizer = contrib.clip_gradients_by_norm(tf.train.MomentumOptimizer(1.0, 0.0), 1.0)  # fmt: skip
    train = optimizer.minimize(3.0 * a + 4.0 * b)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run([a, b]), [-0.6, -0.8], rtol=1e-6)
    assert optimizer.get_slot_names() == ["momentum"] and len(optimizer.variables()) == 2  # fmt: skip


def test_a_worker_ends_when_the_chiefs_checkpoint_is_there(tmp_path, monkeypatch):
    estimator = made(tmp_path)
    chief = contrib.make_stop_at_checkpoint_step_hook(estimator, 3)
    assert isinstance(chief, tf.train.StopAtStepHook)
    monkeypatch.setattr(type(estimator.config), "is_chief", False)
    hook = contrib.make_stop_at_checkpoint_step_hook(estimator, 3, 0.01)
    step = tf.train.get_or_create_global_step()
    saver = tf.train.Saver([step])
    count = step.assign_add(1)
    waits = []

    def wait(seconds):
        """The chief saves while the worker waits for the second time."""
        waits.append(seconds)
        if len(waits) == 2:
            with tf.Session() as session:
                session.run(step.initializer)
                step.load(3, session)
                saver.save(session, str(tmp_path / "model.ckpt"), 3)

    monkeypatch.setattr(early_stopping.time, "sleep", wait)
    seen = []
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        while not session.should_stop():
            seen.append(int(session.run(count)))
    assert seen == [1, 2, 3] and waits == [0.01, 0.01]
    with pytest.raises(ValueError, match="last_step must be specified"):
        contrib.make_stop_at_checkpoint_step_hook(estimator, None)
