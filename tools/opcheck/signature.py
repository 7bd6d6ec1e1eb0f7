# SPDX-License-Identifier: Apache-2.0
"""An op's registration in the form that drawing calls of it needs."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes

FLOAT, DOUBLE, INT32, STRING = 1, 2, 3, 7
COMPLEX64, INT64, BOOL, BFLOAT16 = 8, 9, 10, 14
COMPLEX128, HALF, RESOURCE, VARIANT = 18, 19, 20, 21

# The values of an attr `T: type`: every dtype of plain data.
ALL_TYPES = (*range(1, 20), 22, 23)
FLOATS = (FLOAT, DOUBLE, HALF, BFLOAT16)
COMPLEXES = (COMPLEX64, COMPLEX128)
QUANTIZED = (11, 12, 13, 15, 16)
INTEGERS = (INT32, INT64, 4, 5, 6, 17, 22, 23)


def numpy_type(enum: int) -> Any:
    """The NumPy dtype of a dtype enum's arrays."""
    return np.dtype(dtypes.as_dtype(enum).as_numpy_dtype)


def type_name(enum: int) -> str:
    return dtypes.as_dtype(enum).name


@dataclasses.dataclass(frozen=True)
class Arg:
    """An input or output: its dtype or the attrs that say it."""

    name: str
    type: int
    type_attr: str
    number_attr: str
    type_list_attr: str
    is_ref: bool

    @property
    def is_list(self) -> bool:
        return bool(self.number_attr or self.type_list_attr)


class Signature:
    """An op: arguments, attrs, CPU kernels and the place of its registration."""

    def __init__(self, name: str):
        from tensorwright.core.framework import op_def_pb2

        data = _pywrap.op_registration(name)
        self.name = name
        self.op_def = op_def_pb2.OpDef.FromString(data["op_def"])
        self.file, self.line = data["file"], data["line"]
        self.has_shape_fn = bool(data["shape_fn_line"])
        self.inputs = [_arg(a) for a in self.op_def.input_arg]
        self.outputs = [_arg(a) for a in self.op_def.output_arg]
        self.attrs = {a.name: a for a in self.op_def.attr}
        # Per kernel: type attr -> the dtypes it takes; those of the CPU, and of any device.
        self.kernels: list[dict[str, list[int]]] = []
        self.all_kernels: list[dict[str, list[int]]] = []
        for k in _pywrap.kernel_registrations(name):
            takes = {
                attr: [dtypes.as_dtype(t).as_datatype_enum for t in types]
                for attr, types in k["constraints"].items()
            }
            self.all_kernels.append(takes)
            if k["device"] == "CPU" and not k["label"]:
                self.kernels.append(takes)

    def allowed_types(self, attr: str) -> list[int]:
        """The dtypes that a type (or list(type)) attr admits."""
        allowed = self.attrs[attr].allowed_values.list.type
        return list(allowed) or list(ALL_TYPES)

    def takes(self, types: dict[str, int]) -> bool:
        """Is there a CPU kernel for these values of the type attrs?"""
        return any(
            all(types.get(attr) in ok for attr, ok in k.items() if attr in types)
            for k in self.kernels
        )

    def variables(self) -> int:
        """How many inputs are variables."""
        return sum(a.is_ref or a.type == RESOURCE for a in self.inputs)


def value_of(value: Any, kind: str) -> Any:
    """An AttrValue of a type of attr as a Python value; None for a shape of unknown rank."""
    if kind.startswith("list("):
        field = {"string": "s", "int": "i", "float": "f", "bool": "b"}
        items = getattr(value.list, field.get(kind[5:-1], kind[5:-1]))
        return [i.decode() if isinstance(i, bytes) else i for i in items]
    if kind == "string":
        return value.s.decode("utf-8", "surrogateescape")
    if kind == "shape":
        if value.shape.unknown_rank:
            return None
        return [d.size for d in value.shape.dim]
    if kind == "tensor":
        return value.tensor
    if kind == "func":
        return value.func.name
    return getattr(value, {"int": "i", "float": "f", "type": "type"}[kind])


def _arg(a: Any) -> Arg:
    return Arg(a.name, a.type, a.type_attr, a.number_attr, a.type_list_attr, a.is_ref)


def registered_ops(internal: bool = False) -> list[str]:
    """All registered names, sorted; those with a leading underscore if asked for."""
    names = sorted(op["name"] for op in _pywrap.op_registrations())
    return [n for n in names if internal or not n.startswith("_")]


def part_of(names: list[str], part: str) -> list[str]:
    """Every N-th of the names, from the I-th; `part` is "I/N", counted from 1.

    Raises:
      ValueError: if it is not.
    """
    index, of = (int(n) for n in part.split("/"))
    if not 1 <= index <= of:
        raise ValueError(f"a part is I/N with 1 <= I <= N, not {part}")
    return names[index - 1 :: of]
