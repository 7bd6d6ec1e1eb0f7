# SPDX-License-Identifier: Apache-2.0
"""ProjectorConfig, which tells TensorBoard's projector what to show, with TensorBoard's field numbers.

It is made here of its description: no C++ needs it.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_TEXT, _NUMBER, _MESSAGE = 9, 13, 11
_ONE, _MANY = 1, 3
_PACKAGE = "tensorwright.contrib.projector"
# Message -> fields: (name, number, type, label, type name).
_MESSAGES = {
    "SpriteMetadata": [
        ("image_path", 1, _TEXT, _ONE, ""),
        ("single_image_dim", 2, _NUMBER, _MANY, ""),
    ],
    "EmbeddingInfo": [
        ("tensor_name", 1, _TEXT, _ONE, ""),
        ("metadata_path", 2, _TEXT, _ONE, ""),
        ("bookmarks_path", 3, _TEXT, _ONE, ""),
        ("tensor_shape", 4, _NUMBER, _MANY, ""),
        ("sprite", 5, _MESSAGE, _ONE, "SpriteMetadata"),
        ("tensor_path", 6, _TEXT, _ONE, ""),
    ],
    "ProjectorConfig": [
        ("model_checkpoint_path", 1, _TEXT, _ONE, ""),
        ("embeddings", 2, _MESSAGE, _MANY, "EmbeddingInfo"),
        ("model_checkpoint_dir", 3, _TEXT, _ONE, ""),
    ],
}


def _describe() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name="tensorwright/contrib/tensorboard/projector_config.proto",
        package=_PACKAGE,
        syntax="proto3",
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, label, of in fields:
            made = message.field.add(name=field, number=number, type=kind, label=label)
            if of:
                made.type_name = f".{_PACKAGE}.{of}"
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.Add(_describe())


def _class(name: str) -> type:
    descriptor = _pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(_pool).GetPrototype(descriptor)


SpriteMetadata = _class("SpriteMetadata")
EmbeddingInfo = _class("EmbeddingInfo")
ProjectorConfig = _class("ProjectorConfig")
