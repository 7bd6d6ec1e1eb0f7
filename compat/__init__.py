# SPDX-License-Identifier: Apache-2.0
"""Makes programs that say `import tensorflow` run on tensorwright.

`alias()` makes `tensorflow` and everything below it another name of this package, in this process:
`import tensorflow as tf`, `from tensorflow.python.ops import array_ops`, `import tensorflow.compat.v1 as tf`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence

from tensorwright.python.util.compat import (  # noqa: F401 (tf.compat's public names)
    as_bytes,
    as_str,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    integral_types,
    path_to_str,
    real_types,
)

_OURS = __name__.partition(".")[0]
_THEIRS = "tensorflow"
# Paths below `tensorflow` that are not spelt the same way below this package.
_RENAMED = {"tensorflow.compat.v1": _OURS, "tensorflow.compat": f"{_OURS}.compat"}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tensorflow.x.y` by importing `tensorwright.x.y`; both names are one module object."""

    def __init__(self) -> None:
        self._own_specs: dict[str, importlib.machinery.ModuleSpec | None] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != _THEIRS and not fullname.startswith(f"{_THEIRS}."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        name = _our_name(spec.name)
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as e:
            if e.name != name:
                raise
            message = f"{spec.name}: tensorwright has no module {name}"
            raise ModuleNotFoundError(message, name=spec.name) from None
        self._own_specs[module.__name__] = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The module has run under its own name; give it back the spec that importlib replaced.
        module.__spec__ = self._own_specs[module.__name__]


def _our_name(name: str) -> str:
    for theirs, ours in _RENAMED.items():
        if name == theirs or name.startswith(f"{theirs}."):
            return ours + name[len(theirs) :]
    return _OURS + name[len(_THEIRS) :]


def alias() -> None:
    """Installs the alias; a second call changes nothing.

    Raises ImportError if a real TensorFlow has been imported already.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if _THEIRS in sys.modules:
        raise ImportError("tensorflow is already imported: call alias() before it is")
    sys.meta_path.insert(0, _Finder())
