# SPDX-License-Identifier: Apache-2.0
"""Modules of layers further up that lower ones need late, each under the name of its part.

The package's `__init__` offers them; a lower layer imports one when it first asks for it, and never by its path.
"""

import importlib
from collections.abc import Mapping
from types import ModuleType

_offered: dict[str, str] = {}


def offer(modules: Mapping[str, str]) -> None:
    """Adds full names of modules to those that `part` imports: part -> module."""
    _offered.update(modules)


def part(name: str) -> ModuleType:
    """Returns the module that was offered as `name`, imported now at the latest.  KeyError if none was."""
    return importlib.import_module(_offered[name])
