# SPDX-License-Identifier: Apache-2.0
"""Models for TPUs on a CPU: estimators, optimizers, loops, bfloat16."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

tpu = tf.contrib.tpu
X = np.random.RandomState(0).randn(64, 2).astype(np.float32)
Y = X @ np.array([[2.0], [-1.0]], np.float32)


def input_fn(params):
    data = tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat(20)
    return data.batch(params["batch_size"])


def model_fn(features, labels, mode, params):
    y = tf.layers.dense(features["x"], 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tpu.TPUEstimatorSpec(mode, {"y": y, "size": tf.fill([tf.shape(y)[0]], params["batch_size"])})  # fmt: skip
    loss = tf.losses.mean_squared_error(labels, y)
    optimizer = tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(params["rate"]))  # fmt: skip
    step = tf.train.get_global_step()
    calls = tf.get_variable("calls", initializer=0, trainable=False)

    def metrics(labels, y):
        return {"off": tf.metrics.mean_absolute_error(labels, y)}

    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, step),
        eval_metrics=(metrics, {"labels": labels, "y": y}),
        host_call=(lambda by: tf.assign_add(calls, by), [tf.constant(3)]),
        scaffold_fn=lambda: tf.train.Scaffold(),
    )


def estimator(folder, **options):
    config = tpu.RunConfig(tpu.TPUConfig(iterations_per_loop=5), model_dir=str(folder), tf_random_seed=1)  # fmt: skip
    given = {"train_batch_size": 16, "eval_batch_size": 8, "predict_batch_size": 4, **options}  # fmt: skip
    return tpu.TPUEstimator(model_fn, config=config, params={"rate": 0.2}, use_tpu=False, **given)  # fmt: skip


def test_an_estimator_learns(tmp_path):
    made = estimator(tmp_path)
    assert made.config.tpu_config.iterations_per_loop == 5
    made.train(input_fn, max_steps=60)
    # The host call runs with each step.
    assert made.get_variable_value("calls") == 180
    found = made.evaluate(input_fn, steps=8)
    assert found["global_step"] == 60 and found["loss"] < 1e-4 and found["off"] < 0.05
    predictions = made.predict(lambda params: tf.data.Dataset.from_tensors({"x": X[:4]}))  # fmt: skip
    predictions = list(predictions)
    np.testing.assert_allclose([p["y"] for p in predictions], Y[:4], atol=0.05)
    assert predictions[0]["size"] == 4


def test_plain_functions_serve_too(tmp_path):
    def plain(features, labels, mode, params):
        assert "batch_size" not in params
        loss = tf.reduce_sum(features["x"] * 0.0)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(tf.train.get_global_step(), 1))  # fmt: skip

    config = tpu.RunConfig(model_dir=str(tmp_path))
    made = tpu.TPUEstimator(plain, config=config, use_tpu=False)
    made.train(lambda: ({"x": tf.zeros([1])}, tf.zeros([1])), steps=2)
    assert made.get_variable_value("global_step") == 2


def test_wrong_estimators(tmp_path):
    config = tpu.RunConfig(model_dir=str(tmp_path))
    for options, text in (
        ({"config": config}, "there is no TPU"),
        ({"config": tf.estimator.RunConfig(), "use_tpu": False}, "must be provided"),
        ({"config": config, "use_tpu": False, "params": {"batch_size": 1}}, "reserved"),
    ):
        with pytest.raises(ValueError, match=text):
            tpu.TPUEstimator(model_fn, **options)
    with pytest.raises(ValueError, match="tuple or list"):
        tpu.TPUEstimatorSpec("eval", loss=1.0, eval_metrics=3)
    with pytest.raises(ValueError, match="should be a function"):
        tpu.TPUEstimatorSpec("eval", loss=1.0, host_call=(3, []))
    with pytest.raises(TypeError, match="SessionRunHook"):
        tpu.TPUEstimatorSpec("train", training_hooks=[3])
    assert not hasattr(tpu, "rewrite")


def test_settings():
    config = tpu.TPUConfig(num_shards=8, per_host_input_for_training=False)
    assert config.per_host_input_for_training == tpu.InputPipelineConfig.PER_SHARD_V1
    run = tpu.RunConfig(config, master="grpc://a:1", save_checkpoints_steps=7)
    assert run.master == run.evaluation_master == "grpc://a:1"
    assert run.tpu_config.num_shards == 8 and run.save_checkpoints_steps == 7
    other = run.replace(tpu_config=tpu.TPUConfig(9), model_dir="/tmp/x")
    assert (other.tpu_config.iterations_per_loop, other.model_dir) == (9, "/tmp/x")
    cluster = tf.contrib.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["b:1"]}), master="b:1")  # fmt: skip
    found = tpu.RunConfig(cluster=cluster)
    assert found.master == "b:1" and found.cluster is cluster
    with pytest.raises(ValueError, match="both cluster and master"):
        tpu.RunConfig(cluster=cluster, master="x")
    for options, text in (
        ({"iterations_per_loop": 0}, "iterations_per_loop"),
        ({"num_shards": -1}, "num_shards"),
        ({"num_cores_per_replica": 3}, "1, 2, 4, 8, or 16"),
    ):
        with pytest.raises(ValueError, match=text):
            tpu.TPUConfig(**options)


def test_gradients_of_one_shard():
    v = tf.get_variable("v", initializer=3.0)
    table = tf.get_variable("t", initializer=np.ones([2, 1], np.float32))
    loss = v * 2.0 + tf.reduce_sum(tf.gather(table, [1]))
    adam = tpu.CrossShardOptimizer(tf.train.MomentumOptimizer(0.5, 0.9))
    train = adam.minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        found = session.run([v, table, adam.get_slot(v, "momentum")])
        assert session.run(tpu.cross_replica_sum(v)) == found[0]
    assert found[0] == 2 and found[2] == 2
    assert found[1].tolist() == [[1], [0.5]]
    assert adam.get_slot_names() == ["momentum"] and len(adam.variables()) == 2
    with pytest.raises(ValueError, match="reduction"):
        tpu.CrossShardOptimizer(adam, reduction="none")


def test_loops():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    times = tf.placeholder(tf.int32, [])
    doubled = tpu.repeat(times, lambda x, y: (x * 2.0, y + 1), [1.0, 5])
    steps = tpu.repeat(3, lambda: tf.group(v.assign_add(1.0)))
    (halved,) = tpu.while_loop(lambda x: x > 1.0, lambda x: x / 2.0, [20.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(doubled, {times: 4}) == [16, 9]
        session.run(steps)
        assert session.run(v) == 4
        assert session.run(halved) == 0.625
    with pytest.raises(ValueError, match="as many tensors"):
        tpu.while_loop(lambda x: x > 1.0, lambda x: (x, x), [20.0])


def test_variables_of_bfloat16_are_kept_as_float32():
    with tpu.bfloat16_scope():
        y = tf.layers.dense(tf.ones([1, 2], tf.bfloat16), 3, name="d")
        other = tf.get_variable("f", [2])
    assert y.dtype == tf.bfloat16 and other.dtype.base_dtype == tf.float32
    assert [(v.op.name, v.dtype.base_dtype) for v in tf.trainable_variables()] == [
        ("d/kernel", tf.float32), ("d/bias", tf.float32), ("f", tf.float32)
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.cast(y, tf.float32)).shape == (1, 3)
