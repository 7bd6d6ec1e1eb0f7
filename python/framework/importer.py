# SPDX-License-Identifier: Apache-2.0
"""import_graph_def: a GraphDef's nodes into the default graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import (
    conversion,
    errors_impl,
    name_scopes,
    op_def_registry,
)
from tensorwright.python.framework.default_stack import get_default_graph
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.util import later
from tensorwright.python.util.lazy_protos import graph_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def import_graph_def(
    graph_def: GraphDef,
    input_map: Mapping[str, TensorLike | SparseTensor] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: Message | None = None,
) -> list[Any] | Any:
    """Adds the nodes of a `GraphDef` to the default graph.

    Args:
        graph_def: the proto; TensorFlow's own class is accepted too.
        input_map: names of tensors in `graph_def` ("x", "x:1", "^op") -> tensors of
            the default graph that take their place.
        return_elements: the names of the elements of `graph_def` to return.
        name: a scope for the new operations, "import" by default; "" for none.
        op_dict: ignored; ops are those registered.
        producer_op_list: the producer's `OpList`: attrs that we do not know are
            dropped where they have the producer's default value.

    Returns:
        The operations and tensors `return_elements` names, in that order.

    Raises:
        TypeError: for arguments of the wrong kind.
        ValueError: for a graph_def that is not valid, an unknown op, or names that
            are not in it.
    """
    del op_dict
    graph_def = _check_graph_def(graph_def)
    input_map = _check_input_map(input_map)
    return_names = _check_return_elements(return_elements)
    if producer_op_list is not None:
        graph_def = _without_unknown_defaults(graph_def, producer_op_list)
    with name_scopes.name_scope(name, "import", list(input_map.values())) as scope:
        graph = get_default_graph()
        prefix = scope.removesuffix("/")
        input_map = _convert_inputs(input_map, prefix)
        controls = graph._control_dependencies_for_inputs(input_map.values())
        try:
            new_ops = graph._import(
                graph_def.SerializeToString(),
                prefix,
                input_map,
                controls,
                graph._device,
            )
        except errors_impl.OpError as error:
            raise ValueError(error.message) from None
        if graph_def.library.function:
            later.part("function gradients").add_missing_gradients(graph, graph_def)
        if not graph._plain:
            for op in new_ops:
                graph._complete_op(op)
    if return_names is None:
        return None
    by_name = {n.name: op for n, op in zip(graph_def.node, new_ops)}
    return [_find(by_name, input_map, n) for n in return_names]


def _check_graph_def(graph_def: Any) -> Any:
    if isinstance(graph_def, graph_pb2.GraphDef):
        return graph_def
    descriptor = getattr(graph_def, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != "GraphDef":
        raise TypeError("graph_def must be a GraphDef proto.")
    return graph_pb2.GraphDef.FromString(graph_def.SerializeToString())


def _check_input_map(input_map: Any) -> dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, dict) or not all(
        isinstance(k, (str, bytes)) for k in input_map
    ):
        raise TypeError(
            "input_map must be a dictionary mapping strings to Tensor objects."
        )
    return {k.decode() if isinstance(k, bytes) else k: v for k, v in input_map.items()}


def _check_return_elements(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    if isinstance(return_elements, (str, bytes)) or not all(
        isinstance(r, (str, bytes)) for r in return_elements
    ):
        raise TypeError("return_elements must be a list of strings.")
    return [r.decode() if isinstance(r, bytes) else r for r in return_elements]


def _convert_inputs(input_map: dict[str, Any], prefix: str) -> dict[str, Any]:
    if all(isinstance(v, (Tensor, Operation)) for v in input_map.values()):
        return input_map
    if not prefix:
        raise ValueError(
            "import_graph_def: values of input_map that are no Tensors are made such "
            "in the scope `name`, which must not be empty"
        )
    with name_scopes.name_scope("_inputs"):
        return {
            k: v if isinstance(v, Operation) else conversion.convert_to_tensor(v)
            for k, v in input_map.items()
        }


def _without_unknown_defaults(graph_def: Any, producer_op_list: Any) -> Any:
    """A copy less the attrs that only the producer knows and has at their default."""
    defaults = {
        op.name: {
            a.name: a.default_value for a in op.attr if a.HasField("default_value")
        }
        for op in producer_op_list.op
    }
    result = graph_pb2.GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        op_def = op_def_registry.get(node.op)
        if op_def is None:
            continue
        known = {a.name for a in op_def.attr}
        for attr, default in defaults.get(node.op, {}).items():
            if attr in known or attr not in node.attr:
                continue
            value = node.attr[attr]
            if value.SerializeToString() == default.SerializeToString():
                del node.attr[attr]
    return result


def _find(by_name: dict[str, Operation], input_map: dict, name: str) -> Any:
    op_name, colon, index = name.partition(":")
    if colon and not index.isdigit():
        raise ValueError(f"Requested return_element {name!r} is not a tensor name.")
    for key in (name, op_name) if int(index or 0) == 0 and colon else (name,):
        if colon and key in input_map:
            return input_map[key]
    op = by_name.get(op_name)
    if op is None or (colon and int(index) >= len(op.outputs)):
        raise ValueError(f"Requested return_element {name!r} not found in graph_def.")
    return op.outputs[int(index)] if colon else op
