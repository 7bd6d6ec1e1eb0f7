# SPDX-License-Identifier: Apache-2.0
"""HParamDef, the proto of hyperparameters, with TensorFlow's field numbers.

It is made here of its description: it is the one proto of tf.contrib, and no C++ needs it.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "Int64": _FIELD.TYPE_INT64,
    "Float": _FIELD.TYPE_FLOAT,
    "Bytes": _FIELD.TYPE_BYTES,
    "Bool": _FIELD.TYPE_BOOL,
}
# The numbers of HParamType's fields: the scalar's, and the list's.
_NUMBERS = {"Int64": (1, 4), "Float": (2, 5), "Bytes": (3, 6), "Bool": (7, 8)}
_FULL = ".tensorwright.HParamDef."


def _describe() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name="tensorwright/contrib/training/hparam.proto",
        package="tensorwright",
        syntax="proto3",
    )
    message = file.message_type.add(name="HParamDef")
    for kind, number in _SCALARS.items():
        message.nested_type.add(name=f"{kind}List").field.add(
            name="value", number=1, type=number, label=_FIELD.LABEL_REPEATED
        )
    one = message.nested_type.add(name="HParamType")
    one.oneof_decl.add(name="kind")
    for kind, (scalar, listed) in _NUMBERS.items():
        base = {"label": _FIELD.LABEL_OPTIONAL, "oneof_index": 0}
        name = kind.lower()
        one.field.add(name=f"{name}_value", number=scalar, type=_SCALARS[kind], **base)
        one.field.add(
            name=f"{name}_list",
            number=listed,
            type=_FIELD.TYPE_MESSAGE,
            type_name=f"{_FULL}{kind}List",
            **base,
        )
    entry = message.nested_type.add(name="HparamEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=_FIELD.TYPE_STRING, label=1)
    entry.field.add(
        name="value", number=2, type=11, label=1, type_name=f"{_FULL}HParamType"
    )
    message.field.add(
        name="hparam", number=1, type=11, label=3, type_name=f"{_FULL}HparamEntry"
    )
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.Add(_describe())
_descriptor = _pool.FindMessageTypeByName("tensorwright.HParamDef")
if hasattr(message_factory, "GetMessageClass"):
    HParamDef = message_factory.GetMessageClass(_descriptor)
else:
    HParamDef = message_factory.MessageFactory(_pool).GetPrototype(_descriptor)
