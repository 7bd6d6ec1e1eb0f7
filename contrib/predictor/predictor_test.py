# SPDX-License-Identifier: Apache-2.0
"""Predictors of SavedModels and of both kinds of estimators."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

predictor = tf.contrib.predictor


def model_fn(features, labels, mode):
    y = features["x"] * tf.get_variable("a", initializer=2.0)
    predictions = {"sum": y + features.get("b", 0.0), "product": y}
    if mode == "infer":
        outputs = {
            "serving_default": tf.estimator.export.PredictOutput(predictions),
            "other": tf.estimator.export.RegressionOutput(y),
        }
        return tf.estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
    loss = tf.reduce_mean((y - labels) ** 2)
    step = tf.train.GradientDescentOptimizer(0.0).minimize(loss, tf.train.get_global_step())  # fmt: skip
    return tf.estimator.EstimatorSpec(mode, predictions, loss, step)


def receiver():
    x = tf.placeholder(tf.float32, [None], "x")
    b = tf.placeholder_with_default(1.0, [], "b")
    return tf.estimator.export.ServingInputReceiver({"x": x, "b": b}, {"x": x, "b": b})


@pytest.fixture
def trained(tmp_path):
    made = tf.estimator.Estimator(model_fn, str(tmp_path / "model"))
    made.train(lambda: ({"x": tf.constant([1.0])}, tf.constant([1.0])), steps=1)
    return made


def test_a_predictor_runs_an_estimator(trained):
    predict = predictor.from_estimator(trained, receiver)
    assert set(predict.feed_tensors) == {"x", "b"}
    found = predict({"x": [1.0, 2.0]})
    np.testing.assert_array_equal(found["sum"], [3, 5])
    np.testing.assert_array_equal(predict({"x": [1.0], "b": 4.0})["sum"], [6])
    with pytest.raises(ValueError, match="unexpected keys.*'c'.*\n.*'b', 'x'"):
        predict({"c": 1})
    other = predictor.from_estimator(trained, receiver, output_key="other")
    np.testing.assert_array_equal(other({"x": [3.0]})["outputs"], [6])
    with pytest.raises(ValueError, match="output_key 'none'"):
        predictor.from_estimator(trained, receiver, output_key="none")
    with pytest.raises(TypeError, match="from_estimator"):
        predictor.from_contrib_estimator(trained, receiver)


def test_a_predictor_runs_a_saved_model(trained, tmp_path):
    folder = trained.export_savedmodel(str(tmp_path / "out"), receiver)
    predict = predictor.from_saved_model(folder)
    np.testing.assert_array_equal(predict({"x": [1.0, 2.0]})["product"], [2, 4])
    assert predict.graph is predict.session.graph
    assert "SavedModelPredictor with feed tensors" in repr(predict)
    meta = tf.MetaGraphDef()
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
    signature = meta.signature_def["serving_default"]
    graph = tf.Graph()
    again = predictor.from_saved_model(folder, signature_def=signature, graph=graph, tags="serve")  # fmt: skip
    assert again.graph is graph
    np.testing.assert_array_equal(again({"x": [5.0]})["sum"], [11])
    names = {"in": signature.inputs["x"].name}, {"out": signature.outputs["sum"].name}
    by_name = predictor.from_saved_model(folder, None, None, *names)
    assert list(by_name({"in": [5.0]})) == ["out"]
    for options, text in (
        ({"signature_def_key": "none"}, "Got signature_def_key 'none'"),
        ({"signature_def_key": "a", "signature_def": signature}, "at most one"),
        ({"input_names": names[0]}, "both be"),
    ):
        with pytest.raises(ValueError, match=text):
            predictor.from_saved_model(folder, **options)


def test_a_predictor_runs_an_estimator_of_contrib(tmp_path):
    learn = tf.contrib.learn

    def contrib_model(features, labels, mode):
        y = features["x"] * tf.get_variable("a", initializer=3.0)
        loss = tf.reduce_sum(y)
        return learn.ModelFnOps(
            mode, {"y": y}, loss, tf.assign_add(tf.train.get_global_step(), 1),
            output_alternatives={"head": (learn.ProblemType.UNSPECIFIED, {"z": -y})},
        )  # fmt: skip

    def inputs():
        x = tf.placeholder(tf.float32, [None])
        return learn.InputFnOps({"x": x}, None, {"x": x})

    made = learn.Estimator(contrib_model, str(tmp_path))
    with pytest.raises(ValueError, match="find trained model"):
        predictor.from_contrib_estimator(made, inputs)
    made.fit(input_fn=lambda: ({"x": tf.constant([1.0])}, tf.constant([1.0])), steps=1)
    predict = predictor.from_contrib_estimator(made, inputs)
    np.testing.assert_array_equal(predict({"x": [2.0]})["y"], [6])
    head = predictor.from_contrib_estimator(made, inputs, output_alternative_key="head")
    np.testing.assert_array_equal(head({"x": [2.0]})["z"], [-6])
    with pytest.raises(TypeError, match="from_contrib_estimator"):
        predictor.from_estimator(made, inputs)
    with pytest.raises(ValueError, match="not among"):
        predictor.from_contrib_estimator(made, inputs, output_alternative_key="x")
