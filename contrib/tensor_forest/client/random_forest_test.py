# SPDX-License-Identifier: Apache-2.0
"""Estimators of forests, their hooks and metrics."""

import types

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.decision_trees.proto.generic_tree_model_pb2 import Model
from tensorwright.contrib.learn.python.learn.metric_spec import MetricSpec
from tensorwright.contrib.tensor_forest.client import eval_metrics, random_forest
from tensorwright.contrib.tensor_forest.python import tensor_forest

pytestmark = pytest.mark.usefixtures("fresh_graph")

RNG = np.random.RandomState(0)
X = RNG.uniform(-1, 1, [600, 4]).astype(np.float32)
Y = np.digitize(X[:, 2], [-0.3, 0.4]).astype(np.int32)


def hparams(**others):
    given = {"num_classes": 3, "num_features": 4, "num_trees": 4, "max_nodes": 60}
    given |= {"split_after_samples": 40, "base_random_seed": 1, **others}
    return tensor_forest.ForestHParams(**given)


def input_of(features, labels):
    def input_fn():
        data = tf.data.Dataset.from_tensor_slices((features, labels))
        return data.repeat().batch(100).make_one_shot_iterator().get_next()

    return input_fn


def test_an_estimator_learns_classes(tmp_path):
    forest = random_forest.TensorForestEstimator(hparams(), model_dir=str(tmp_path))
    forest.fit(x=X, y=Y, steps=40, batch_size=100)
    metric = {
        "right": MetricSpec(
            eval_metrics.get_metric("accuracy"),
            prediction_key=eval_metrics.get_prediction_key("accuracy"),
        )
    }
    found = forest.evaluate(x=X, y=Y, steps=1, metrics=metric)
    assert found["accuracy"] > 0.9
    np.testing.assert_allclose(found["right"], found["accuracy"], rtol=1e-6)
    rows = list(forest.predict(x=X))
    classes = np.array([r["classes"] for r in rows])
    chances = np.array([r["probabilities"] for r in rows])
    assert np.mean(classes == Y) > 0.9
    np.testing.assert_array_equal(chances.argmax(1), classes)
    np.testing.assert_allclose(chances.sum(1), 1, rtol=1e-5)


def test_training_goes_on_from_the_checkpoint(tmp_path):
    sizes = []
    for _ in range(2):
        forest = random_forest.TensorForestEstimator(hparams(), model_dir=str(tmp_path))
        forest.fit(input_fn=input_of({"a": X}, Y), steps=5)
        latest = tf.train.latest_checkpoint(str(tmp_path))
        tree = tf.train.NewCheckpointReader(latest).get_tensor("tree-0:0")
        sizes.append(len(Model.FromString(tree).decision_tree.nodes))
    assert forest.get_variable_value("global_step") == 10
    assert sizes[1] > sizes[0]


def test_an_estimator_of_tf_estimator_learns_two_classes(tmp_path):
    labels = (Y > 0).astype(np.int32)
    forest = random_forest.CoreTensorForestEstimator(
        hparams(num_classes=2), model_dir=str(tmp_path)
    )
    forest.train(input_of({"a": X[:, :1], "b": X[:, 1:]}, labels), steps=40)
    found = forest.evaluate(input_of({"a": X[:, :1], "b": X[:, 1:]}, labels), steps=6)
    assert found["accuracy"] > 0.9
    assert found["auc"] > 0.95
    once = tf.data.Dataset.from_tensor_slices
    rows = list(forest.predict(lambda: once({"a": X[:, :1], "b": X[:, 1:]}).batch(200)))
    assert np.mean([r["classes"] == y for r, y in zip(rows, labels, strict=True)]) > 0.9


def test_an_estimator_of_numbers_tells_its_variance(tmp_path):
    params = hparams(num_classes=1, regression=True)
    forest = random_forest.TensorForestEstimator(
        params,
        model_dir=str(tmp_path),
        graph_builder_class=tensor_forest.TrainingLossForest,
    )
    target = np.where(X[:, 2:3] > 0, 2, -1).astype(np.float32)
    forest.fit(x=X, y=target, steps=40, batch_size=100)
    rows = list(forest.predict(x=X))
    found = np.array([r["scores"] for r in rows]).ravel()
    assert np.mean((found - target.ravel()) ** 2) < 0.3
    variance = np.array([r[random_forest.VARIANCE_PREDICTION_KEY] for r in rows])
    assert variance.max() > 0


def test_keys_and_paths_are_passed_through(tmp_path):
    forest = random_forest.TensorForestEstimator(
        hparams(inference_tree_paths=True), model_dir=str(tmp_path), keys_name="keys"
    )
    features = {"a": X, "keys": np.arange(600)}
    forest.fit(input_fn=input_of(features, Y), steps=2)

    def once():
        data = tf.data.Dataset.from_tensor_slices(features).batch(200)
        return data.make_one_shot_iterator().get_next()

    rows = list(forest.predict(input_fn=once))
    assert [r["keys"] for r in rows] == list(range(600))
    assert rows[0][random_forest.TREE_PATHS_PREDICTION_KEY].shape == (4,)


def test_examples_of_weight_0_teach_nothing(tmp_path):
    weights = (Y > 0).astype(np.float32)
    forest = random_forest.TensorForestEstimator(
        hparams(), model_dir=str(tmp_path), weights_name="w"
    )
    forest.fit(input_fn=input_of({"a": X, "w": weights}, Y), steps=30)
    rows = list(forest.predict(x={"a": X, "w": weights}))
    chances = np.array([r["probabilities"] for r in rows])
    assert chances[:, 0].max() < 1e-4


def test_training_ends_when_trees_do_not_grow(tmp_path):
    forest = random_forest.TensorForestEstimator(
        hparams(max_nodes=3), model_dir=str(tmp_path), early_stopping_rounds=5
    )
    forest.fit(x=X, y=Y, steps=500, batch_size=100)
    assert 5 < forest.get_variable_value("global_step") < 100


def test_a_hook_of_ones_own_finds_the_loss_by_its_name(tmp_path):
    forest = random_forest.TensorForestEstimator(
        hparams(max_nodes=3), model_dir=str(tmp_path), early_stopping_rounds=None
    )
    hook = random_forest.TensorForestLossHook(5)
    forest.fit(x=X, y=Y, steps=500, batch_size=100, monitors=[hook])
    assert 5 < forest.get_variable_value("global_step") < 100
    assert hook.min_loss == -3


def test_columns_are_made_from_the_features(tmp_path):
    columns = [tf.contrib.layers.real_valued_column("a", dimension=4)]
    forest = random_forest.CoreTensorForestEstimator(
        hparams(), model_dir=str(tmp_path), feature_columns=columns
    )
    features = {"a": X, "noise": np.zeros([600, 1], np.float32)}
    forest.train(input_of(features, Y), steps=40)
    assert forest.evaluate(input_of(features, Y), steps=6)["accuracy"] > 0.9


def test_important_features_are_logged_at_the_end(tmp_path, caplog):
    tf.logging.set_verbosity(tf.logging.INFO)
    forest = random_forest.TensorForestEstimator(
        hparams(), model_dir=str(tmp_path), report_feature_importances=True
    )
    forest.fit(x=X, y=Y, steps=20, batch_size=100)
    assert "feature_importances: [" in caplog.text


def test_integers_in_a_dict_are_categories(tmp_path):
    kinds = np.random.RandomState(1).randint(0, 5, 600)
    labels = np.array([0, 2, 1, 0, 2])[kinds]
    forest = random_forest.TensorForestEstimator(
        hparams(num_features=1), model_dir=str(tmp_path)
    )
    forest.fit(input_fn=input_of({"kind": kinds}, labels), steps=40)
    found = forest.evaluate(input_fn=input_of({"kind": kinds}, labels), steps=6)
    assert found["accuracy"] > 0.95


def run(hook, step, loss):
    """Whether the hook asks to stop after a step."""
    asked = []
    context = types.SimpleNamespace(request_stop=lambda: asked.append(True))
    results = {"global_step": step, "current_loss": loss}
    hook.after_run(context, types.SimpleNamespace(results=results))
    return bool(asked)


def test_the_hook_of_losses_waits_for_so_many_steps():
    hook = random_forest.TensorForestLossHook(2, 0.1)
    losses = [10, 10, 9.5, 8, 8, 7.9, 7.8, 7.7]
    assert [run(hook, i, loss) for i, loss in enumerate(losses)] == [
        False, False, False, False, False, False, True, True
    ]  # fmt: skip


def test_the_hook_of_losses_begins_anew_when_steps_go_back():
    hook = random_forest.TensorForestLossHook(1)
    assert [run(hook, i, 5) for i in (0, 1, 2, 1, 2, 3)] == [False] * 6
    assert run(hook, 4, 5)


def test_the_hook_of_the_end_runs_its_operations_in_order():
    ran = []
    session = types.SimpleNamespace(run=ran.append)
    random_forest.TensorForestRunOpAtEndHook({"b": 2, "a": 1}).end(session)
    assert ran == [1, 2]


def test_a_head_that_is_none_is_refused():
    with pytest.raises(TypeError, match="head must be one of tf.contrib.learn"):
        random_forest.TensorForestEstimator(hparams(), head=object())


def test_names_that_are_not_here_say_so():
    with pytest.raises(AttributeError, match="tensorwright does not yet"):
        random_forest.MultiForestMultiHeadEstimator  # noqa: B018
    with pytest.raises(AttributeError, match="tensorwright does not yet"):
        tf.contrib.tensor_forest.hybrid  # noqa: B018


def test_unknown_metrics_are_refused():
    with pytest.raises(KeyError, match="metric_name must be one of"):
        eval_metrics.get_metric("loss")


CHANCES = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.8, 0.1]], np.float32)
KNOWN = np.array([[0], [2], [0]])
ROWS = np.eye(3)[KNOWN.ravel()]


@pytest.mark.parametrize(
    "name, given, expected",
    [
        ("accuracy", [0, 2, 1], 2 / 3),
        ("top_5", np.repeat(CHANCES, 2, 1), 1),
        (
            "class_log_loss",
            CHANCES,
            -np.mean(ROWS * np.log(CHANCES) + (1 - ROWS) * np.log(1 - CHANCES)),
        ),
        (
            "softmax_entropy",
            CHANCES,
            np.mean(
                np.log(np.exp(CHANCES).sum(1)) - CHANCES[np.arange(3), KNOWN.ravel()]
            ),
        ),
        (
            "sigmoid_entropy",
            CHANCES,
            np.mean(np.log1p(np.exp(CHANCES)) - ROWS * CHANCES),
        ),
    ],
)
def test_metrics_of_classes(name, given, expected):
    value, update = eval_metrics.get_metric(name)(tf.constant(given), KNOWN)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        np.testing.assert_allclose(session.run(value), expected, rtol=1e-4)


@pytest.mark.parametrize(
    "name, given, expected",
    [
        ("precision", [1, 1, 0], 0.5),
        ("recall", [1, 1, 0], 1),
        ("auc", [[0.1, 0.9], [0.2, 0.8], [0.7, 0.3]], 0.5),
    ],
)
def test_metrics_of_two_classes(name, given, expected):
    value, update = eval_metrics.get_metric(name)(tf.constant(given), [0, 1, 0])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        np.testing.assert_allclose(session.run(value), expected, atol=0.01)


@pytest.mark.parametrize("name", ["precision_at_thresholds", "recall_at_thresholds"])
def test_metrics_at_thresholds_have_one_value_for_each(name):
    chances = tf.constant([[0.1, 0.9], [0.8, 0.2]])
    value, update = eval_metrics.get_metric(name)(chances, [1, 0])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        found = session.run(value)
    assert found.shape == (100,)
    np.testing.assert_allclose(found[50], 1, rtol=1e-6)


def test_r2_is_the_part_of_the_variance_that_is_explained():
    known = np.array([1.0, 2.0, 4.0], np.float32)
    found = np.array([[1.5], [2.0], [3.0]], np.float32)
    value, update = eval_metrics.get_metric("r2")(tf.constant(found), known)
    expected = 1 - ((found.ravel() - known) ** 2).sum() / ((known - known.mean()) ** 2).sum()  # fmt: skip # noqa: E501
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        np.testing.assert_allclose(session.run(value), expected, rtol=1e-5)
