# SPDX-License-Identifier: Apache-2.0
"""Gives Keras 2.3.1 the parts that only TensorFlow 1.x's copy of it has."""

from __future__ import annotations

import importlib

from tensorwright.python.keras import _base


def _parts() -> tuple:
    from keras.engine import base_layer, network, training

    return base_layer.Layer, network.Network, training.Model


def install() -> None:
    """Extends Keras's classes, once Keras has been imported."""
    from keras import initializers, layers, models, optimizers
    from keras.backend import tensorflow_backend
    from keras.engine import saving

    # Found as `tensorflow.python.keras.backend`, which is Keras's own backend from now on.
    tensorflow_backend.tf_keras_backend = _base
    layer, network, model = _parts()
    _module("classes").install(layers, initializers)
    _module("layers").install(layer, network)
    _module("op_layers").install(layer, network)
    _module("training").install(network, model, optimizers)
    _module("configs").install(layers, optimizers)
    _module("saving").install(network, saving, models)


def as_tensorflow() -> None:
    """Makes Keras do as TensorFlow's copy where the two differ: layers are `dense`, `dense_1`, ..., metrics `acc`, and weights are saved in checkpoints."""
    from keras.engine import training_utils

    layer, network, _ = _parts()
    _module("layers").name_from_zero(layer, network)
    _module("training").as_tensorflow(training_utils)
    _module("saving").as_tensorflow(network)


def _module(name: str):
    # These import Keras.
    return importlib.import_module(f"{__name__}.{name}")
