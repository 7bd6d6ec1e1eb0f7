# SPDX-License-Identifier: Apache-2.0
"""Python wrappers, made at run time, for the ops of a loaded library.

The text is //tools/op_gen's, as in the tree: typed, documented, readable with `inspect`.
"""

from __future__ import annotations

import linecache
import os
import types
from collections.abc import Callable
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import library_rules, op_def_registry
from tensorwright.python.util.lazy_protos import op_def_pb2

# Under this folder a stack's frames count as the package's, not as the user's.
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fill_module(
    module: types.ModuleType, op_names: list[str], added: list[str]
) -> None:
    """Gives the module a wrapper for every op, and OP_LIST of those that were added."""
    op_list = op_def_pb2.OpList()
    for op_name in added:
        op_def = op_def_registry.get(op_name)
        assert op_def is not None, op_name
        op_list.op.add().CopyFrom(op_def)
    file = os.path.basename(module.__file__ or module.__name__)
    text = _pywrap.print_ops(op_names, file, "python")
    _execute(text, file, vars(module))
    library_rules.note_ops(module, op_names)
    names = vars(module)
    # A library of kernels alone has no wrappers that call it.
    if "_apply_op" in names:
        names["_apply_op"] = library_rules.refining(names["_apply_op"])
    setattr(module, "OP_LIST", op_list)


def exec_wrapper(
    text: str, module_name: str, apply_op: Callable[..., object]
) -> Callable[..., Any]:
    """The one function of a printed module, adding its op by `apply_op`."""
    names: dict[str, Any] = {"__name__": module_name}
    _execute(text, f"{module_name} {len(_made)}", names)
    names["_apply_op"] = apply_op
    _made.append(module_name)
    (function,) = (
        f
        for f in names.values()
        if isinstance(f, types.FunctionType) and f.__globals__ is names
    )
    return function


_made: list[str] = []


def _execute(text: str, label: str, names: dict[str, Any]) -> None:
    file = os.path.join(_FOLDER, "ops", f"<wrappers of {label}>")
    # Stacks, debuggers and inspect.getsource find the text here.
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
