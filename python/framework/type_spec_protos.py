# SPDX-License-Identifier: Apache-2.0
"""TypeSpecs as `TypeSpecProto`s: a class of a spec and its arguments, a nest of plain values."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, cast

from tensorwright.core.protobuf import struct_pb2
from tensorwright.python.framework import dtypes, tensor_shape, tensor_spec, type_spec
from tensorwright.python.framework.type_aliases import TensorLike

if TYPE_CHECKING:
    from tensorwright.core.protobuf.struct_pb2 import StructuredValue, TypeSpecProto

_Class = struct_pb2.TypeSpecProto
# Specs that have a number of their own; others have REGISTERED_TYPE_SPEC and their name.
_NUMBERS = {
    "SparseTensorSpec": _Class.SPARSE_TENSOR_SPEC,
    "IndexedSlicesSpec": _Class.INDEXED_SLICES_SPEC,
    "TensorArraySpec": _Class.TENSOR_ARRAY_SPEC,
    "DatasetSpec": _Class.DATA_DATASET_SPEC,
}


def encode_spec(spec: type_spec.TypeSpec) -> TypeSpecProto:
    """A `TypeSpecProto`.  TypeError for a class that has no name in protos."""
    for name, cls in type_spec._registered.items():
        if cls is type(spec):
            return struct_pb2.TypeSpecProto(
                type_spec_class=_NUMBERS.get(name, _Class.REGISTERED_TYPE_SPEC),
                type_state=encode(spec._serialize()),
                type_spec_class_name=name,
                num_flat_components=len(spec.flatten()),
            )
    raise TypeError(
        f"{type(spec)} has no name in protos: decorate it with type_spec.register"
    )


def decode_spec(proto: TypeSpecProto) -> type_spec.TypeSpec:
    """Returns the spec that `encode_spec` was given."""
    names = [n for n, number in _NUMBERS.items() if number == proto.type_spec_class]
    if proto.type_spec_class == _Class.REGISTERED_TYPE_SPEC:
        names = [proto.type_spec_class_name]
    cls = type_spec._registered.get(names[0]) if names else None
    if cls is None:
        raise ValueError(
            f"No TypeSpec here is the proto's "
            f"{_Class.TypeSpecClass.Name(proto.type_spec_class)} "
            f"{proto.type_spec_class_name!r}"
        )
    return cls._deserialize(decode(proto.type_state))


def encode(value: TensorLike) -> StructuredValue:
    """Returns a `StructuredValue`.  TypeError for a value that has no place in one."""
    proto = struct_pb2.StructuredValue()
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, bool):
        proto.bool_value = value
    elif isinstance(value, int):
        proto.int64_value = value
    elif isinstance(value, float):
        proto.float64_value = value
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, tensor_shape.TensorShape):
        proto.tensor_shape_value.CopyFrom(value.as_proto())
    elif isinstance(value, dtypes.DType):
        proto.tensor_dtype_value = cast(Any, value.as_datatype_enum)
    elif isinstance(value, type_spec.TypeSpec):
        spec = value.experimental_as_proto()
        is_tensor = isinstance(spec, struct_pb2.TensorSpecProto)
        (proto.tensor_spec_value if is_tensor else proto.type_spec_value).CopyFrom(spec)
    else:
        _encode_nest(value, proto)
    return proto


def _encode_nest(value: Any, proto: Any) -> None:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError(f"Keys of a dict in a proto are str: {value!r}")
        proto.dict_value.SetInParent()
        for key, part in value.items():
            proto.dict_value.fields[key].CopyFrom(encode(part))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        proto.named_tuple_value.name = type(value).__name__
        for key, part in zip(cast(Any, value)._fields, value):
            proto.named_tuple_value.values.add(key=key, value=encode(part))
    elif isinstance(value, (list, tuple)):
        nest = proto.list_value if isinstance(value, list) else proto.tuple_value
        nest.SetInParent()
        nest.values.extend(encode(part) for part in value)
    else:
        raise TypeError(f"A {type(value)} has no place in a StructuredValue: {value!r}")


def decode(proto: StructuredValue) -> Any:
    """Returns the value that `encode` was given.  ValueError for an unknown kind."""
    kind = proto.WhichOneof("kind")
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return getattr(proto, kind)
    if kind == "none_value":
        return None
    if kind == "tensor_shape_value":
        return tensor_shape.TensorShape(proto.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return dtypes.as_dtype(proto.tensor_dtype_value)
    if kind == "tensor_spec_value":
        return tensor_spec.TensorSpec.experimental_from_proto(proto.tensor_spec_value)
    if kind == "type_spec_value":
        return decode_spec(proto.type_spec_value)
    if kind == "dict_value":
        return {key: decode(part) for key, part in proto.dict_value.fields.items()}
    if kind == "list_value":
        return [decode(part) for part in proto.list_value.values]
    if kind == "tuple_value":
        return tuple(decode(part) for part in proto.tuple_value.values)
    if kind == "named_tuple_value":
        pairs = proto.named_tuple_value
        cls = collections.namedtuple(pairs.name, [pair.key for pair in pairs.values])
        return cls(*[decode(pair.value) for pair in pairs.values])
    raise ValueError(f"A StructuredValue of kind {kind} is not known here")
