# SPDX-License-Identifier: Apache-2.0
"""train_and_evaluate evaluates and exports at checkpoints, and at the end."""

import json
import os

import numpy as np
import pytest

import tensorwright as tf

est = tf.estimator
X = np.linspace(-1, 1, 16, dtype=np.float32)
COLUMNS = [tf.feature_column.numeric_column("x")]


def input_fn():
    return {"x": tf.constant(X)}, tf.constant(3 * X)


def model(folder, every=5):
    config = est.RunConfig(save_checkpoints_steps=every)
    return est.LinearRegressor(COLUMNS, str(folder), config=config)


def receiver():
    spec = tf.feature_column.make_parse_example_spec(COLUMNS)
    return est.export.build_parsing_serving_input_receiver_fn(spec)()


class Recorder(est.Exporter):
    """Records the arguments of its calls."""

    name = "recorder"

    def __init__(self):
        self.calls = []

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        assert checkpoint_path.endswith(f"-{eval_result['global_step']}")
        assert export_path == os.path.join(estimator.model_dir, "export", "recorder")
        self.calls.append((int(eval_result["global_step"]), is_the_final_export))
        return f"made {self.calls[-1][0]}"


def test_each_checkpoint_is_evaluated_and_the_last_is_final(tmp_path):
    recorder = Recorder()
    result, made = est.train_and_evaluate(
        model(tmp_path),
        est.TrainSpec(input_fn, max_steps=12),
        est.EvalSpec(input_fn, steps=1, throttle_secs=0, exporters=recorder),
    )
    assert recorder.calls == [(5, False), (10, False), (12, True)]
    assert result["global_step"] == 12 and made == ["made 12"]


def test_throttled_evaluation_is_at_the_end_alone(tmp_path):
    recorder = Recorder()
    est.train_and_evaluate(
        model(tmp_path),
        est.TrainSpec(input_fn, max_steps=12),
        est.EvalSpec(input_fn, steps=1, throttle_secs=600, exporters=[recorder]),
    )
    assert recorder.calls == [(12, True)]


def test_training_that_ends_with_its_input_is_final_too(tmp_path):
    recorder = Recorder()
    dataset = lambda: tf.data.Dataset.from_tensors(({"x": X}, 3 * X)).repeat(10)  # noqa: E731
    est.train_and_evaluate(
        model(tmp_path),
        est.TrainSpec(dataset),
        est.EvalSpec(input_fn, steps=1, throttle_secs=0, exporters=recorder),
    )
    assert recorder.calls[-1] == (10, True)
    assert [step for step, _ in recorder.calls[:2]] == [5, 10]


def exports(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def test_final_and_latest_exporters(tmp_path):
    trained = model(tmp_path).train(input_fn, steps=2)
    path, result = trained.latest_checkpoint(), {"loss": 1.0, "global_step": 2}
    final = est.FinalExporter("final", receiver)
    folder = str(tmp_path / "final")
    assert final.export(trained, folder, path, result, False) is None
    made = final.export(trained, folder, path, result, True)
    assert exports(folder) == [os.path.basename(made.decode())]
    latest = est.LatestExporter("latest", receiver, exports_to_keep=1)
    folder = str(tmp_path / "latest")
    for _ in range(2):
        made = latest.export(trained, folder, path, result, False)
        assert exports(folder) == [os.path.basename(made.decode())]


def test_the_best_exporter_remembers_the_best(tmp_path):
    trained = model(tmp_path).train(input_fn, steps=2)
    path, folder = trained.latest_checkpoint(), str(tmp_path / "best")
    best = est.BestExporter("best", receiver, exports_to_keep=None)

    def export(loss, exporter=best):
        result = {"loss": loss, "global_step": 2}
        return exporter.export(trained, folder, path, result, False) is not None

    assert [export(loss) for loss in (3.0, 4.0, 2.0, 2.0)] == [True, False, True, False]
    # Another process reads what earlier evaluations wrote.
    writer = tf.summary.FileWriter(str(tmp_path / "eval"))
    writer.add_summary(
        tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=1.5)]), 1
    )
    writer.close()
    later = est.BestExporter("best", receiver, exports_to_keep=None)
    assert not export(1.9, later)
    assert export(1.4, later)
    with pytest.raises(ValueError, match="best_eval_result cannot be empty"):
        best.export(trained, folder, path, {"accuracy": 1.0}, False)


def test_an_evaluator_evaluates_what_is_there(tmp_path, monkeypatch):
    model(tmp_path).train(input_fn, max_steps=12)
    task = {"task": {"type": "evaluator", "index": 0}}
    cluster = {"cluster": {"chief": ["h0:1"], "worker": ["h1:1"]}}
    monkeypatch.setenv("TF_CONFIG", json.dumps({**task, **cluster}))
    recorder = Recorder()
    spec = est.EvalSpec(input_fn, steps=1, exporters=recorder, start_delay_secs=0)
    train = est.TrainSpec(input_fn, max_steps=12)
    assert est.train_and_evaluate(model(tmp_path), train, spec) is None
    assert recorder.calls == [(12, True)]


def test_specs_refuse():
    for call, error, text in (
        (lambda: est.TrainSpec(1), TypeError, "`input_fn` must be callable"),
        (lambda: est.TrainSpec(lambda a: a), ValueError, "unexpected arguments: .'a'"),
        (lambda: est.TrainSpec(input_fn, 0), ValueError, "Must specify max_steps > 0"),
        (lambda: est.TrainSpec(input_fn, hooks=[1]), TypeError, "All hooks must be"),
        (lambda: est.EvalSpec(input_fn, 0), ValueError, "Must specify steps > 0"),
        (lambda: est.EvalSpec(input_fn, name=1), TypeError, "`name` must be string"),
        (
            lambda: est.EvalSpec(input_fn, throttle_secs=-1),
            ValueError,
            "Must specify throttle_secs >= 0",
        ),
        (
            lambda: est.EvalSpec(input_fn, exporters=[Recorder(), Recorder()]),
            ValueError,
            "must have unique names",
        ),
        (lambda: est.train_and_evaluate(1, 2, 3), TypeError, "`estimator` must have"),
        (
            lambda: est.LatestExporter("a", receiver, exports_to_keep=0),
            ValueError,
            "must be a positive number",
        ),
        (lambda: est.FinalExporter("", receiver), ValueError, "argument is required"),
    ):
        with pytest.raises(error, match=text):
            call()
