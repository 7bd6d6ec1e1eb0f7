# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for TensorFlow's names that this package lacks: imported under the alias, they say so when they are used.

A program that imports twenty modules and needs twelve of them runs with these twelve.  One that asks by an import inside
`try` if a name is there gets an ImportError.
"""

from __future__ import annotations

import dis
import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from tensorwright.compat import guarded


class MissingNameError(NotImplementedError, AttributeError):
    """A name of TensorFlow's that this package does not have was used: to hasattr and getattr it is absent."""


class MissingName:
    """Stands for a missing name that was imported: every use raises MissingNameError."""

    def __init__(self, name: str):
        object.__setattr__(self, "_name", name)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        del args, kwargs
        name = object.__getattribute__(self, "_name")
        raise MissingNameError(
            f"{name} is used here, and tensorwright has no such name"
        )

    def __getattr__(self, attribute: str) -> Any:
        # Attributes that Python itself looks for must be absent, not broken.
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        frame = sys._getframe(1)
        if _instruction(frame) == "IMPORT_FROM" and not guarded.is_in_try(frame):
            # `import a.b as c` looks up b in a, which is a stand-in.
            return MissingName(f"{object.__getattribute__(self, '_name')}.{attribute}")
        self._refuse()

    def __subclasscheck__(self, subclass: type) -> bool:
        return False

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<missing name {object.__getattribute__(self, '_name')}>"

    __call__ = __getitem__ = __iter__ = __enter__ = __mro_entries__ = _refuse
    __setattr__ = __setitem__ = __bool__ = __len__ = _refuse


class MissingModule(ModuleType):
    """A module that does not exist: its names are MissingNames.

    It does not stay where later imports look, in sys.modules and in its parent: see StandInSpec.
    """

    def __init__(self, name: str):
        super().__init__(name, f"{name}: tensorwright has no such module.")
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or _asks(sys._getframe(1)):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return MissingName(f"{self.__name__}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, MissingModule):
            # The import system has loaded one below this one, and needs this one no longer.
            _forget(self)
        else:
            super().__setattr__(name, value)


class _Parent(ModuleType):
    """The class of packages: a stand-in does not become an attribute of one, so that hasattr does not find it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(value, MissingModule):
            super().__setattr__(name, value)


class StandInSpec(ModuleSpec):
    """The spec of a stand-in, which leaves sys.modules as soon as it is loaded.

    The import statement outside of `try` that asked for it has it then.  A later one inside `try` must not find it.
    """

    def __init__(self, module: MissingModule, loader: Any):
        self._loading = False
        super().__init__(module.__name__, loader, is_package=True)
        self.loader_state = module

    @property
    def _initializing(self) -> bool:
        """The import system sets it while it loads the module."""
        return self._loading

    @_initializing.setter
    def _initializing(self, value: bool) -> None:
        is_loaded = self._loading and not value
        self._loading = value
        # On the way to a module below, the import system looks for this one again.
        if is_loaded and not guarded.loads_below(sys._getframe(1), self.name):
            sys.modules.pop(self.name, None)


def _forget(module: MissingModule) -> None:
    """Takes a stand-in, and those above it, out of sys.modules."""
    name = module.__name__
    while isinstance(sys.modules.get(name), MissingModule):
        del sys.modules[name]
        name = name.rpartition(".")[0]


def stand_in_for_missing(module: ModuleType, alias: str) -> None:
    """Makes `from module import name` give a MissingName where there is no such name.

    `alias` is the module's name under the alias, for the message.  Modules with a `__getattr__` of their own stay
    as they are.
    """
    if type(module) is ModuleType and hasattr(module, "__path__"):
        module.__class__ = _Parent
    if "__getattr__" in vars(module):
        return

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {alias!r} has no attribute {name!r}")
        if hasattr(module, "__path__"):
            submodule = f"{module.__name__}.{name}"
            try:
                return importlib.import_module(submodule)
            except ModuleNotFoundError as error:
                if error.name != submodule:
                    raise
        if not _stands_in(sys._getframe(1)):
            raise AttributeError(f"module {alias!r} has no attribute {name!r}")
        return MissingName(f"{alias}.{name}")

    module.__getattr__ = __getattr__  # type: ignore[method-assign]


def _stands_in(frame: Any) -> bool:
    """Is the attribute looked up by an import statement outside of `try`, not by hasattr or in an expression?"""
    if frame.f_code.co_filename.startswith("<frozen importlib"):
        statement = guarded.importer(frame)
        return statement is None or not guarded.is_in_try(statement)
    imports = _instruction(frame) in ("IMPORT_FROM", "IMPORT_NAME")
    return imports and not guarded.is_in_try(frame)


def _asks(frame: Any) -> bool:
    """Is the attribute looked up by hasattr or getattr, which are written in C, or by an import inside `try`?"""
    asked = _instruction(frame)
    if asked == "IMPORT_FROM":
        return guarded.is_in_try(frame)
    return asked.startswith("CALL")


def _instruction(frame: Any) -> str:
    return dis.opname[frame.f_code.co_code[frame.f_lasti]]
