# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.keras is tf.keras, by each of its paths."""

import importlib

import numpy as np
import pytest

import tensorwright as tf

pytest.importorskip("keras_applications")


def test_a_model_of_the_older_name():
    keras = tf.contrib.keras
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    x = np.random.RandomState(0).randn(64, 2)
    losses = model.fit(x, x @ [1.0, -1.0], epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 10
    assert "layers" in dir(keras)


@pytest.mark.parametrize("path", ["keras", "keras.python.keras", "keras.api.keras"])
def test_paths_of_imports(path):
    layers = importlib.import_module(f"tensorwright.contrib.{path}.layers")
    assert layers.Dense is tf.keras.layers.Dense
    backend = importlib.import_module(f"tensorwright.contrib.{path}.backend")
    assert backend.get_session is tf.keras.backend.get_session


def test_what_keras_lacks_is_missing():
    assert not hasattr(tf.contrib.keras, "nothing")
    with pytest.raises(ImportError):
        importlib.import_module("tensorwright.contrib.keras.nothing")
