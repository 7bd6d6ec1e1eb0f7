# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for TensorFlow's names that this package lacks: imported under the alias, they say so when they are used.

A program that imports twenty modules and needs twelve of them runs with these twelve.  One that asks by an import inside
`try` if a name is there gets an ImportError.
"""

from __future__ import annotations

import dis
import importlib
import sys
from types import ModuleType
from typing import Any, NoReturn

from tensorwright.compat import guarded


class MissingNameError(NotImplementedError):
    """A name of TensorFlow's that this package does not have was used."""


class _MissingAttributeError(MissingNameError, AttributeError):
    """The same of an attribute that was looked up: to hasattr and getattr it is absent."""


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
        try:
            self._refuse()
        except MissingNameError as error:
            raise _MissingAttributeError(str(error)) from None

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<missing name {object.__getattribute__(self, '_name')}>"

    __call__ = __getitem__ = __iter__ = __enter__ = __mro_entries__ = _refuse
    __setattr__ = __setitem__ = __bool__ = __len__ = _refuse


class MissingModule(ModuleType):
    """A module that does not exist: its names are MissingNames."""

    def __init__(self, name: str):
        super().__init__(name, f"{name}: tensorwright has no such module.")
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or _asks(sys._getframe(1)):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return MissingName(f"{self.__name__}.{name}")


def stand_in_for_missing(module: ModuleType, alias: str) -> None:
    """Makes `from module import name` give a MissingName where there is no such name.

    `alias` is the module's name under the alias, for the message.  Modules with a `__getattr__` of their own stay
    as they are.
    """
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
