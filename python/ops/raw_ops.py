# SPDX-License-Identifier: Apache-2.0
"""tf.raw_ops: each registered op as a function of its name, whose arguments are the op's inputs and attrs, by name.

tf.raw_ops.Add(x=1.0, y=2.0, name="sum")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import op_def_library, op_def_registry

_library = op_def_library.OpDefLibrary()


def _parameters(op_def: Any) -> list[inspect.Parameter]:
    """Inputs first, then the attrs that no input tells, then `name`."""
    inferred = set()
    for arg in op_def.input_arg:
        inferred |= {arg.type_attr, arg.number_attr, arg.type_list_attr}
    kind = inspect.Parameter.KEYWORD_ONLY
    found = [inspect.Parameter(arg.name, kind) for arg in op_def.input_arg]
    for attr in op_def.attr:
        if attr.name not in inferred:
            given = attr.HasField("default_value")
            default = None if given else inspect.Parameter.empty
            found.append(inspect.Parameter(attr.name, kind, default=default))
    return [*found, inspect.Parameter("name", kind, default=None)]


def _function(op_name: str) -> Callable[..., Any]:
    op_def = op_def_registry.get(op_name)
    assert op_def is not None, op_name

    def raw_op(**kwargs: Any) -> Any:
        given = {k: v for k, v in kwargs.items() if k == "name" or v is not None}
        return _library.apply_op(op_name, **given)

    raw_op.__name__ = raw_op.__qualname__ = op_name
    raw_op.__module__ = __name__
    raw_op.__doc__ = op_def.summary or f"The op {op_name}."
    raw_op.__signature__ = inspect.Signature(_parameters(op_def))  # type: ignore[attr-defined]
    return raw_op


def _names() -> list[str]:
    return [n for n in op_def_registry.get_registered_ops() if not n.startswith("_")]


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in op_def_registry.get_registered_ops():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _function(name)
    return value


def __dir__() -> list[str]:
    return sorted(_names())
