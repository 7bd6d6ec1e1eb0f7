# SPDX-License-Identifier: Apache-2.0
"""Keras's engine at TensorFlow's path."""

from tensorwright.python.keras import _load

__getattr__, __dir__ = _load.names_of("keras.engine")
