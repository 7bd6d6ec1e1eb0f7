# SPDX-License-Identifier: Apache-2.0
"""Estimators made of models: they train, measure, predict and export as the models do."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401

layers = tf.keras.layers
_x = np.random.RandomState(0).randn(64, 4).astype("float32")
_y = (_x[:, :1] > 0).astype("float32")


def _model(optimizer="sgd"):
    model = tf.keras.Sequential(
        [layers.Dense(6, activation="relu", input_shape=(4,)), layers.BatchNormalization(),
         layers.Dense(1, activation="sigmoid")]
    )  # fmt: skip
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    return model


def _input(epochs=None, batch=16, features=lambda x: {"dense_input": x}):
    def input_fn():
        data = tf.data.Dataset.from_tensor_slices((features(_x), _y))
        return data.repeat(epochs).batch(batch)

    return input_fn


@pytest.mark.parametrize(
    "optimizer",
    ["adam", "sgd", lambda: tf.train.MomentumOptimizer(0.1, 0.9)],
    ids=["adam", "sgd", "tf.train"],
)
def test_an_estimator_trains_and_measures_the_model(tmp_path, optimizer):
    model = _model(optimizer if isinstance(optimizer, str) else optimizer())
    made = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    before = made.evaluate(_input(1))
    loss, accuracy = model.evaluate(_x, _y, verbose=0)
    assert before["global_step"] == 0
    np.testing.assert_allclose(before["acc"], accuracy, rtol=1e-5)
    np.testing.assert_allclose(before["loss"], loss, rtol=1e-4)
    made.train(_input(), steps=150)
    after = made.evaluate(_input(1))
    assert after["global_step"] == 150
    assert after["loss"] < before["loss"]
    # The second evaluation starts anew: it does not add to the first one's sums.
    assert made.evaluate(_input(1))["acc"] == after["acc"]
    moved = made.get_variable_value("batch_normalization/moving_mean")
    assert abs(moved).max() > 0


def test_steps_are_those_of_fit(tmp_path):
    model = _model()
    made = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    made.train(_input(), steps=8)
    model.fit(_x, _y, 16, epochs=2, shuffle=False, verbose=0)
    values = tf.keras.backend.batch_get_value(model.weights)
    for variable, value in zip(model.weights, values):
        found = made.get_variable_value(variable.name.removesuffix(":0"))
        np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-6)


def test_predictions_are_the_models(tmp_path):
    model = _model()
    made = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    found = [p["dense_1"] for p in made.predict(_input(1))]
    np.testing.assert_allclose(found, model.predict(_x), rtol=1e-5, atol=1e-6)


def test_it_is_exported_for_serving(tmp_path):
    model = _model()
    made = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path / "m"))
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {"dense_input": tf.placeholder(tf.float32, [None, 4])}
    )
    folder = made.export_saved_model(str(tmp_path / "served"), receiver)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        found = session.run(
            signature.outputs["dense_1"].name, {signature.inputs["dense_input"].name: _x}
        )  # fmt: skip
    np.testing.assert_allclose(found, model.predict(_x), rtol=1e-5, atol=1e-6)


def test_a_folder_with_a_checkpoint_is_gone_on_with(tmp_path):
    made = tf.keras.estimator.model_to_estimator(_model(), model_dir=str(tmp_path))
    made.train(_input(), steps=5)
    trained = made.get_variable_value("dense/kernel")
    tf.keras.backend.clear_session()
    again = tf.keras.estimator.model_to_estimator(_model(), model_dir=str(tmp_path))
    np.testing.assert_array_equal(again.get_variable_value("dense/kernel"), trained)
    again.train(_input(), steps=5)
    assert again.evaluate(_input(1))["global_step"] == 10


def test_a_saved_file_makes_an_estimator(tmp_path):
    model = _model()
    model.save(str(tmp_path / "model.h5"))
    made = tf.keras.estimator.model_to_estimator(
        keras_model_path=str(tmp_path / "model.h5"), model_dir=str(tmp_path / "e")
    )
    single = _input(1, features=lambda x: x)
    found = np.array([p["dense_1"] for p in made.predict(single)])
    np.testing.assert_allclose(found, model.predict(_x), rtol=1e-5, atol=1e-6)


def test_models_of_several_inputs_and_outputs_are_fed_by_name(tmp_path):
    a, b = layers.Input((4,), name="a"), layers.Input((4,), name="b")
    both = layers.concatenate([a, b])
    outputs = [layers.Dense(1, name=name)(both) for name in "cd"]
    model = tf.keras.Model([a, b], outputs)
    model.compile("sgd", {"c": "mse", "d": "mae"})
    made = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))

    def input_fn():
        features = {"b": tf.constant(_x), "a": tf.constant(_x * 2)}
        return features, {"c": tf.constant(_y), "d": tf.constant(_y)}

    wanted = model.evaluate([_x * 2, _x], [_y, _y], batch_size=64, verbose=0)
    np.testing.assert_allclose(
        made.evaluate(input_fn, steps=1)["loss"], wanted[0], rtol=1e-5
    )
    with pytest.raises(ValueError, match="features must have the keys"):
        made.train(lambda: ({"a": tf.constant(_x)}, tf.constant(_y)), steps=1)


def test_what_is_no_compiled_model_of_layers_is_refused():
    convert = tf.keras.estimator.model_to_estimator
    with pytest.raises(ValueError, match="one of keras_model and keras_model_path"):
        convert()
    with pytest.raises(ValueError, match="must be compiled"):
        convert(tf.keras.Sequential([layers.Dense(1, input_shape=(4,))]))

    class Own(tf.keras.Model):
        def call(self, inputs):
            return inputs

    own = Own()
    own.compile("sgd", "mse")
    with pytest.raises(ValueError, match="must be made of layers"):
        convert(own)
