# SPDX-License-Identifier: Apache-2.0
"""The op registry as plain data: the schema of a conformance dump, and one-line signatures."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes


def ops() -> list[dict[str, Any]]:
    """Every public op (no leading underscore), sorted by name: name, inputs, outputs, attrs, flags."""
    registered = (_op(data) for data in _pywrap.op_registrations())
    return sorted(
        (op for op in registered if not op["name"].startswith("_")),
        key=lambda op: op["name"],
    )


def signature(op: dict[str, Any]) -> str:
    """`MatMul(a: T, b: T) -> product: T` and the like."""
    inputs = ", ".join(f"{a['name']}: {a['type']}" for a in op["inputs"])
    outputs = ", ".join(f"{a['name']}: {a['type']}" for a in op["outputs"])
    return f"{op['name']}({inputs}) -> {outputs or 'nothing'}"


def similar_ops(name: str, public: Iterable[str] | None = None) -> list[str]:
    """Registered names close to a misspelt one; who asks often gives the names that public_names returned."""
    names = {n.lower(): n for n in (public_names() if public is None else public)}
    close = difflib.get_close_matches(name.lower().replace("_", ""), names, 3, 0.75)
    return [names[c] for c in close]


def public_names() -> list[str]:
    """The names of every public op, sorted."""
    names = (data["name"] for data in _pywrap.op_registrations())
    return sorted(name for name in names if not name.startswith("_"))


def _op(data: dict[str, Any]) -> dict[str, Any]:
    from tensorwright.core.framework import op_def_pb2

    op = op_def_pb2.OpDef.FromString(data["op_def"])
    return {
        "name": op.name,
        "inputs": [_arg(a) for a in op.input_arg],
        "outputs": [_arg(a) for a in op.output_arg],
        "attrs": [_attr(a) for a in op.attr],
        "stateful": op.is_stateful,
        "commutative": op.is_commutative,
        "aggregate": op.is_aggregate,
    }


def _arg(arg: Any) -> dict[str, str]:
    base = arg.type_attr or arg.type_list_attr or _type_name(arg.type)
    if arg.number_attr:
        base = f"{arg.number_attr}*{base}"
    return {"name": arg.name, "type": f"Ref({base})" if arg.is_ref else base}


def _type_name(enum: int) -> str:
    """The name that op specs use: `float`, `half`, `double`, ..."""
    return {"float32": "float", "float16": "half", "float64": "double"}.get(
        dtypes.as_dtype(enum).name, dtypes.as_dtype(enum).name
    )


def _attr(attr: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"name": attr.name, "type": attr.type}
    if attr.HasField("default_value"):
        out["default"] = _value(attr.default_value, attr.type)
    if attr.HasField("allowed_values"):
        allowed = attr.allowed_values.list
        names = [_type_name(t) for t in allowed.type]
        out["allowed"] = names or [s.decode() for s in allowed.s]
    if attr.has_minimum:
        out["minimum"] = attr.minimum
    return out


def _value(value: Any, kind: str) -> Any:
    if kind.startswith("list("):
        item = kind[5:-1]
        field = {"string": "s", "int": "i", "float": "f", "bool": "b"}.get(item, item)
        return [_scalar(v, item) for v in getattr(value.list, field)]
    field = {"string": "s", "int": "i", "float": "f", "bool": "b"}.get(kind, kind)
    return _scalar(getattr(value, field), kind)


def _scalar(value: Any, kind: str) -> Any:
    if kind == "string":
        return value.decode("utf-8", "backslashreplace")
    if kind == "type":
        return _type_name(value)
    if kind == "shape":
        if value.unknown_rank:
            return {"unknown_rank": True}
        return [d.size for d in value.dim]
    if kind == "func":
        return value.name
    return str(value) if kind == "tensor" else value
