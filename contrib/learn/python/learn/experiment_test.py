# SPDX-License-Identifier: Apache-2.0
"""Experiments by each schedule, exports, monitors that stop early, loops over a graph."""

import json
import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.learn.python.learn.utils import (
    input_fn_utils,
    saved_model_export_utils,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

learn, layers = tf.contrib.learn, tf.contrib.layers
RNG = np.random.RandomState(0)
X = RNG.randn(60, 2).astype(np.float32)
Y = (X @ [2.0, -1.0] + 0.5).astype(np.float32)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(30)
    return data.make_one_shot_iterator().get_next()


def linear(features, labels, mode):
    head = learn.regression_head()
    logits, _, _ = layers.weighted_sum_from_feature_columns(features, [layers.real_valued_column("x", 2)], 1)  # fmt: skip

    def train(loss):
        return layers.optimize_loss(loss, tf.train.get_global_step(), 0.3, "SGD")

    return head.create_model_fn_ops(features, mode, labels, train, logits=logits)


def core_linear(features, labels, mode):
    y = tf.layers.dense(features["x"], 1)[:, 0]
    if mode == "infer":
        return tf.estimator.EstimatorSpec(mode, y, export_outputs={"serving_default": tf.estimator.export.PredictOutput({"y": y})})  # fmt: skip
    loss = tf.losses.mean_squared_error(labels, y)
    step = tf.train.GradientDescentOptimizer(0.3).minimize(loss, tf.train.get_global_step())  # fmt: skip
    return tf.estimator.EstimatorSpec(mode, y, loss, step)


def config(folder, every=10):
    return learn.RunConfig(model_dir=str(folder), tf_random_seed=1, save_checkpoints_secs=None, save_checkpoints_steps=every)  # fmt: skip


def estimator(folder, core=False, every=10):
    kind = tf.estimator.Estimator if core else learn.Estimator
    return kind(core_linear if core else linear, config=config(folder, every))


def experiment(made, **options):
    given = {"train_steps": 40, "eval_steps": 2, "eval_delay_secs": 0, **options}
    return learn.Experiment(made, input_fn, input_fn, **given)


class Counts(tf.train.SessionRunHook):
    def __init__(self):
        self.sessions = self.runs = 0

    def begin(self):
        self.sessions += 1

    def after_run(self, context, values):
        self.runs += 1


@pytest.mark.parametrize("core", [False, True])
def test_training_with_evaluations_between(tmp_path, core):
    trained, measured = Counts(), Counts()
    made = experiment(
        estimator(tmp_path, core), train_monitors=[trained], eval_hooks=[measured]
    )
    result, exports = made.train_and_evaluate()
    assert exports == [] and result["global_step"] == 40 and result["loss"] < 0.01
    assert trained.runs == 40
    # One after each new checkpoint (of steps 1, 11, 21 and 31), and one at the end.
    assert 4 <= measured.sessions <= 6 and measured.runs == 2 * measured.sessions
    assert (tmp_path / "eval_one_pass").exists()
    never = experiment(made.estimator, train_steps=50, min_eval_frequency=0, eval_hooks=[measured])  # fmt: skip
    before = measured.sessions
    assert never.local_run()[0]["global_step"] == 50
    assert measured.sessions == before + 1


def test_parts_one_by_one(tmp_path):
    extra = Counts()
    spec = learn.MetricSpec(tf.contrib.metrics.streaming_mean_absolute_error)
    made = experiment(estimator(tmp_path), eval_metrics={"off": spec})
    assert made.train_steps == 40 and made.eval_steps == 2 and "off" in made.eval_metrics  # fmt: skip
    made.extend_train_hooks([extra])
    assert made.train() is made.estimator and extra.runs == 40
    found = made.evaluate(name="mine")
    assert found["off"] < 0.1 and (tmp_path / "eval_mine").exists()
    # Checkpoints after the last step end these.
    made.continuous_eval()
    made.continuous_eval_on_train_data()
    assert (tmp_path / "eval_continuous_on_train_data").exists()


def test_training_and_evaluation_in_turn(tmp_path):
    seen = []

    def goes_on(result):
        seen.append(result and int(result["global_step"]))
        return True

    made = experiment(estimator(tmp_path), train_steps=25, train_steps_per_iteration=10)
    result, _ = made.continuous_train_and_eval(goes_on)
    assert seen == [None, 10, 20, 25] and result["global_step"] == 25
    stopped = experiment(made.estimator, train_steps=99)
    assert stopped.continuous_train_and_eval(lambda result: False)[0]["global_step"] == 25  # fmt: skip
    assert made.test()["global_step"] == 25
    with pytest.raises(ValueError, match="train_steps"):
        experiment(made.estimator, train_steps=None).continuous_train_and_eval()


def serving():
    return tf.estimator.export.ServingInputReceiver(*[{"x": tf.placeholder(tf.float32, [None, 2], "x")}] * 2)  # fmt: skip


@pytest.mark.parametrize("core", [False, True])
def test_exports_after_evaluation(tmp_path, core):
    spec = {"x": tf.FixedLenFeature([2], tf.float32)}
    fn = serving if core else learn.build_parsing_serving_input_fn(spec)
    strategy = learn.make_export_strategy(fn, exports_to_keep=1)
    made = experiment(estimator(tmp_path, core), export_strategies=strategy)
    _, (folder,) = made.train_and_evaluate()
    assert os.path.dirname(folder).decode() == str(tmp_path / "export" / "Servo")
    assert made.reset_export_strategies() == [strategy]
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = loaded.signature_def["serving_default"]
        (given,), (got,) = signature.inputs.values(), signature.outputs.values()
        fed = X[:3]
        if not core:
            assert signature.method_name == "tensorflow/serving/regress"
            fed = []
            for row in X[:3]:
                example = tf.train.Example()
                example.features.feature["x"].float_list.value.extend(row)
                fed.append(example.SerializeToString())
        found = session.run(got.name, {given.name: fed})
    np.testing.assert_allclose(np.ravel(found), Y[:3], atol=0.1)


def test_only_the_newest_exports_stay(tmp_path):
    for name in ("5", "11", "7", "temp-3"):
        (tmp_path / name).mkdir()
    saved_model_export_utils.garbage_collect_exports(str(tmp_path), 2)
    assert sorted(os.listdir(tmp_path)) == ["11", "7", "temp-3"]


def test_raw_features_make_a_signature_for_prediction(tmp_path):
    made = estimator(tmp_path)
    made.fit(input_fn=input_fn, steps=5)
    fn = input_fn_utils.build_default_serving_input_fn({"x": tf.zeros([1, 2])})
    folder = made.export_savedmodel(str(tmp_path / "out"), fn, assets_extra={"a.txt": __file__})  # fmt: skip
    assert os.path.exists(os.path.join(folder, b"assets.extra", b"a.txt"))
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = loaded.signature_def["serving_default"]
        assert signature.method_name == "tensorflow/serving/predict"
        assert signature.inputs["x"].tensor_shape.dim[0].size == -1
    with pytest.raises(ValueError, match="default_output_alternative"):
        made.export_savedmodel(str(tmp_path / "out"), fn, "nothing")
    with pytest.raises(ValueError, match="find trained model"):
        estimator(tmp_path / "empty").export_savedmodel(str(tmp_path), fn)


def test_strategies_give_what_a_function_takes():
    calls = []

    def plain(estimator, path):
        calls.append((estimator, path))

    def full(estimator, path, checkpoint_path=None, eval_result=None):
        calls.append((checkpoint_path, eval_result))
        return "there"

    learn.ExportStrategy("a", plain).export("e", "p", "c", {"loss": 1})
    assert learn.ExportStrategy("b", full).export("e", "p", "c", {"loss": 1}) == "there"
    assert calls == [("e", "p"), ("c", {"loss": 1})]


def test_runner(tmp_path, monkeypatch):
    run = learn.learn_runner.run

    def make(run_config, hparams):
        assert hparams == {"a": 1}
        return experiment(learn.Estimator(linear, config=run_config), train_steps=5)

    result, _ = run(make, run_config=config(tmp_path), hparams={"a": 1})
    assert result["global_step"] == 5
    made = run(lambda output_dir: experiment(estimator(output_dir), train_steps=7), str(tmp_path), "train")  # fmt: skip
    assert made.get_variable_value("global_step") == 7
    for options, kind, text in (
        ({"schedule": "fly", "output_dir": "x"}, ValueError, "non-existent task fly"),
        ({"schedule": "eval_steps", "output_dir": "x"}, TypeError, "non-callable"),
        ({}, ValueError, "output directory"),
        ({"hparams": 1}, ValueError, "run_config when hparams"),
    ):
        with pytest.raises(kind, match=text):
            run(lambda output_dir: experiment(estimator(tmp_path)), **options)
    with pytest.raises(TypeError, match="not return an Experiment"):
        run(lambda output_dir: None, "x")
    cluster = {"ps": ["a:1"], "master": ["b:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "ps", "index": 0}}))  # fmt: skip
    served = []
    monkeypatch.setattr(learn.Experiment, "run_std_server", lambda self: served.append(self))  # fmt: skip
    one = experiment(estimator(tmp_path))
    run(lambda output_dir: one, "x")
    assert served == [one]


def test_wrong_experiments():
    with pytest.raises(ValueError, match="must be an Estimator"):
        learn.Experiment("model", input_fn, input_fn)
    with pytest.raises(ValueError, match="eval_metric_ops"):
        experiment(tf.estimator.Estimator(core_linear), eval_metrics={"a": 1})
    with pytest.raises(ValueError, match="start server"):
        experiment(learn.Estimator(linear)).run_std_server()


def test_a_monitor_stops_early(tmp_path):
    made = estimator(tmp_path, every=5)
    monitor = learn.monitors.ValidationMonitor(input_fn=input_fn, eval_steps=2, every_n_steps=5, early_stopping_rounds=10)  # fmt: skip
    made.fit(input_fn=input_fn, steps=400, monitors=[monitor])
    # The loss of a line is exact at some step, and no better after that.
    assert monitor.early_stopped and monitor.best_value < 1e-3
    assert monitor.best_metrics["loss"] == monitor.best_value
    assert made.get_variable_value("global_step") < 400
    with pytest.raises(ValueError, match="Either x and y or input_fn"):
        learn.monitors.ValidationMonitor()
    with pytest.raises(ValueError, match="set_estimator"):
        learn.monitors.ValidationMonitor(X, Y).begin()


def test_loops_over_a_graph(tmp_path):
    step = tf.train.create_global_step()
    v = tf.get_variable("v", initializer=0.0)
    fed = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.assign_add(v, fed)]):
        train_op = tf.assign_add(step, 1)
    loss = v + 0.0
    mean, update = tf.metrics.mean(v * fed)
    graph = tf.get_default_graph()
    got = learn.train(graph, str(tmp_path), train_op, loss, steps=3, feed_fn=lambda: {fed: 2.0})  # fmt: skip
    assert got in (4.0, 6.0)
    path = tf.train.latest_checkpoint(str(tmp_path))
    assert tf.train.load_variable(path, "v") == 6 and path.endswith("-3")
    learn.train(graph, str(tmp_path), train_op, loss, max_steps=5, feed_fn=lambda: {fed: 2.0})  # fmt: skip
    path = tf.train.latest_checkpoint(str(tmp_path))
    found, at = learn.evaluate(graph, str(tmp_path / "eval"), path, {"mean": mean}, update, max_steps=2, feed_fn=lambda: {fed: 3.0})  # fmt: skip
    assert found == {"mean": 30} and at == 5
    assert (tmp_path / "eval").exists()
    found, _ = learn.evaluate(graph, None, path, {"v": v}, max_steps=1)
    assert found == {"v": 10}
    for options, text in (({"steps": 1, "max_steps": 1}, "both"), ({"train_op": None}, "train_op")):  # fmt: skip
        given = {"train_op": train_op, **options}
        with pytest.raises(ValueError, match=text):
            learn.train(graph, str(tmp_path), loss_op=loss, **given)
