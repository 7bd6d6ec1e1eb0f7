# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib`: TensorFlow 1.3's contributed modules, each imported when it is first asked for.

A folder `contrib/<name>` is `tf.contrib.<name>`; its `__init__.py` offers TensorFlow's names.  A name that TensorFlow
has and this package lacks raises AttributeError, or ModuleNotFoundError from an import statement, and says so.
"""

import importlib as _importlib
import os as _os
import pkgutil as _pkgutil
import sys as _sys
from typing import Any as _Any

from tensorwright.contrib import _missing


class _LastFinder:
    """Asked after all other finders: a module of TensorFlow's contrib whose folder is missing is not there yet."""

    @staticmethod
    def find_spec(fullname: str, path: _Any = None, target: _Any = None) -> None:
        head, _, name = fullname.rpartition(".")
        if head != __name__ or name not in _missing.MODULES:
            return
        if not any(_os.path.isdir(_os.path.join(p, name)) for p in __path__):
            # Without `name`: `from tensorwright.contrib import x` would replace the text of an error that has one.
            raise ModuleNotFoundError(_missing.text(f"tf.contrib.{name}"))


_sys.meta_path.append(_LastFinder)  # type: ignore[arg-type]


def __getattr__(name: str) -> _Any:
    if not name.startswith("_"):
        dotted = f"{__name__}.{name}"
        try:
            return _importlib.import_module(dotted)
        except ModuleNotFoundError as error:
            # Only a missing module itself is a missing attribute; a module that it imports is an error.
            if error.name not in (dotted, None):
                raise
        if name in _missing.MODULES:
            raise AttributeError(_missing.text(f"tf.contrib.{name}"))
    raise AttributeError(f"there is no tf.contrib.{name}")


def __dir__() -> list[str]:
    folders = {m.name for m in _pkgutil.iter_modules(__path__) if m.ispkg}
    return sorted(folders | {n for n in globals() if n.startswith("__")})
