# SPDX-License-Identifier: Apache-2.0
"""Loads Keras, the package behind `tf.keras`, or says what to install if it is missing."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

from tensorwright import compat
from tensorwright.python.keras import _additions, _age

OURS = "tensorwright.python.keras"
_HELP = "pip install tensorwright[keras]"
# Keras imports all of these at once: if one is missing, Keras is not installed.
_PARTS = ("keras", "keras_applications", "keras_preprocessing", "h5py", "scipy", "six", "yaml")  # fmt: skip # noqa: E501
_RELEASE = "2.3."


def keras() -> ModuleType:
    """The package Keras, adapted to this library.

    Keras imports `tensorflow`: from now on that is a name of this package.

    Raises:
        ImportError: Keras is not installed, or is another release than 2.3; the text has the command to install it.
    """
    loaded = sys.modules.get("keras")
    if loaded is None:
        compat.alias()
        try:
            loaded = importlib.import_module("keras")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _PARTS:
                raise
            raise ImportError(
                f"tf.keras is Keras {_RELEASE}1, and there is no module {error.name!r} here: {_HELP}"
            ) from error
        if loaded.__version__.startswith(_RELEASE):
            # A program that imports Keras itself expects Keras's own behaviour.
            _additions.as_tensorflow()
    version = getattr(loaded, "__version__", _RELEASE)
    if not version.startswith(_RELEASE):
        raise ImportError(
            f"tf.keras is Keras {_RELEASE}1, and Keras {version} is installed: {_HELP}"
        )
    return loaded


class Loader(importlib.abc.Loader):
    """Loads Keras by `loader` and adapts it to this library; any other release than 2.3 stays as it is."""

    def __init__(self, loader: importlib.abc.Loader):
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._loader
        with _age.while_importing():
            self._loader.exec_module(module)
        if module.__version__.startswith(_RELEASE):
            _age.adapt()
            _additions.install()


def is_loaded() -> bool:
    """Has Keras been imported to its end?"""
    module = sys.modules.get("keras")
    return module is not None and hasattr(module, "__version__")


def is_loading() -> bool:
    """Is Keras being imported now?"""
    return "keras" in sys.modules and not is_loaded()


def path_in_keras(fullname: str) -> str | None:
    """Keras's path of a module below `tf.keras` that has no file here."""
    if not fullname.startswith(OURS + ".") or fullname.rpartition(".")[2][0] == "_":
        return None
    return keras().__name__ + fullname[len(OURS) :]


def names_of(theirs: str) -> tuple[Any, Any]:
    """Returns `__getattr__` and `__dir__` for a module that also has the names of Keras's module `theirs`."""

    def module() -> ModuleType:
        keras()
        return importlib.import_module(theirs)

    def getattribute(name: str) -> Any:
        if name == "__all__":
            return [n for n in dir(module()) if not n.startswith("_")]
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(module(), name)

    def listed() -> list[str]:
        return dir(module())

    return getattribute, listed
