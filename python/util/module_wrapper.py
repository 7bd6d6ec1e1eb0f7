# SPDX-License-Identifier: Apache-2.0
"""A module in front of another one, with names that are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType

_KEPT = ("__file__", "__path__", "__spec__", "__package__", "__loader__")


class TFModuleWrapper(ModuleType):
    """A module with the names of another.

    Packages put one in the place of a module of theirs:
    `sys.modules[__name__] = TFModuleWrapper(sys.modules[__name__], "name")`.

    Args:
        wrapped: the module whose names it has.
        module_name: what the module is called in public.
        public_apis: name -> (module, name there, "" for the module itself) of more names.
        deprecation: not used: names of TensorFlow 1 stay here, and none is warned of.
        has_lite: not used.
    """

    def __init__(
        self,
        wrapped: ModuleType,
        module_name: str,
        public_apis: Mapping[str, tuple[str, str]] | None = None,
        deprecation: bool = True,
        has_lite: bool = False,
    ):
        del deprecation, has_lite
        super().__init__(wrapped.__name__, wrapped.__doc__)
        own = self.__dict__
        own["_tfmw_wrapped_module"] = wrapped
        own["_tfmw_module_name"] = module_name
        own["_tfmw_public_apis"] = dict(public_apis or {})
        own.update({n: getattr(wrapped, n) for n in _KEPT if hasattr(wrapped, n)})

    def __getattr__(self, name: str) -> object:
        wrapped = self.__dict__["_tfmw_wrapped_module"]
        public = self.__dict__["_tfmw_public_apis"]
        if name in public and name not in vars(wrapped):
            path, theirs = public[name]
            module = importlib.import_module(path)
            setattr(wrapped, name, getattr(module, theirs) if theirs else module)
        return getattr(wrapped, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_tfmw_wrapped_module"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["_tfmw_wrapped_module"], name)

    def __dir__(self) -> list[str]:
        own = self.__dict__
        return sorted({*dir(own["_tfmw_wrapped_module"]), *own["_tfmw_public_apis"]})

    def __repr__(self) -> str:
        return repr(self.__dict__["_tfmw_wrapped_module"])

    def __reduce__(self) -> tuple:
        return importlib.import_module, (self.__name__,)
