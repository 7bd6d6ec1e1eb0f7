# SPDX-License-Identifier: Apache-2.0
"""The OpDefs of the registered ops, as protos."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python import _pywrap
from tensorwright.python.util.lazy_protos import op_def_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.op_def_pb2 import OpDef, OpList


def register_op_list(op_list: OpList) -> None:
    """Registers those ops of an `OpList` that no C++ code has registered.

    Graphs can hold such an op: they are imported, looked through and written.  The shapes of its outputs are not known,
    and a run of it fails, since it has no kernel.

    Raises:
        ValueError: an `OpDef` that is not valid.
    """
    for op_def in op_list.op:
        if get(op_def.name) is None:
            _pywrap.register_op_def(op_def.SerializeToString())


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
