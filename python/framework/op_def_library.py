# SPDX-License-Identifier: Apache-2.0
"""Adds ops by name, for generated wrappers; `OpDefLibrary` is TensorFlow's class for it."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.util.lazy_protos import op_def_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

# apply_op(op_type, name, inputs, attrs) -> Operation
apply_op = _pywrap.apply_op

_signatures: dict[str, tuple[list, set[str]]] = {}
_result_types: dict[str, Any] = {}


def _op_def(op_type: str) -> Any:
    try:
        data = _pywrap.op_registration(op_type)
    except KeyError:
        raise RuntimeError(f"Unrecognized Op name {op_type}") from None
    return op_def_pb2.OpDef.FromString(data["op_def"])


def _signature(op_type: str) -> tuple[list, set[str]]:
    """(input argument names, names of all attrs) of an op."""
    found = _signatures.get(op_type)
    if found is None:
        op_def = _op_def(op_type)
        found = _signatures[op_type] = (
            [arg.name for arg in op_def.input_arg],
            {attr.name for attr in op_def.attr},
        )
    return found


def _outputs(op: Any) -> Any:
    """Returns an operation's outputs in the form in which its wrapper returns them."""
    args = op.op_def.output_arg
    if not args:
        return op
    values, start = [], 0
    for arg in args:
        if arg.number_attr:
            size = op.get_attr(arg.number_attr)
        elif arg.type_list_attr:
            size = len(op.get_attr(arg.type_list_attr))
        else:
            values.append(op.outputs[start])
            start += 1
            continue
        values.append(op.outputs[start : start + size])
        start += size
    if len(values) == 1:
        return values[0]
    result = _result_types.get(op.type)
    if result is None:
        names = [a.name for a in args]
        result = collections.namedtuple("_" + op.type + "Output", names, rename=True)
        _result_types[op.type] = result
    return result(*values)


class OpDefLibrary:
    """Adds ops whose name and arguments are only known at run time."""

    def add_op(self, op_def: Message) -> None:
        """Accepted for compatibility: every registered op is known."""

    def add_op_list(self, op_list: Message) -> None:
        """Accepted for compatibility: every registered op is known."""

    def apply_op(self, op_type_name: str, name: str | None = None, **keywords: object):
        """Adds an op; `keywords` are its inputs and attrs by name.

        Returns the output Tensor, a list, a namedtuple of several, or the Operation
        of an op without outputs.  Raises TypeError and ValueError as wrappers do.
        """
        input_names, attr_names = _signature(op_type_name)
        inputs = []
        for arg in input_names:
            # An argument named like a Python keyword has "_" behind it.
            key = arg if arg in keywords else arg + "_"
            if key not in keywords:
                raise TypeError(f"No argument for input {arg}")
            inputs.append(keywords.pop(key))
        attrs = {}
        for key in list(keywords):
            attr = key if key in attr_names else key.removesuffix("_")
            if attr not in attr_names:
                continue
            attrs[attr] = keywords.pop(key)
        if keywords:
            names = ", ".join(sorted(keywords))
            raise TypeError(f"apply_op() got unexpected keyword arguments: {names}")
        return _outputs(_pywrap.apply_op(op_type_name, name, tuple(inputs), attrs))


_op_def_lib = OpDefLibrary()
