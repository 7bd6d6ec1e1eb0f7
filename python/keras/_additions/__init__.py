# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow 1.x's copy of Keras has and Keras 2.3.1 lacks."""

from __future__ import annotations


def install() -> None:
    """Adds it to Keras's classes, once Keras has been imported."""
    from keras.backend import tensorflow_backend
    from tensorwright.python.keras import _base

    # Found as `tensorflow.python.keras.backend`, which is Keras's own backend from now on.
    tensorflow_backend.tf_keras_backend = _base
