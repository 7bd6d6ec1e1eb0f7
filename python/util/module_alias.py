# SPDX-License-Identifier: Apache-2.0
"""Modules that can be imported by a second path: `tensorwright.keras.layers` is a module of `python.keras`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType

from tensorwright.python.framework.type_aliases import PathLike


class ModuleAliasFinder:
    """Asked after all others: finds a module that has no file of its path as another one.

    `other` gives that one's path, or None if it has no other; `loaded` is called with a path and its module when it is
    imported by that path first.
    """

    def __init__(
        self,
        other: Callable[[str], str | None],
        loaded: Callable[[str, ModuleType], None] | None = None,
    ):
        self._other = other
        self._loaded = loaded

    def find_spec(
        self,
        fullname: str,
        path: PathLike | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        del path, target
        other = self._other(fullname)
        if other is None:
            return None
        try:
            module = importlib.import_module(other)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{other}.".startswith(f"{error.name}."):
                raise
            # `import tensorwright.io.gfile`: an attribute of a module that has no folder.
            parent, _, last = other.rpartition(".")
            module = getattr(sys.modules.get(parent), last, None)  # type: ignore[assignment]
            if not isinstance(module, ModuleType):
                return None
        if not hasattr(module, "__path__"):
            # Its attributes that are modules can be imported.
            module.__path__ = []
        is_package = hasattr(module, "__path__")
        spec = ModuleSpec(fullname, self, is_package=is_package)  # type: ignore[arg-type]
        spec.loader_state = (module, module.__spec__, module.__name__)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return spec.loader_state[0]

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just described the module by the name it was asked for.
        spec = module.__spec__
        assert spec is not None
        _, original, name = spec.loader_state
        module.__spec__, module.__name__ = original, name
        if original is not None:
            module.__loader__, module.__package__ = original.loader, original.parent
        sys.modules[spec.name] = module
        if self._loaded is not None:
            self._loaded(spec.name, module)
