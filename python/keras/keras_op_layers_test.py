# SPDX-License-Identifier: Apache-2.0
"""Plain operations between layers are layers of a model."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401

layers = tf.keras.layers
_x = np.random.RandomState(0).randn(8, 4).astype("float32")


def _model():
    inputs = layers.Input((4,))
    hidden = layers.Dense(3, name="first")(inputs)
    hidden = tf.nn.relu(hidden) * 2.0 + hidden
    return tf.keras.Model(inputs, layers.Dense(2, name="second")(hidden))


def _by_hand(model):
    (w, b), (v, c) = (model.get_layer(n).get_weights() for n in ("first", "second"))
    hidden = _x @ w + b
    return (np.maximum(hidden, 0) * 2 + hidden) @ v + c


def test_operations_between_layers_belong_to_the_model():
    model = _model()
    np.testing.assert_allclose(model.predict(_x), _by_hand(model), rtol=1e-5, atol=1e-5)
    kinds = [type(x).__name__ for x in model.layers]
    assert kinds == ["InputLayer", "Dense", "TensorFlowOpLayer", "Dense"]
    model.compile("sgd", "mse")
    before = model.get_layer("first").get_weights()[0]
    model.train_on_batch(_x, np.ones((8, 2)))
    assert abs(model.get_layer("first").get_weights()[0] - before).max() > 0
    np.testing.assert_allclose(model.predict(_x), _by_hand(model), rtol=1e-5, atol=1e-5)


def test_an_output_may_be_a_plain_operation_of_several_layers():
    inputs = layers.Input((4,))
    a, b = layers.Dense(3, name="a")(inputs), layers.Dense(3, name="b")(inputs)
    model = tf.keras.Model(inputs, [tf.reduce_sum(a * b, axis=1, keepdims=True), a - b])
    parts = tf.keras.Model(inputs, [a, b]).predict(_x)
    product, difference = model.predict(_x)
    np.testing.assert_allclose(product[:, 0], (parts[0] * parts[1]).sum(1), rtol=1e-4, atol=1e-5)  # fmt: skip # noqa: E501
    np.testing.assert_allclose(difference, parts[0] - parts[1], rtol=1e-5, atol=1e-6)


def test_such_a_model_is_applied_to_other_tensors():
    model = _model()
    other = layers.Input((4,))
    twice = tf.keras.Model(other, model(other) - model(other * 0.0))
    zero = model.predict(_x * 0)
    np.testing.assert_allclose(
        twice.predict(_x), _by_hand(model) - zero, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("how", ["json", "h5", "savedmodel", "clone"])
def test_such_a_model_is_saved_and_loaded(tmp_path, how):
    model = _model()
    model.compile("sgd", "mse")
    path, wanted = str(tmp_path / "m.h5"), _by_hand(model)
    if how == "h5":
        model.save(path)
        tf.keras.backend.clear_session()
        again = tf.keras.models.load_model(path)
    elif how == "savedmodel":
        model.save(str(tmp_path / "m"), save_format="tf")
        again = tf.keras.models.load_model(str(tmp_path / "m"))
    else:
        weights, text = model.get_weights(), model.to_json()
        if how == "json":
            tf.keras.backend.clear_session()
            again = tf.keras.models.model_from_json(text)
        else:
            again = tf.keras.models.clone_model(model)
        again.set_weights(weights)
    np.testing.assert_allclose(again.predict(_x), wanted, rtol=1e-5, atol=1e-5)


def test_loops_and_branches_are_operations_like_others():
    inputs = layers.Input((4,))
    hidden = layers.Dense(3, name="d")(inputs)
    _, doubled = tf.while_loop(lambda i, _: i < 3, lambda i, h: (i + 1, h * 2.0), [0, hidden])  # fmt: skip # noqa: E501
    chosen = tf.cond(tf.reduce_sum(hidden) > 1e9, lambda: hidden, lambda: doubled + 1.0)
    model = tf.keras.Model(inputs, chosen)
    again = tf.keras.models.clone_model(model)
    again.set_weights(model.get_weights())
    w, b = model.get_weights()
    for found in (model, again):
        np.testing.assert_allclose(found.predict(_x), (_x @ w + b) * 8 + 1, rtol=1e-5, atol=1e-5)  # fmt: skip # noqa: E501


def test_tensors_of_no_layer_stay_plain():
    plain = tf.constant(_x) * 2.0
    output = layers.Dense(2)(plain)
    assert not hasattr(plain, "_keras_history") and not hasattr(
        output, "_keras_history"
    )
    with pytest.raises(ValueError, match="must come from `keras.layers.Input`"):
        tf.keras.Model(plain, output)
