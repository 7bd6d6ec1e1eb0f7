# SPDX-License-Identifier: Apache-2.0
"""Converts, types and checks the arguments of an op that is known only by its OpDef."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike

if TYPE_CHECKING:
    from tensorwright.core.framework.op_def_pb2 import OpDef


@dataclasses.dataclass
class Bound:
    """The arguments of one call.

    Attributes:
        tensors: all inputs, lists taken apart.
        sizes: for each input argument the length of its list, None for a Tensor.
        attrs: every attr's value.
        attrs_given: those that inputs do not determine, by name.
        output_types: all outputs, lists taken apart.
        lists_outputs: some output is a list.
    """

    tensors: list[ops.Tensor]
    sizes: list[int | None]
    attrs: dict[str, Any]
    attrs_given: dict[str, Any]
    output_types: list[dtypes.DType]
    lists_outputs: bool

    def group(
        self, values: Sequence[TensorLike]
    ) -> list[TensorLike | list[TensorLike]]:
        """One value an input argument: lists put together again."""
        grouped, at = [], 0
        for size in self.sizes:
            if size is None:
                grouped.append(values[at])
                at += 1
            else:
                grouped.append(list(values[at : at + size]))
                at += size
        return grouped

    def flatten_outputs(self, values: Any) -> list[Any]:
        """Returns the function's results, with lists of outputs taken apart."""
        if not self.lists_outputs:
            return list(values)
        flat: list[Any] = []
        for value in values:
            flat.extend(value if isinstance(value, (list, tuple)) else [value])
        return flat


def bind(
    op_def: OpDef, inputs: Sequence[TensorLike], attrs: Mapping[str, object]
) -> Bound:
    """Converts the values of inputs and attrs, in the order of `op_def`.

    Raises TypeError and ValueError as an op of C++ does.
    """
    known: dict[str, Any] = {}
    specs = {a.name: a for a in op_def.attr}
    for name, value in attrs.items():
        known[name] = _attr(op_def, specs[name], value)
    given = dict(known)
    tensors: list[ops.Tensor] = []
    sizes: list[int | None] = []
    for arg, value in zip(op_def.input_arg, inputs, strict=True):
        if not (arg.number_attr or arg.type_list_attr):
            tensors.append(_tensor(op_def, specs, arg, value, known))
            sizes.append(None)
            continue
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"{op_def.name}: {arg.name} must be a list, got {type(value).__name__}"
            )
        converted = [_tensor(op_def, specs, arg, v, known) for v in value]
        _learn_list(op_def, specs, arg, converted, known)
        tensors += converted
        sizes.append(len(converted))
    types, lists = _output_types(op_def, known)
    return Bound(tensors, sizes, known, given, types, lists)


def _learn_list(op_def: Any, specs: dict, arg: Any, tensors: list, known: dict) -> None:
    """The attrs that a list of inputs determines."""
    if arg.type_list_attr:
        types = [t.dtype.base_dtype for t in tensors]
        if known.setdefault(arg.type_list_attr, types) != types:
            raise TypeError(f"{op_def.name}: {arg.name} has types {types}")
        count, spec = len(types), specs[arg.type_list_attr]
    else:
        count, spec = len(tensors), specs[arg.number_attr]
        if known.setdefault(arg.number_attr, count) != count:
            raise ValueError(
                f"{op_def.name}: {arg.name} has {count} elements, but "
                f"{arg.number_attr} is {known[arg.number_attr]}"
            )
    if spec.has_minimum and count < spec.minimum:
        raise ValueError(
            f"{op_def.name}: {arg.name} must have at least {spec.minimum} elements, "
            f"got {count}"
        )


def _tensor(op_def: Any, specs: dict, arg: Any, value: Any, known: dict) -> ops.Tensor:
    """One input; a type attr that it decides is noted in `known`."""
    if arg.type_list_attr:
        return ops.convert_to_tensor(value)
    if not arg.type_attr:
        return _converted(op_def, arg, value, dtypes.as_dtype(arg.type))
    decided = known.get(arg.type_attr)
    if decided is not None:
        return _converted(op_def, arg, value, decided)
    spec = specs[arg.type_attr]
    default = dtypes.as_dtype(spec.default_value.type) if _has_default(spec) else None
    tensor = ops.convert_to_tensor(value, preferred_dtype=default)
    dtype = tensor.dtype.base_dtype
    _check_allowed(op_def, spec, dtype)
    known[arg.type_attr] = dtype
    return tensor


def _converted(op_def: Any, arg: Any, value: Any, dtype: dtypes.DType) -> ops.Tensor:
    try:
        tensor = ops.convert_to_tensor(value, dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{op_def.name}: {arg.name} must have type {dtype.name}: {error}"
        ) from error
    return tensor


def _has_default(spec: Any) -> bool:
    return spec.HasField("default_value")


def _attr(op_def: Any, spec: Any, value: Any) -> Any:
    """Returns an attr's value, converted to the attr's type; its default for None."""
    if value is None and _has_default(spec):
        value = _default(spec)
    if spec.type.startswith("list("):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{op_def.name}: {spec.name} must be a list, got {value!r}")
        if spec.has_minimum and len(value) < spec.minimum:
            raise ValueError(
                f"{op_def.name}: {spec.name} must have at least {spec.minimum} "
                f"elements, got {len(value)}"
            )
        kind = spec.type[len("list(") : -1]
        return [_attr_item(op_def, spec, kind, v) for v in value]
    value = _attr_item(op_def, spec, spec.type, value)
    if spec.has_minimum and value < spec.minimum:
        raise ValueError(
            f"{op_def.name}: {spec.name} must be at least {spec.minimum}, got {value}"
        )
    return value


def _attr_item(op_def: Any, spec: Any, kind: str, value: Any) -> Any:
    wrong = TypeError(
        f"{op_def.name}: {spec.name} must be of type {kind}, got {value!r}"
    )
    if kind == "type":
        value = dtypes.as_dtype(value).base_dtype
    elif kind == "bool":
        if not isinstance(value, (bool, int)):
            raise wrong
        value = bool(value)
    elif kind in ("int", "float"):
        if isinstance(value, (str, bytes)):
            raise wrong
        try:
            value = int(value) if kind == "int" else float(value)
        except (TypeError, ValueError):
            raise wrong from None
    elif kind == "string":
        if not isinstance(value, (str, bytes)):
            raise wrong
        value = value.decode() if isinstance(value, bytes) else value
    _check_allowed(op_def, spec, value)
    return value


def _check_allowed(op_def: Any, spec: Any, value: Any) -> None:
    if not spec.HasField("allowed_values"):
        return
    allowed: list[Any]
    if isinstance(value, dtypes.DType):
        allowed = [dtypes.as_dtype(t) for t in spec.allowed_values.list.type]
        if value not in allowed:
            names = ", ".join(t.name for t in allowed)
            raise TypeError(
                f"{op_def.name}: {spec.name} must be one of {names}, got {value.name}"
            )
    elif spec.allowed_values.list.s:
        allowed = [s.decode() for s in spec.allowed_values.list.s]
        if value not in allowed:
            names = ", ".join(map(repr, allowed))
            raise ValueError(
                f"{op_def.name}: {spec.name} must be one of {names}, got {value!r}"
            )


def _default(spec: Any) -> Any:
    value = spec.default_value
    if spec.type.startswith("list("):
        fields = [f for _, f in value.list.ListFields()]
        return list(fields[0]) if fields else []
    return getattr(value, value.WhichOneof("value"))


def _output_types(op_def: Any, known: dict) -> tuple[list[dtypes.DType], bool]:
    types: list[dtypes.DType] = []
    lists = False
    for arg in op_def.output_arg:
        lists |= bool(arg.number_attr or arg.type_list_attr)
        if arg.type_list_attr:
            types += known[arg.type_list_attr]
            continue
        dtype = known[arg.type_attr] if arg.type_attr else dtypes.as_dtype(arg.type)
        types += [dtype] * (known[arg.number_attr] if arg.number_attr else 1)
    return types, lists
