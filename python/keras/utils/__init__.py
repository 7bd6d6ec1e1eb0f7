# SPDX-License-Identifier: Apache-2.0
"""`tf.keras.utils`: Keras's helpers."""

from tensorwright.python.keras import _load

__getattr__, __dir__ = _load.names_of("keras.utils")
