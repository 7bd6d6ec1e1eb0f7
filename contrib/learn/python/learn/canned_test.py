# SPDX-License-Identifier: Apache-2.0
"""Linear, deep and combined estimators learn."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

learn, layers = tf.contrib.learn, tf.contrib.layers
RNG = np.random.RandomState(3)
X = RNG.uniform(-1, 1, [200, 2]).astype(np.float32)


def columns():
    return [layers.real_valued_column("x", 2)]


def input_fn(labels):
    return lambda: ({"x": tf.constant(X)}, tf.constant(labels))


def use():
    return {"x": tf.constant(X[:5])}


@pytest.mark.parametrize("kind", ["linear", "deep", "both"])
def test_classifiers(kind, tmp_path):
    line = (X.sum(1) > 0).astype(np.int64)
    labels = line if kind == "linear" else (X[:, 0] * X[:, 1] > 0).astype(np.int64)
    config = learn.RunConfig(tf_random_seed=2)
    if kind == "linear":
        made = learn.LinearClassifier(columns(), str(tmp_path), optimizer=lambda: tf.train.FtrlOptimizer(0.5), config=config)  # fmt: skip
    elif kind == "deep":
        made = learn.DNNClassifier([16], columns(), str(tmp_path), optimizer=lambda: tf.train.AdamOptimizer(0.05), gradient_clip_norm=5.0, config=config)  # fmt: skip
    else:
        made = learn.DNNLinearCombinedClassifier(
            str(tmp_path), linear_feature_columns=columns(), dnn_feature_columns=columns(),
            dnn_hidden_units=[16], dnn_optimizer=lambda: tf.train.AdamOptimizer(0.05), config=config,
        )  # fmt: skip
    made.fit(input_fn=input_fn(labels), steps=150)
    found = made.evaluate(input_fn=input_fn(labels), steps=1)
    assert found["accuracy"] > 0.9 and found["global_step"] == 150
    assert found["auc"] > 0.95
    classes = list(made.predict_classes(input_fn=use))
    chances = list(made.predict_proba(input_fn=use))
    assert len(classes) == 5 and [int(c[1] > 0.5) for c in chances] == classes


@pytest.mark.parametrize("kind", ["linear", "deep", "both"])
def test_regressions(kind, tmp_path):
    y = X @ np.array([2.0, -1.0], np.float32)
    config = learn.RunConfig(tf_random_seed=2)
    fast = lambda: tf.train.AdamOptimizer(0.05)  # noqa: E731
    if kind == "linear":
        made = learn.LinearRegressor(columns(), str(tmp_path), optimizer=fast, config=config)  # fmt: skip
    elif kind == "deep":
        made = learn.DNNRegressor([8], columns(), str(tmp_path), optimizer=fast, config=config)  # fmt: skip
    else:
        made = learn.DNNLinearCombinedRegressor(
            str(tmp_path), linear_feature_columns=columns(), linear_optimizer=fast,
            dnn_feature_columns=columns(), dnn_hidden_units=[4], dnn_optimizer=fast, config=config,
        )  # fmt: skip
    made.fit(input_fn=input_fn(y), steps=300)
    loss = made.evaluate(input_fn=input_fn(y), steps=1)["loss"]
    scores = list(made.predict_scores(input_fn=lambda: {"x": tf.constant(X)}))
    # The loss is the mean of squares, so it says how far all scores together are off.
    np.testing.assert_allclose(np.mean((scores - y) ** 2), loss, rtol=1e-5, atol=1e-13)
    if kind == "linear":
        # The targets are linear, and the optimizer is at its end: a few roundings of numbers below 4 are left.
        np.testing.assert_allclose(scores, y, atol=8 * 2.0**-22)
    else:
        # Hidden units bend only: by seed 2 they are 3e-5 of the variance off, or less.
        assert loss < 3e-4 * y.var()


def test_words_are_classified(tmp_path):
    words = layers.sparse_column_with_keys("w", ["a", "b", "c"])

    def examples():
        return {"w": tf.constant([["a"], ["b"], ["c"], ["a"]])}, tf.constant(["x", "y", "z", "x"])  # fmt: skip

    made = learn.LinearClassifier([words], str(tmp_path), n_classes=3, label_keys=["x", "y", "z"], enable_centered_bias=True, _joint_weight=True)  # fmt: skip
    made.fit(input_fn=examples, steps=30)
    found = list(made.predict_classes(input_fn=lambda: examples()[0]))
    assert found == [b"x", b"y", b"z", b"x"]


def test_models_without_columns_are_refused():
    with pytest.raises(ValueError, match="must be defined"):
        learn.DNNLinearCombinedRegressor()
    with pytest.raises(ValueError, match="dnn_hidden_units"):
        learn.DNNLinearCombinedRegressor(dnn_feature_columns=columns())


def test_what_is_not_supported_is_refused():
    with pytest.raises(ValueError, match="DNNRegressor: embedding_lr_multipliers is"):
        learn.DNNRegressor([8], columns(), embedding_lr_multipliers={"x": 2.0})
    with pytest.raises(ValueError, match="multi_label_head: loss_fn is not supported"):
        learn.multi_label_head(3, loss_fn=lambda labels, logits: logits)


def test_a_regression_of_probabilities(tmp_path):
    rng = np.random.RandomState(1)
    x = rng.randn(200, 2).astype(np.float32)
    y = (x[:, 0] > 0.3).astype(np.int64)

    def model(features, labels, mode):
        logits = tf.layers.dense(features, 1)[:, 0]
        labels = tf.zeros_like(logits) if labels is None else tf.to_float(labels)
        loss = tf.losses.sigmoid_cross_entropy(labels, logits)
        train = tf.train.AdagradOptimizer(0.5).minimize(loss, tf.train.get_global_step())  # fmt: skip
        return tf.sigmoid(logits), loss, train

    made = learn.LogisticRegressor(model, [0.2, 0.5], str(tmp_path), learn.RunConfig(tf_random_seed=1))  # fmt: skip
    made.fit(x, y, steps=100, batch_size=50)
    found = made.evaluate(x, y, batch_size=100)
    odds = np.array(list(made.predict(x)))
    np.testing.assert_allclose(found["labels/prediction_mean"], odds.mean(), rtol=1e-4)
    np.testing.assert_allclose(found["labels/actual_label_mean"], y.mean(), rtol=1e-4)
    assert found["auc"] > 0.99
    for threshold in (0.2, 0.5):
        chosen = odds >= threshold
        mean = f"threshold_{threshold:f}_mean"
        np.testing.assert_allclose(found[f"accuracy/{mean}"], (chosen == y).mean(), rtol=1e-4)  # fmt: skip
        np.testing.assert_allclose(found[f"precision/positive_{mean}"], y[chosen].mean(), rtol=1e-4)  # fmt: skip
        np.testing.assert_allclose(found[f"recall/positive_{mean}"], chosen[y == 1].mean(), rtol=1e-4)  # fmt: skip


def test_models_become_those_of_core_estimators():
    kinds = learn.ProblemType
    odds = tf.constant([[0.2, 0.8]])
    model = learn.ModelFnOps(
        "train", {"scores": odds}, tf.constant(1.0), tf.no_op(),
        output_alternatives={
            "a": (kinds.CLASSIFICATION, {"probabilities": odds, "classes": tf.constant([["x", "y"]])}),
            "b": (kinds.LINEAR_REGRESSION, {"scores": odds[:, 0]}),
            "c": (kinds.UNSPECIFIED, {"z": odds}),
        },
    )  # fmt: skip
    spec = model.estimator_spec("b")
    assert isinstance(spec, tf.estimator.EstimatorSpec) and spec.train_op is model.train_op  # fmt: skip
    export, outputs = tf.estimator.export, spec.export_outputs
    assert isinstance(outputs["a"], export.ClassificationOutput)
    assert isinstance(outputs["serving_default"], export.RegressionOutput)
    assert isinstance(outputs["c"], export.PredictOutput)
    for key in (None, "d"):
        with pytest.raises(ValueError, match="must be one of"):
            model.estimator_spec(key)
