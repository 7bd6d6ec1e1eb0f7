# SPDX-License-Identifier: Apache-2.0
"""The ready-made estimators reach closed-form results, and are the same models as in plain operations."""

import numpy as np
import pytest

import tensorwright as tf

fc, est = tf.feature_column, tf.estimator
RNG = np.random.RandomState(5)
X = RNG.uniform(-1, 1, [40, 2]).astype(np.float32)
SCALAR = [fc.numeric_column("x", 2)]
CONFIG = est.RunConfig(tf_random_seed=3)


def whole(labels, **more):
    """The whole batch in each step."""
    features = {"x": X, **more}
    return lambda: (
        {key: tf.constant(value) for key, value in features.items()},
        tf.constant(labels),
    )


def once(labels=None, **more):
    return est.inputs.numpy_input_fn(
        {"x": X, **more}, labels, batch_size=16, shuffle=False
    )


def test_linear_regression_is_least_squares():
    targets = X @ [[2.0, 0.5], [-1.0, 3.0]] + [1.0, -2.0] + RNG.normal(size=[40, 2])
    weights = RNG.uniform(0.5, 2, [40, 1]).astype(np.float32)
    model = est.LinearRegressor(
        SCALAR,
        label_dimension=2,
        weight_column="w",
        optimizer=lambda: tf.train.GradientDescentOptimizer(0.01),
    )
    model.train(whole(targets.astype(np.float32), w=weights), steps=600)
    root = np.sqrt(weights)
    design = np.hstack([X, np.ones([40, 1])])
    expected = np.linalg.lstsq(design * root, targets * root, rcond=None)[0]
    kernel = model.get_variable_value("linear/linear_model/x/weights")
    bias = model.get_variable_value("linear/linear_model/bias_weights")
    np.testing.assert_allclose(np.vstack([kernel, bias]), expected, atol=1e-4)
    found = model.evaluate(once(targets.astype(np.float32), w=weights))
    squares = (design @ expected - targets) ** 2
    mean = np.sum(squares * weights) / np.sum(weights) / 2
    np.testing.assert_allclose(found["average_loss"], mean, rtol=1e-4)
    # The loss of a batch is a sum; three batches.
    np.testing.assert_allclose(found["loss"], np.sum(squares * weights) / 3, rtol=1e-4)


def test_a_linear_classifier_is_softmax_regression_in_plain_operations():
    labels = RNG.randint(0, 3, 40)
    model = est.LinearClassifier(
        SCALAR, n_classes=3, optimizer=tf.train.AdagradOptimizer(0.1)
    )
    model.train(whole(labels), steps=5)
    with tf.Graph().as_default(), tf.Session() as session:
        w, b = tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([3]))
        logits = tf.matmul(X, w) + b
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits
        )
        step = tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(losses))
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            session.run(step)
        expected, kernel, loss = session.run([tf.nn.softmax(logits), w, losses])
    found = model.get_variable_value("linear/linear_model/x/weights")
    np.testing.assert_allclose(found, kernel, rtol=1e-5)
    predictions = list(model.predict(once()))
    probabilities = [p["probabilities"] for p in predictions]
    np.testing.assert_allclose(probabilities, expected, rtol=1e-5)
    ids = expected.argmax(1)
    assert [p["class_ids"][0] for p in predictions] == list(ids)
    assert [p["classes"][0] for p in predictions] == [b"%d" % i for i in ids]
    metrics = model.evaluate(once(labels))
    np.testing.assert_allclose(metrics["accuracy"], np.mean(ids == labels))
    np.testing.assert_allclose(metrics["average_loss"], loss.mean(), rtol=1e-5)


def test_a_deep_regression_is_the_same_in_plain_operations():
    targets = (X[:, :1] * X[:, 1:]).astype(np.float32)
    model = est.DNNRegressor([4, 3], SCALAR, optimizer="SGD", config=CONFIG)
    model.train(whole(targets), steps=1)
    names = [f"dnn/{layer}/" for layer in ("hiddenlayer_0", "hiddenlayer_1", "logits")]
    start = [
        (model.get_variable_value(f"{n}kernel"), model.get_variable_value(f"{n}bias"))
        for n in names
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        layers = [(tf.Variable(k), tf.Variable(b)) for k, b in start]
        net = tf.constant(X)
        for k, b in layers[:-1]:
            net = tf.nn.relu(tf.matmul(net, k) + b)
        net = tf.matmul(net, layers[-1][0]) + layers[-1][1]
        loss = tf.reduce_sum(tf.squared_difference(net, targets))
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        expected = session.run(layers)
    model.train(whole(targets), steps=3)
    for name, (kernel, bias) in zip(names, expected):
        for part, value in (("kernel", kernel), ("bias", bias)):
            found = model.get_variable_value(name + part)
            np.testing.assert_allclose(found, value, rtol=2e-4, atol=1e-6)


def test_binary_metrics_and_a_vocabulary():
    yes = X[:, 0] > 0.1
    labels = np.where(yes, "yes", "no")
    model = est.LinearClassifier(SCALAR, label_vocabulary=["no", "yes"])
    model.train(whole(labels), steps=60)
    predictions = list(model.predict(once()))
    logistic = np.array([p["logistic"][0] for p in predictions])
    logits = np.array([p["logits"][0] for p in predictions])
    np.testing.assert_allclose(logistic, 1 / (1 + np.exp(-logits)), rtol=1e-5)
    said = logistic > 0.5
    assert [p["classes"][0] for p in predictions] == [[b"no", b"yes"][i] for i in said.astype(int)]  # fmt: skip
    found = model.evaluate(once(labels))
    np.testing.assert_allclose(found["accuracy"], np.mean(said == yes))
    np.testing.assert_allclose(found["precision"], np.mean(yes[said]))
    np.testing.assert_allclose(found["recall"], np.mean(said[yes]))
    np.testing.assert_allclose(found["label/mean"], yes.mean())
    np.testing.assert_allclose(found["accuracy_baseline"], max(yes.mean(), 1 - yes.mean()))  # fmt: skip
    np.testing.assert_allclose(found["prediction/mean"], logistic.mean(), rtol=1e-5)
    assert 0.98 < found["auc"] <= 1


def test_wide_and_deep_learns_what_neither_part_does():
    words = np.where(X[:, 0] > 0, "a", "b")
    # The deep part sees a product, the wide part a bias of each word.
    targets = (X[:, :1] * X[:, 1:] + np.where(words == "a", 2.0, -1.0)[:, None]).astype(np.float32)  # fmt: skip
    word = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
    model = est.DNNLinearCombinedRegressor(
        linear_feature_columns=[word],
        linear_optimizer=tf.train.AdagradOptimizer(0.3),
        dnn_feature_columns=SCALAR,
        dnn_hidden_units=[16],
        dnn_optimizer=tf.train.AdamOptimizer(0.02),
        config=CONFIG,
    )
    model.train(whole(targets, word=words), steps=400)
    found = model.evaluate(once(targets, word=words))
    assert found["global_step"] == 400
    assert found["average_loss"] < 0.01 * targets.var()
    weights = model.get_variable_value("linear/linear_model/word/weights").ravel()
    assert weights[0] - weights[1] > 1.5


def test_baselines_find_frequencies_and_means():
    labels = np.array([0] * 10 + [1] * 25 + [2] * 5)
    model = est.BaselineClassifier(n_classes=3, optimizer=tf.train.AdagradOptimizer(0.5))  # fmt: skip
    model.train(whole(labels), steps=300)
    found = next(model.predict(once()))["probabilities"]
    np.testing.assert_allclose(found, [0.25, 0.625, 0.125], atol=1e-3)
    targets = RNG.normal(size=40).astype(np.float32)
    model = est.BaselineRegressor(optimizer=tf.train.GradientDescentOptimizer(0.01))
    model.train(whole(targets), steps=60)
    np.testing.assert_allclose(model.get_variable_value("baseline/bias"), [targets.mean()], atol=1e-4)  # fmt: skip


def test_dropout_is_of_training_alone():
    model = est.DNNRegressor([50], SCALAR, dropout=0.9, config=CONFIG)
    model.train(whole(X[:, 0]), steps=3)
    first, second = (
        [p["predictions"][0] for p in model.predict(once())] for _ in range(2)
    )
    assert first == second


def test_weights_of_zero_leave_examples_out():
    weights = (np.arange(40) < 20).astype(np.float32)
    targets = np.where(weights > 0, 1.0, 100.0).astype(np.float32)
    model = est.BaselineRegressor(
        weight_column="w", optimizer=tf.train.GradientDescentOptimizer(0.02)
    )
    model.train(whole(targets, w=weights), steps=100)
    np.testing.assert_allclose(model.get_variable_value("baseline/bias"), [1.0], atol=1e-4)  # fmt: skip


def test_an_exported_classifier_parses_examples(tmp_path):
    model = est.LinearClassifier(SCALAR, str(tmp_path / "m"), n_classes=3)
    model.train(whole(RNG.randint(0, 3, 40)), steps=3)
    spec = fc.make_parse_example_spec(SCALAR)
    receiver = est.export.build_parsing_serving_input_receiver_fn(spec)
    folder = model.export_savedmodel(str(tmp_path / "e"), receiver)
    examples = []
    for row in X[:2]:
        example = tf.train.Example()
        example.features.feature["x"].float_list.value.extend(row)
        examples.append(example.SerializeToString())
    expected = [p["probabilities"] for p in model.predict(once())][:2]
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        assert sorted(meta.signature_def) == ["classification", "predict", "serving_default"]  # fmt: skip
        signature = meta.signature_def["serving_default"]
        classes, scores = session.run(
            [signature.outputs["classes"].name, signature.outputs["scores"].name],
            {signature.inputs["inputs"].name: examples},
        )
    np.testing.assert_allclose(scores, expected, rtol=1e-5)
    assert classes.tolist() == [[b"0", b"1", b"2"]] * 2


def test_bad_labels_and_arguments():
    labels = np.zeros(40, np.int64)
    classifier = est.LinearClassifier(SCALAR, n_classes=3)
    for given, error, text in (
        (labels + 3, tf.errors.InvalidArgumentError, "Labels must be <= n_classes - 1"),
        (labels - 1, tf.errors.InvalidArgumentError, "Labels must be >= 0"),
        (labels.astype(np.float32), ValueError, "Labels dtype should be integer"),
        (np.zeros([40, 2], np.int64), ValueError, "labels shape must be"),
    ):
        with pytest.raises(error, match=text):
            classifier.train(whole(given), steps=1)
    with pytest.raises(ValueError, match="You must provide a labels Tensor"):
        classifier.train(lambda: {"x": tf.constant(X)}, steps=1)
    with pytest.raises(ValueError, match="features should be a dictionary"):
        classifier.train(lambda: (tf.constant(X), tf.constant(labels)), steps=1)
    with pytest.raises(ValueError, match="n_classes must be > 2"):
        est.DNNClassifier([3], SCALAR, n_classes=1)
    with pytest.raises(ValueError, match="label_vocabulary must be a list of n_classes"):  # fmt: skip
        est.LinearClassifier(SCALAR, label_vocabulary=["a"])
    with pytest.raises(ValueError, match="Unsupported optimizer name: Nosuch"):
        est.LinearRegressor(SCALAR, optimizer="Nosuch").train(whole(X[:, 0]), steps=1)
    with pytest.raises(ValueError, match="Either linear_feature_columns or"):
        est.DNNLinearCombinedRegressor()
    with pytest.raises(ValueError, match="dnn_hidden_units must be defined"):
        est.DNNLinearCombinedRegressor(dnn_feature_columns=SCALAR)


def test_parse_example_specs():
    spec = est.classifier_parse_example_spec(
        SCALAR, "label", tf.string, weight_column="w"
    )
    assert sorted(spec) == ["label", "w", "x"]
    assert spec["label"] == tf.FixedLenFeature((1,), tf.string, None)
    spec = est.regressor_parse_example_spec(SCALAR, "label", label_dimension=3)
    assert spec["label"] == tf.FixedLenFeature((3,), tf.float32, None)
    with pytest.raises(ValueError, match="label should not be used as feature"):
        est.classifier_parse_example_spec(SCALAR, "x")
    with pytest.raises(ValueError, match="weight_column should not be used as feature"):
        est.regressor_parse_example_spec(SCALAR, "label", weight_column="x")
