# SPDX-License-Identifier: Apache-2.0
"""Configs that TensorFlow's Keras wrote make the models they are of."""

import json

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401

keras = tf.keras
_SEED = {"seed": None, "dtype": "float32"}


def _layer(kind, name, inputs=None, **config):
    made = {"class_name": kind, "config": {"name": name, "trainable": True, "dtype": "float32", **config}}  # fmt: skip # noqa: E501
    if inputs is not None:
        made.update(name=name, inbound_nodes=[[[i, 0, 0, {}] for i in inputs]] if inputs else [])  # fmt: skip # noqa: E501
    return made


def _written_by_1_15(**conv):
    """A model's JSON as TensorFlow 1.15 writes it, with later years' words too."""
    layers = [
        _layer("InputLayer", "image", [], batch_input_shape=[None, 6, 6, 2], sparse=False, ragged=False),
        _layer(
            "Conv2D", "conv", ["image"], filters=4, kernel_size=[3, 3], groups=conv.pop("groups", 1),
            kernel_initializer={"class_name": "GlorotUniform", "config": _SEED, "module": "keras.initializers"},
            bias_initializer={"class_name": "Zeros", "config": {"dtype": "float32"}}, activation="relu", **conv,
        ),
        _layer(
            "BatchNormalizationV1", "norm", ["conv"], axis=[3],
            gamma_initializer={"class_name": "Ones", "config": {"dtype": "float32"}},
        ),
        _layer("GlobalAveragePooling2D", "pool", ["norm"], keepdims=False),
        _layer("Dense", "scores", ["pool"], units=3, kernel_initializer={"class_name": "HeNormal", "config": _SEED}),
    ]  # fmt: skip
    layers[0]["config"].pop("trainable")
    config = {
        "name": "model",
        "layers": layers,
        "input_layers": [["image", 0, 0]],
        "output_layers": [["scores", 0, 0]],
    }
    return json.dumps({"class_name": "Functional", "config": config})


def test_a_config_of_tensorflow_makes_its_model():
    model = keras.models.model_from_json(_written_by_1_15())
    kinds = [type(x).__name__ for x in model.layers]
    assert kinds == [
        "InputLayer", "Conv2D", "BatchNormalization", "GlobalAveragePooling2D", "Dense"
    ]  # fmt: skip
    assert model.predict(np.zeros((2, 6, 6, 2))).shape == (2, 3)
    found = model.get_layer("scores").kernel_initializer.get_config()
    assert found["scale"] == 2.0 and found["mode"] == "fan_in"
    # The config that this Keras writes of the model can be read, too.
    again = keras.models.model_from_json(model.to_json())
    assert again.count_params() == model.count_params()


def test_what_this_keras_cannot_do_is_refused():
    with pytest.raises(ValueError, match="Conv2D conv: groups must be 1 for Keras"):
        keras.models.model_from_json(_written_by_1_15(groups=2))
    with pytest.raises(ValueError, match="nonsense must be left out"):
        keras.models.model_from_json(_written_by_1_15(nonsense=3))


def test_layers_of_ones_own_keep_their_configs():
    class Dense(keras.layers.Layer):
        def __init__(self, groups, **kwargs):
            super().__init__(**kwargs)
            self.groups = groups

    made = keras.layers.deserialize(
        {"class_name": "Dense", "config": {"groups": {"class_name": 3, "config": {}}}},
        custom_objects={"Dense": Dense},
    )
    assert type(made) is Dense and made.groups == {"class_name": 3, "config": {}}


def test_an_optimizer_of_tensorflow_is_read():
    config = {
        "name": "Adam", "learning_rate": 0.002, "decay": 0.1, "beta_1": 0.8, "beta_2": 0.99,
        "epsilon": 1e-6, "amsgrad": True, "clipnorm": None, "weight_decay": None, "use_ema": False,
    }  # fmt: skip
    made = keras.optimizers.deserialize({"class_name": "Adam", "config": config})
    found = made.get_config()
    for name in ("learning_rate", "decay", "beta_1", "beta_2", "epsilon", "amsgrad"):
        np.testing.assert_allclose(found[name], config[name], rtol=1e-6)
    with pytest.raises(ValueError, match="use_ema must be False"):
        keras.optimizers.deserialize(
            {"class_name": "Adam", "config": {**config, "use_ema": True}}
        )
    clipped = keras.optimizers.deserialize(
        {"class_name": "SGD", "config": {"lr": 0.1, "clipnorm": 0.5}}
    )
    assert clipped.clipnorm == 0.5
