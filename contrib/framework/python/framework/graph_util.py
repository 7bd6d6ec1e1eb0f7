# SPDX-License-Identifier: Apache-2.0
"""Several nodes of a GraphDef as one."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorwright.core.framework import attr_value_pb2, graph_pb2, node_def_pb2
from tensorwright.python.framework import dtypes
from tensorwright.python.framework.type_aliases import DTypeLike

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef


__all__ = ["fuse_op"]


def _node_name(reference: str) -> str:
    """The node of an input: "^a" and "a:1" are of "a"."""
    return reference.lstrip("^").split(":")[0]


def _reach(starts: Sequence[str], edges: dict[str, list[str]]) -> set[str]:
    seen = set(starts)
    todo = collections.deque(starts)
    while todo:
        for other in edges.get(todo.popleft(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def fuse_op(
    graph_def: GraphDef,
    input_nodes: Sequence[str],
    output_nodes: Sequence[str],
    output_dtypes: Sequence[DTypeLike],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> GraphDef:
    """A GraphDef with one node in the place of all between `input_nodes` and `output_nodes`.

    Args:
        graph_def: the graph.
        input_nodes: the names of the new node's inputs; they stay.
        output_nodes: the nodes whose values the new one makes, in the order of its outputs.
        output_dtypes: the dtypes of these.
        output_quantized: whether the new node's outputs are quantized.
        op_name: the new node's name.
        op_type: its op.

    Raises:
        TypeError: `graph_def` is no GraphDef.
        ValueError: not as many dtypes as outputs.
        AssertionError: a name that is not in the graph.
    """
    if not isinstance(graph_def, graph_pb2.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if len(output_nodes) != len(output_dtypes):
        raise ValueError("output_nodes and output_dtypes must be of the same length")
    nodes = {node.name: node for node in graph_def.node}
    order = {node.name: i for i, node in enumerate(graph_def.node)}
    for name in (*input_nodes, *output_nodes):
        assert name in nodes, f"{name} is not in graph"
    inputs_of = {n: [_node_name(i) for i in node.input] for n, node in nodes.items()}
    # The new node replaces all nodes that the outputs need, down to the inputs.
    stopped = {n: ([] if n in input_nodes else i) for n, i in inputs_of.items()}
    replaced = _reach(list(output_nodes), stopped) - set(input_nodes)
    kept_inputs = _reach(list(input_nodes), inputs_of)
    before = sorted(kept_inputs, key=order.__getitem__)
    after = [n for n in order if n not in replaced and n not in kept_inputs]

    fused = node_def_pb2.NodeDef(name=op_name, op=op_type, input=list(input_nodes))
    types = attr_value_pb2.AttrValue.ListValue(
        type=[dtypes.as_dtype(t).as_datatype_enum for t in output_dtypes]
    )
    fused.attr["_output_types"].list.CopyFrom(types)
    fused.attr["_output_quantized"].b = output_quantized

    out = graph_pb2.GraphDef()
    out.node.extend([*(nodes[n] for n in before), fused])
    place = {name: i for i, name in enumerate(output_nodes)}
    for name in after:
        node = out.node.add()
        node.CopyFrom(nodes[name])
        for i, reference in enumerate(node.input):
            slot = place.get(_node_name(reference))
            if slot is None:
                continue
            if reference.startswith("^"):
                node.input[i] = f"^{op_name}"
            else:
                node.input[i] = op_name if slot == 0 else f"{op_name}:{slot}"
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    return out
