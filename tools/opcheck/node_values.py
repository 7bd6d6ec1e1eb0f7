# SPDX-License-Identifier: Apache-2.0
"""Python values as attrs and tensors of a GraphDef."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import tensor_util
from tensorwright.tools.opcheck import signature as sig


def set_attr(out: Any, kind: str, value: Any) -> None:
    """Sets an AttrValue of a type to a Python value; None is a shape of unknown rank."""
    if kind.startswith("list("):
        out.list.SetInParent()
        for item in value:
            _append(out.list, kind[5:-1], item)
    elif kind == "shape":
        out.shape.SetInParent()
        _set_shape(out.shape, value)
    elif kind == "string":
        out.s = _bytes(value)
    elif kind == "tensor":
        if isinstance(value, np.ndarray):
            value = tensor_util.make_tensor_proto(value)
        out.tensor.CopyFrom(value)
    elif kind == "func":
        out.func.name = value
    else:
        field = {"int": "i", "float": "f", "bool": "b", "type": "type"}[kind]
        setattr(out, field, value)


def _append(out: Any, kind: str, item: Any) -> None:
    if kind == "shape":
        _set_shape(out.shape.add(), item)
    elif kind == "string":
        out.s.append(_bytes(item))
    elif kind == "func":
        out.func.add().name = item
    else:
        field = {"int": "i", "float": "f", "bool": "b", "type": "type"}[kind]
        getattr(out, field).append(item)


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _set_shape(out: Any, shape: Any) -> None:
    if shape is None:
        out.unknown_rank = True
    else:
        for size in shape:
            out.dim.add(size=size)


def tensor_proto(array: Any, enum: int) -> Any:
    """An array as a TensorProto."""
    from tensorwright.core.framework import tensor_pb2

    proto = tensor_pb2.TensorProto()
    set_tensor(proto, array, enum)
    return proto


def set_tensor(out: Any, array: Any, enum: int) -> None:
    array = np.asarray(array)
    out.dtype = enum
    out.tensor_shape.SetInParent()
    for size in array.shape:
        out.tensor_shape.dim.add(size=size)
    if enum == sig.STRING:
        out.string_val.extend(array.ravel().tolist())
    else:
        out.tensor_content = array.tobytes()
