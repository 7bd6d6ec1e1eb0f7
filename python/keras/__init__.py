# SPDX-License-Identifier: Apache-2.0
"""`tf.keras`: Keras 2.3.1 on this library, with the additions of TensorFlow 1.x's own copy of it.

    from tensorflow.keras.layers import Dense

The names are those of the package Keras (`pip install tensorwright[keras]`), which is imported when the first of them
is used.  `_base` is the backend under Keras, `_age` adapts Keras to today's NumPy and h5py, and `_additions` adds the
parts of TensorFlow's copy.
"""

import importlib as _importlib
import sys as _sys
from typing import Any as _Any

from tensorwright.python.keras import _load
from tensorwright.python.util.module_alias import (
    ModuleAliasFinder as _ModuleAliasFinder,
)

# The release of Keras, and that this is not that package alone.
__version__ = "2.3.1-tf"

_sys.meta_path.append(_ModuleAliasFinder(_load.path_in_keras))  # type: ignore[arg-type]


def __getattr__(name: str) -> _Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    dotted = f"{__name__}.{name}"
    try:
        return _importlib.import_module(dotted)
    except ModuleNotFoundError as error:
        if error.name != dotted:
            raise
    try:
        value = getattr(_load.keras(), name)
    except AttributeError:
        raise AttributeError(f"there is no tf.keras.{name}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({n for n in dir(_load.keras()) if not n.startswith("_")})
