# SPDX-License-Identifier: Apache-2.0
"""tf.user_ops: the ops of the folder user_ops/.

A generated function is public as it is, unless its op is in the `hidden` list of
//python/ops:gen_user_ops.  What `user_ops/<name>.py` defines comes on top: sugar under
the wrapper's name takes its place, and gradients are registered.
"""

import os
import sys
import types

from tensorwright.python.framework import load_library, ops as _ops
from tensorwright.python.ops import gen_user_ops
from tensorwright.python.ops.gen_user_ops import *  # noqa: F403

_INIT = sys.modules[__name__.partition(".")[0]].__file__
assert _INIT is not None  # The package is no namespace.
_FOLDER = os.path.join(os.path.dirname(_INIT), "user_ops")


def my_fact() -> _ops.Tensor:
    """A fact: scalar string."""
    return gen_user_ops._fact()


def _public(module: types.ModuleType) -> dict[str, object]:
    """Returns the public names of a module: `__all__`, or its own functions and classes."""
    if hasattr(module, "__all__"):
        return {name: getattr(module, name) for name in module.__all__}
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    }


def _load(stem: str) -> types.ModuleType:
    """Imports `user_ops/<stem>.py` as a module of this package.

    As one of the package `user_ops` it would hide the function of its name.
    """
    name = f"{__package__}.{stem}"
    if name in sys.modules:
        return sys.modules[name]
    return load_library.import_file(name, os.path.join(_FOLDER, f"{stem}.py"))


for _file in sorted(os.listdir(_FOLDER)):
    _stem, _ending = os.path.splitext(_file)
    if _ending == ".py" and not _stem.startswith("_") and not _stem.endswith("_test"):
        globals().update(_public(_load(_stem)))
