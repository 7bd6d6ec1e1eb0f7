# SPDX-License-Identifier: Apache-2.0
"""The OpDefs of the registered ops, as protos."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python import _pywrap
from tensorwright.python.util.lazy_protos import op_def_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.op_def_pb2 import OpDef, OpList


def register_op_list(op_list: OpList) -> None:
    """Checks that every op of an `OpList` is registered in C++ with that signature.

    Raises ValueError for an op that is not: ops are registered by their C++ code.
    """
    for op_def in op_list.op:
        if get(op_def.name) is None:
            raise ValueError(f"Op {op_def.name} is not registered")


def get(name: str) -> OpDef | None:
    """The `OpDef` of an op, or None."""
    try:
        data = _pywrap.op_registration(name)
    except KeyError:
        return None
    return op_def_pb2.OpDef.FromString(data["op_def"])


def get_registered_ops() -> dict[str, OpDef]:
    """Every registered `OpDef` by name."""
    parse = op_def_pb2.OpDef.FromString
    return {d["name"]: parse(d["op_def"]) for d in _pywrap.op_registrations()}


def sync() -> None:
    """Does nothing: C++'s registry is the only one, and is asked each time."""
