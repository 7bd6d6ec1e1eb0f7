# SPDX-License-Identifier: Apache-2.0
"""Lists of a module's public names."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

# In docstrings `@@name` on a line of its own names what is public.
_REFERENCE = re.compile(r"^@@(\w+)$", flags=re.MULTILINE)


def make_all(
    module_name: str, doc_string_modules: Sequence[ModuleType] | None = None
) -> list[str]:
    """The public names of a module: those of its `__all__`, else those that docstrings name with `@@`.

    Args:
        module_name: the name of an imported module.
        doc_string_modules: whose docstrings count; None: the module itself.
    """
    module = sys.modules[module_name]
    sources = [module] if doc_string_modules is None else doc_string_modules
    named = {n for s in sources for n in _REFERENCE.findall(s.__doc__ or "")}
    named |= set(getattr(module, "__all__", ()))
    if not named:
        named = {n for n in vars(module) if not n.startswith("_")}
    return sorted(n for n in named if hasattr(module, n))


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Removes the names that `make_all` does not list, nor `allowed_exception_list`, from a module."""
    keep = set(make_all(module_name, doc_string_modules))
    keep |= set(allowed_exception_list or ())
    module = sys.modules[module_name]
    for name in list(vars(module)):
        if name not in keep and not name.startswith("_"):
            delattr(module, name)


__all__ = ["make_all", "remove_undocumented"]
