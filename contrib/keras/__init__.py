# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.keras`: the older name of `tf.keras`, module by module."""

from typing import Any as _Any

from tensorwright.contrib.keras import _paths as _paths
from tensorwright.python import keras as _keras


def __getattr__(name: str) -> _Any:
    try:
        return getattr(_keras, name)
    except AttributeError:
        raise AttributeError(f"there is no tf.contrib.keras.{name}") from None


def __dir__() -> list[str]:
    return dir(_keras)
