# SPDX-License-Identifier: Apache-2.0
"""`tf.compat`, and the alias under which programs import us as `tensorflow`.

from tensorwright import compat
compat.alias()
import tensorflow as tf                        # is tensorwright
from tensorflow.python.ops import array_ops    # is tensorwright.python.ops...

A name that TensorFlow has and this package lacks can be imported from inside (tensorflow.python...) and says so when
it is used: see missing.py.  An import inside `try` fails at once, and so does that of a missing name of contrib.
"""

# ruff: noqa: F401
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import CodeType, ModuleType
from typing import Any

from tensorwright.compat import guarded
from tensorwright.compat.missing import (
    MissingModule,
    MissingNameError,
    StandInSpec,
    stand_in_for_missing,
)
from tensorwright.python.util.compat import (
    as_bytes,
    as_str,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    forward_compatibility_horizon,
    forward_compatible,
    integral_types,
    path_to_bytes,
    path_to_str,
    real_types,
)

_TARGET = "tensorwright"
_FIRST = ".compat.v1"
# Packages of TensorFlow's whose modules programs import without using all of them.
_INSIDE = ("python", "core", "tools", "examples")


def _own_path(alias: str, fullname: str) -> str:
    """The path here of a module below `alias`."""
    below = fullname[len(alias) :]
    # The first version is the package itself: `import tensorflow.compat.v1.losses`.
    if below.startswith(f"{_FIRST}."):
        below = below.removeprefix(_FIRST)
    return _TARGET + below


class _AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `name` and everything below it as the module of the same path here."""

    def __init__(self, name: str):
        self.name = name

    def find_spec(
        self, fullname: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name and not fullname.startswith(self.name + "."):
            return None
        ours = _own_path(self.name, fullname)
        try:
            module = importlib.import_module(ours)
        except ModuleNotFoundError as error:
            if error.name is not None and not f"{ours}.".startswith(f"{error.name}."):
                raise
            # `import tensorflow.nn`: an attribute that is a module elsewhere.
            module = self._attribute(ours)
            if module is None and self._is_inside(fullname) and not _is_asked():
                return StandInSpec(MissingModule(fullname), self)
            if module is None and error.name is None:
                raise  # It says more than "no module named".
            if module is None:
                return None
        spec = importlib.machinery.ModuleSpec(
            fullname,
            self,
            # `python -m` calls the program by it.
            origin=getattr(module.__spec__, "origin", None),
            is_package=hasattr(module, "__path__"),
        )
        spec.loader_state = module
        return spec

    def _is_inside(self, fullname: str) -> bool:
        return fullname[len(self.name) + 1 :].partition(".")[0] in _INSIDE

    def _attribute(self, dotted: str) -> ModuleType | None:
        parent, _, last = dotted.rpartition(".")
        module = getattr(sys.modules.get(parent), last, None)
        return module if isinstance(module, ModuleType) else None

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of a module, for `python -m`."""
        spec = importlib.util.find_spec(_own_path(self.name, fullname))
        loader: Any = spec.loader if spec is not None else None
        return loader.get_code(spec.name) if hasattr(loader, "get_code") else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = spec.loader_state
        # The import system is about to overwrite what describes the module.
        spec.loader_state = (module, module.__spec__, module.__name__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if isinstance(spec, StandInSpec):
            return
        _, original, name = spec.loader_state
        module.__spec__ = original
        module.__name__ = name
        module.__loader__ = original.loader
        module.__package__ = original.parent
        sys.modules[spec.name] = module
        if self._is_inside(spec.name):
            stand_in_for_missing(module, spec.name)


def _is_asked() -> bool:
    """Whether the import under way is one inside `try`, or find_spec's: a program asks if the module is there."""
    if guarded.is_in_find_spec(sys._getframe(2)):
        return True
    statement = guarded.importer(sys._getframe(2))
    return statement is not None and guarded.is_in_try(statement)


class _KerasFinder(importlib.abc.MetaPathFinder):
    """Finds Keras, which runs on `tensorflow`, as python.keras adapts it."""

    def find_spec(
        self, fullname: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != "keras":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                load = importlib.import_module(f"{_TARGET}.python.keras._load")
                spec.loader = load.Loader(spec.loader)
                return spec
        return None


def alias(name: str = "tensorflow") -> None:
    """From now on `import {name}` gives this package, with all its modules.

    Raises ImportError where the real package of that name is imported already.
    """
    loaded = sys.modules.get(name)
    if loaded is not None and loaded is not sys.modules.get(_TARGET):
        raise ImportError(
            f"{name} has been imported already, from {getattr(loaded, '__file__', '?')}"
        )
    if not any(isinstance(f, _AliasFinder) and f.name == name for f in sys.meta_path):
        sys.meta_path.insert(0, _AliasFinder(name))
        if name == "tensorflow":
            sys.meta_path.insert(0, _KerasFinder())


def __getattr__(name: str) -> Any:
    if name in ("dimension_at_index", "dimension_value"):
        shapes = importlib.import_module(f"{_TARGET}.python.framework.tensor_shape")
        return getattr(shapes, name)
    if name == "v1":
        return importlib.import_module(_TARGET)
    if name == "v2":
        return importlib.import_module(f"{_TARGET}.compat.v2")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
