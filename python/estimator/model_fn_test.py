# SPDX-License-Identifier: Apache-2.0
"""EstimatorSpec and RunConfig explain wrong arguments."""

import json

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

TRAIN, EVAL, PREDICT = "train", "eval", "infer"
make = tf.estimator.EstimatorSpec


def test_what_each_mode_needs():
    loss = tf.constant(1.0)
    assert make(TRAIN, loss=loss, train_op=tf.no_op()).loss is loss
    assert make(EVAL, loss=loss).predictions == {}
    assert make(PREDICT, predictions=loss).loss is None
    for mode, kwargs, text in (
        (TRAIN, {"loss": loss}, "Missing train_op"),
        (TRAIN, {"train_op": tf.no_op()}, "Missing loss"),
        (EVAL, {}, "Missing loss"),
        (PREDICT, {}, "Missing predictions"),
    ):
        with pytest.raises(ValueError, match=text):
            make(mode, **kwargs)


def test_a_loss_of_one_element_becomes_a_scalar():
    assert make(EVAL, loss=tf.constant([[1.0]])).loss.shape.as_list() == []
    with pytest.raises(ValueError, match="Loss must be scalar"):
        make(EVAL, loss=tf.constant([1.0, 2.0]))


def test_what_is_of_another_kind_or_graph():
    loss = tf.constant(1.0)
    for kwargs, error, text in (
        ({"loss": 1.0}, TypeError, "loss must be Tensor"),
        ({"predictions": {"a": 1}}, TypeError, r"predictions\[a\] must be Tensor"),
        ({"train_op": "op"}, TypeError, "train_op must be Operation or Tensor"),
        ({"eval_metric_ops": [1]}, TypeError, "eval_metric_ops must be a dict"),
        ({"eval_metric_ops": {"a": loss}}, TypeError, "must be .metric_value, update_op"),
        ({"training_hooks": [1]}, TypeError, "must be SessionRunHook instances"),
        ({"scaffold": 1}, TypeError, "scaffold must be tf.train.Scaffold"),
        ({"export_outputs": [1]}, TypeError, "export_outputs must be dict"),
        ({"export_outputs": {"a": 1}}, TypeError, "must be ExportOutput objects"),
    ):  # fmt: skip
        with pytest.raises(error, match=text):
            make(EVAL, **{"loss": loss, **kwargs})
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must be from the default graph"):
            make(EVAL, loss=loss)


def test_export_outputs_have_a_default():
    out = tf.estimator.export.PredictOutput(tf.constant(1.0))
    spec = make(PREDICT, tf.constant(1.0), export_outputs={"a": out})
    assert spec.export_outputs == {"a": out, "serving_default": out}
    with pytest.raises(ValueError, match="none of them is specified as the default"):
        make(PREDICT, tf.constant(1.0), export_outputs={"a": out, "b": out})


def test_outputs_refuse_other_tensors():
    export = tf.estimator.export
    for call, text in (
        (lambda: export.RegressionOutput(tf.constant("a")), "float32 Tensor"),
        (lambda: export.ClassificationOutput(), "At least one of scores and classes"),
        (lambda: export.ClassificationOutput(classes=tf.constant(1)), "string Tensor"),
        (lambda: export.PredictOutput({1: tf.constant(1)}), "key must be a string"),
        (lambda: export.PredictOutput({"a": 1}), "value must be a Tensor"),
        (lambda: export.ServingInputReceiver(None, {}), "features must be defined"),
        (
            lambda: export.ServingInputReceiver({"a": 1}, {}),
            "feature a must be a Tensor",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_run_config_defaults_and_replace():
    config = tf.estimator.RunConfig()
    assert (config.task_type, config.task_id, config.is_chief) == ("worker", 0, True)
    assert (config.save_checkpoints_secs, config.save_checkpoints_steps) == (600, None)
    changed = config.replace(save_checkpoints_steps=5, model_dir="/m")
    assert (changed.save_checkpoints_secs, changed.save_checkpoints_steps) == (None, 5)
    assert (changed.model_dir, config.model_dir) == ("/m", None)
    with pytest.raises(ValueError, match="Replacing master is not supported"):
        config.replace(master="m")
    with pytest.raises(ValueError, match="cannot be both set"):
        config.replace(save_checkpoints_steps=5, save_checkpoints_secs=5)
    for name in ("save_summary_steps", "keep_checkpoint_max", "log_step_count_steps"):
        with pytest.raises(ValueError, match=f"{name} should be >= 0"):
            tf.estimator.RunConfig(**{name: -1})
    with pytest.raises(ValueError, match="must be instance of ConfigProto"):
        tf.estimator.RunConfig(session_config={})


def test_run_config_reads_the_cluster(monkeypatch):
    cluster = {"chief": ["h0:1"], "worker": ["h1:1", "h2:1"], "ps": ["h3:1"]}

    def task(kind, index):
        environment = {"cluster": cluster, "task": {"type": kind, "index": index}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(environment))
        return tf.estimator.RunConfig()

    worker = task("worker", 1)
    assert worker.master == "grpc://h2:1" and not worker.is_chief
    assert (worker.num_worker_replicas, worker.num_ps_replicas) == (3, 1)
    assert worker.global_id_in_cluster == 2
    assert task("chief", 0).is_chief
    evaluator = task("evaluator", 0)
    assert evaluator.master == "" and evaluator.num_worker_replicas == 0
    with pytest.raises(ValueError, match="not a valid task_id"):
        task("worker", 2)
    with pytest.raises(ValueError, match="not a valid task_type"):
        task("gpu", 0)
