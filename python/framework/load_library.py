# SPDX-License-Identifier: Apache-2.0
"""Loading shared libraries of ops and kernels."""

import importlib.machinery
import os
import sys
import types
from typing import Any

from tensorwright.python import _pywrap

_loaded: dict[str, Any] = {}


def load_op_library(library_filename: str) -> types.ModuleType:
    """Loads a library of ops and makes a module of Python wrappers for them.

    Args:
        library_filename: path of a shared library, looked up as dlopen does.

    Returns:
        A module with a function for each op, and `OP_LIST`.

    Raises:
        NotFoundError: where the library, or a symbol it needs, is missing.
        RuntimeError: where its ops cannot be used.
    """
    library_filename = os.fspath(library_filename)
    key = os.path.realpath(library_filename)
    if key in _loaded:
        return _loaded[key]
    names = _pywrap.load_library(library_filename)
    from tensorwright.python.framework import library_wrappers

    module = types.ModuleType(_module_name(library_filename, names))
    module.__file__ = library_filename
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None)
    library_wrappers.fill_module(module, names)
    sys.modules[module.__name__] = module
    _loaded[key] = module
    return module


def load_library(library_location: str) -> None:
    """Loads a library of ops and kernels, or all libraries of a folder.

    Raises NotFoundError where there is none.
    """
    from tensorwright.python.framework import errors_impl

    if os.path.isdir(library_location):
        files = [
            os.path.join(library_location, f)
            for f in sorted(os.listdir(library_location))
            if f.endswith((".so", ".dylib"))
        ]
    else:
        files = [library_location]
        if not os.path.exists(library_location):
            raise errors_impl.NotFoundError(
                None,
                None,
                f"The file or folder to load kernel libraries from does not exist: "
                f"{library_location}",
            )
    for file in files:
        _pywrap.load_library(file)


def load_file_system_library(library_filename: str) -> None:
    """Loads a library that registers file systems."""
    _pywrap.load_library(os.fspath(library_filename))


def _module_name(file: str, names: list[str]) -> str:
    stem = os.path.splitext(os.path.basename(file))[0]
    digest = abs(hash(tuple(sorted(names)))) % 10**8
    return f"tensorwright_op_library_{stem}_{digest}"
