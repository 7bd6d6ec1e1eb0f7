# SPDX-License-Identifier: Apache-2.0
"""`tf.keras.backend`: Keras's backend; to Keras itself, while it is being imported, the backend under it."""

from typing import Any

from tensorwright.python.keras import _base, _load

_getattr, _dir = _load.names_of("keras.backend")


def __getattr__(name: str) -> Any:
    if not name.startswith("__") and not _load.is_loaded():
        if _load.is_loading():
            return getattr(_base, name)
    try:
        return _getattr(name)
    except AttributeError:
        if name.startswith("_") or not hasattr(_base, name):
            raise AttributeError(f"there is no tf.keras.backend.{name}") from None
    return getattr(_base, name)


def __dir__() -> list[str]:
    return _dir()
