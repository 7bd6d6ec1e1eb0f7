# SPDX-License-Identifier: Apache-2.0
"""How the items of a collection are written to a MetaGraphDef and read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.framework import registry
from tensorwright.python.framework.graph_keys import GraphKeys
from tensorwright.python.util import later

if TYPE_CHECKING:
    from google.protobuf.message import Message

# The collections of variables that are written.
KEYS_OF_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.GLOBAL_STEP,
)

_registry = registry.Registry("proto functions")


class _ProtoFunctions(NamedTuple):
    proto_type: Any
    to_proto: Callable[..., Any] | None
    from_proto: Callable[..., Any] | None


def register_proto_function(
    collection_name: str,
    proto_type: type[Message] | None = None,
    to_proto: Callable[..., object] | None = None,
    from_proto: Callable[..., object] | None = None,
) -> None:
    """Registers `to_proto(item, export_scope)` and `from_proto(proto, import_scope)`."""
    for function in (to_proto, from_proto):
        if function is not None and not callable(function):
            raise TypeError("to_proto and from_proto must be callable.")
    entry = _ProtoFunctions(proto_type, to_proto, from_proto)
    _registry.register(entry, collection_name, depth=2)


def _lookup(collection_name: str) -> _ProtoFunctions:
    later.part("collections")
    try:
        return _registry.lookup(collection_name)
    except LookupError:
        return _ProtoFunctions(None, None, None)


def get_collection_proto_type(collection_name: str) -> type[Message] | None:
    return _lookup(collection_name).proto_type


def get_to_proto_function(
    collection_name: str,
) -> Callable[..., Message | None] | None:
    return _lookup(collection_name).to_proto


def get_from_proto_function(collection_name: str) -> Callable[..., object] | None:
    return _lookup(collection_name).from_proto
