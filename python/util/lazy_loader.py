# SPDX-License-Identifier: Apache-2.0
"""A module that is imported when one of its names is first used."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import MutableMapping


class LazyLoader(ModuleType):
    """Stands for the module `name` until a name of it is asked for; then the module takes its place.

    Args:
        local_name: the name under which `parent_module_globals` has this object.
        parent_module_globals: the globals in which the module replaces it.
        name: the module's full name.
        warning: said in the log when it is imported.
    """

    def __init__(
        self,
        local_name: str,
        parent_module_globals: MutableMapping[str, object],
        name: str,
        warning: str | None = None,
    ):
        super().__init__(name)
        self._local_name = local_name
        self._parent_module_globals = parent_module_globals
        self._warning = warning

    def _load(self) -> ModuleType:
        module = importlib.import_module(self.__name__)
        self._parent_module_globals[self._local_name] = module
        if self._warning:
            tf_logging.warning(self._warning)
            self._warning = None
        # From now on an attribute of this object is found without a call of __getattr__.
        vars(self).update(vars(module))
        return module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __dir__(self) -> list[str]:
        return dir(self._load())


tf_logging: Any = LazyLoader(
    "tf_logging", globals(), "tensorwright.python.platform.tf_logging"
)
