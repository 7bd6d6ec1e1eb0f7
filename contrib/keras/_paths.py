# SPDX-License-Identifier: Apache-2.0
"""Lets `tensorflow.contrib.keras.X`, and TensorFlow 1.3's longer paths, be imported: modules of `tf.keras`."""

import sys

from tensorwright.python.util import module_alias

_HERE, _THERE = "tensorwright.contrib.keras.", "tensorwright.python.keras"
_LONGER = ("python.keras", "api.keras")


def _other(path: str) -> str | None:
    """The module of `tf.keras` that a path here means."""
    if not path.startswith(_HERE):
        return None
    rest = path[len(_HERE) :]
    if rest in ("python", "api"):
        return _THERE
    for prefix in _LONGER:
        if rest == prefix:
            return _THERE
        if rest.startswith(f"{prefix}."):
            rest = rest[len(prefix) + 1 :]
    return f"{_THERE}.{rest}"


sys.meta_path.append(module_alias.ModuleAliasFinder(_other))  # type: ignore[arg-type]
