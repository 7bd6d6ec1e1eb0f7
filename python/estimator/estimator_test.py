# SPDX-License-Identifier: Apache-2.0
"""Estimators compute what the same model in plain operations does, go on where they ended, and export."""

import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.util import event_pb2
from tensorwright.python.lib.io import tf_record

X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(-1, 1)
Y = 3 * X + 1
RATE = 0.1


def input_fn():
    """Always the whole batch."""
    return {"x": tf.constant(X)}, tf.constant(Y)


def once():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(8)


def model_fn(features, labels, mode, params):
    predictions = tf.layers.dense(
        features["x"], 1, kernel_initializer=tf.zeros_initializer(), name="line"
    )
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"serving_default": tf.estimator.export.PredictOutput(predictions)}
        return tf.estimator.EstimatorSpec(
            mode, {"y": predictions, "twice": 2 * predictions}, export_outputs=outputs
        )
    loss = tf.losses.mean_squared_error(labels, predictions)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    return tf.estimator.EstimatorSpec(
        mode,
        predictions,
        loss,
        optimizer.minimize(loss, tf.train.get_global_step()),
        {"error": tf.metrics.mean_absolute_error(labels, predictions)},
    )


def line(folder, **kwargs):
    return tf.estimator.Estimator(
        model_fn, str(folder), params={"rate": RATE}, **kwargs
    )


def by_hand(steps):
    """The kernel and the bias after steps of gradient descent from zero."""
    w = b = 0.0
    for _ in range(steps):
        off = w * X + b - Y
        w, b = w - RATE * 2 * np.mean(off * X), b - RATE * 2 * np.mean(off)
    return w, b


def values(estimator):
    return [
        float(np.squeeze(estimator.get_variable_value(name)))
        for name in ("line/kernel", "line/bias")
    ]


def test_training_is_gradient_descent(tmp_path):
    estimator = line(tmp_path).train(input_fn, steps=7)
    np.testing.assert_allclose(values(estimator), by_hand(7), rtol=1e-5)


def test_a_second_estimator_goes_on_from_the_folder(tmp_path):
    line(tmp_path).train(input_fn, steps=3)
    estimator = line(tmp_path).train(input_fn, max_steps=8)
    np.testing.assert_allclose(values(estimator), by_hand(8), rtol=1e-5)
    # Nothing is left to do, and nothing is done.
    before = estimator.latest_checkpoint()
    assert estimator.train(input_fn, max_steps=8).latest_checkpoint() == before


def test_evaluate_is_the_mean_over_batches_and_writes_summaries(tmp_path):
    estimator = line(tmp_path).train(input_fn, steps=5)
    found = estimator.evaluate(once, name="held_out")
    w, b = by_hand(5)
    off = w * X + b - Y
    np.testing.assert_allclose(found["loss"], np.mean(off**2), rtol=1e-5)
    np.testing.assert_allclose(found["error"], np.mean(np.abs(off)), rtol=1e-5)
    assert found["global_step"] == 5
    two = estimator.evaluate(once, steps=2)
    np.testing.assert_allclose(two["loss"], np.mean(off[:16] ** 2), rtol=1e-5)
    assert summaries(tmp_path / "eval_held_out") == {
        "loss": [(5, pytest.approx(float(found["loss"])))],
        "error": [(5, pytest.approx(float(found["error"])))],
    }


def summaries(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if "tfevents" not in name:
            continue
        for record in tf_record.tf_record_iterator(str(folder / name)):
            event = event_pb2.Event.FromString(record)
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    one = (event.step, value.simple_value)
                    found.setdefault(value.tag, []).append(one)
    return found


def test_training_writes_the_loss_and_keeps_so_many_checkpoints(tmp_path):
    config = tf.estimator.RunConfig(
        save_summary_steps=2, save_checkpoints_steps=2, keep_checkpoint_max=2
    )
    estimator = line(tmp_path, config=config).train(input_fn, steps=6)
    losses = summaries(tmp_path)["loss"]
    assert [step for step, _ in losses] == [1, 3, 5]
    np.testing.assert_allclose(losses[0][1], np.mean(Y**2), rtol=1e-5)
    state = tf.train.get_checkpoint_state(estimator.model_dir)
    assert [p.rpartition("-")[2] for p in state.all_model_checkpoint_paths] == ["4", "6"]  # fmt: skip


def test_hooks_and_listeners_are_called(tmp_path):
    seen = []

    class Hook(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append("step")

    class Listener(tf.train.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            seen.append(global_step_value)

    line(tmp_path).train(input_fn, [Hook()], steps=2, saving_listeners=[Listener()])
    assert seen == [0, "step", "step", 2]
    with pytest.raises(TypeError, match="All hooks must be SessionRunHook instances"):
        line(tmp_path).train(input_fn, hooks=["hook"], steps=1)


def test_predict(tmp_path):
    estimator = line(tmp_path).train(input_fn, steps=4)
    w, b = by_hand(4)
    found = list(estimator.predict(once))
    assert len(found) == 32 and set(found[0]) == {"y", "twice"}
    np.testing.assert_allclose([p["y"] for p in found], w * X + b, rtol=1e-5)
    batches = list(
        estimator.predict(once, predict_keys=["twice"], yield_single_examples=False)
    )
    assert [b["twice"].shape for b in batches] == [(8, 1)] * 4
    with pytest.raises(ValueError, match="Expected to run at least one output from"):
        next(estimator.predict(once, predict_keys=["nosuch"]))


def test_warm_start(tmp_path):
    trained = line(tmp_path / "first").train(input_fn, steps=9)
    started = line(tmp_path / "second", warm_start_from=trained.model_dir)
    started.train(input_fn, steps=1)
    np.testing.assert_allclose(values(started), by_hand(10), rtol=1e-5)
    some = tf.estimator.WarmStartSettings(trained.model_dir, vars_to_warm_start=".*bias")  # fmt: skip
    started = line(tmp_path / "third", warm_start_from=some).train(input_fn, steps=1)
    w, b = 0.0, by_hand(9)[1]
    off = w * X + b - Y
    expected = [-RATE * 2 * np.mean(off * X), b - RATE * 2 * np.mean(off)]
    np.testing.assert_allclose(values(started), expected, rtol=1e-5)


def test_export_and_serve(tmp_path):
    estimator = line(tmp_path / "model").train(input_fn, steps=4)
    extra = tmp_path / "notes.txt"
    extra.write_text("notes")
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn
    with tf.Graph().as_default():
        receiver_fn = receiver({"x": tf.placeholder(tf.float32, [None, 1], name="x")})
    folder = estimator.export_savedmodel(
        str(tmp_path / "out"), receiver_fn, {"deep/notes.txt": str(extra)}
    )
    folder = folder.decode()
    with open(os.path.join(folder, "assets.extra", "deep", "notes.txt")) as file:
        assert file.read() == "notes"
    w, b = by_hand(4)
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        found = session.run(
            signature.outputs["output"].name, {signature.inputs["x"].name: [[2.0]]}
        )
    np.testing.assert_allclose(found, [[w * 2 + b]], rtol=1e-5)
    with pytest.raises(ValueError, match="serving_input_receiver_fn must be defined"):
        estimator.export_savedmodel(str(tmp_path), None)
    with pytest.raises(ValueError, match="Couldn't find trained model"):
        line(tmp_path / "new").export_savedmodel(str(tmp_path), receiver_fn)


def test_seed_makes_runs_equal(tmp_path):
    def noisy(features, labels, mode):
        loss = tf.reduce_mean(tf.random_normal([3])) + tf.get_variable("v", [])
        step = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    found = []
    for name in "ab":
        config = tf.estimator.RunConfig(tf_random_seed=4)
        estimator = tf.estimator.Estimator(noisy, str(tmp_path / name), config)
        estimator.train(input_fn, steps=1)
        found.append(estimator.get_variable_value("v"))
    assert found[0] == found[1]


def test_input_functions_take_what_they_name(tmp_path):
    seen = {}

    def asks(mode, params, config):
        seen.update(mode=mode, params=params, folder=config.model_dir)
        return input_fn()

    line(tmp_path).train(asks, steps=1)
    assert seen == {"mode": "train", "params": {"rate": RATE}, "folder": str(tmp_path)}


def test_constructor_refuses(tmp_path):
    make = tf.estimator.Estimator
    for text, error, call in (
        ("model_fn must be provided", ValueError, lambda: make(None)),
        ("must include features", ValueError, lambda: make(lambda mode: None)),
        (
            "does not include params argument",
            ValueError,
            lambda: make(lambda features, mode: None, params={"a": 1}),
        ),
        (
            "not expected args: .'nosuch'",
            ValueError,
            lambda: make(lambda features, nosuch: None),
        ),
        (
            "config must be an instance of",
            ValueError,
            lambda: make(lambda features: None, config={}),
        ),
        (
            "set both in constructor and",
            ValueError,
            lambda: line(tmp_path, config=tf.estimator.RunConfig(model_dir="/other")),
        ),
    ):
        with pytest.raises(error, match=text):
            call()

    class Overrides(tf.estimator.Estimator):
        def train(self, input_fn):
            pass

    with pytest.raises(ValueError, match="cannot override members of Estimator"):
        Overrides(model_fn)


def test_methods_refuse(tmp_path):
    estimator = line(tmp_path)
    with pytest.raises(ValueError, match="both steps and max_steps"):
        estimator.train(input_fn, steps=1, max_steps=1)
    for name in ("steps", "max_steps"):
        with pytest.raises(ValueError, match=f"Must specify {name} > 0"):
            estimator.train(input_fn, **{name: 0})
    with pytest.raises(ValueError, match="Must specify steps > 0"):
        estimator.evaluate(input_fn, steps=0)
    with pytest.raises(ValueError, match="Could not find trained model in model_dir"):
        estimator.get_variable_names()
    with pytest.raises(ValueError, match="len 2 tuple"):
        estimator.train(lambda: (1, 2, 3), steps=1)

    def own_loss(features, labels, mode):
        loss = tf.constant(1.0)
        metrics = {"loss": tf.metrics.mean(loss)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)

    with pytest.raises(ValueError, match='Metric with name "loss" is not allowed'):
        tf.estimator.Estimator(own_loss, str(tmp_path)).evaluate(input_fn, steps=1)
    with pytest.raises(ValueError, match="model_fn should return an EstimatorSpec"):
        tf.estimator.Estimator(lambda features, labels: None).train(input_fn, steps=1)
    with pytest.raises(ValueError, match="does not take labels"):
        tf.estimator.Estimator(lambda features: None).train(input_fn, steps=1)


def test_add_metrics(tmp_path):
    trained = line(tmp_path).train(input_fn, steps=2)
    more = tf.estimator.add_metrics(
        trained,
        lambda predictions: {"most": tf.metrics.mean(tf.reduce_max(predictions))},
    )
    w, b = by_hand(2)
    found = more.evaluate(input_fn, steps=1)
    np.testing.assert_allclose(found["most"], np.max(w * X + b), rtol=1e-5)
    assert "error" in found
