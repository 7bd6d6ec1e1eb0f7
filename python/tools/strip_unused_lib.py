# SPDX-License-Identifier: Apache-2.0
"""Leaves of a graph what its outputs need of its inputs; `tw strip-unused` does so too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import graph_pb2
from tensorwright.python.framework import graph_util
from tensorwright.python.lib.io import file_io
from tensorwright.python.tools import command_line

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef

# Attrs that tell a placeholder's shape, as far as the replaced node has them.
_SHAPES = ("_output_shapes", "shape")


def strip_unused(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | Sequence[int],
) -> GraphDef:
    """A GraphDef of the nodes between inputs and outputs.

    Args:
        input_graph_def: the graph; it stays as it is.
        input_node_names: nodes in whose place come placeholders; what only they need goes.
        output_node_names: nodes to keep with all they need.
        placeholder_type_enum: the DataType of the placeholders, or one for each.

    Raises:
        KeyError: the graph has no node of a name in `input_node_names`.
        AssertionError: the same of `output_node_names`.
        ValueError: there are not as many types as inputs.
    """
    known = {node.name for node in input_graph_def.node}
    missing = [name for name in input_node_names if name not in known]
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    types = placeholder_type_enum
    if isinstance(types, int):
        types = [types] * len(input_node_names)
    if len(types) != len(input_node_names):
        raise ValueError(
            f"placeholder_type_enum has {len(types)} types for {len(input_node_names)} input nodes"
        )
    type_of: dict[str, Any] = dict(zip(input_node_names, types, strict=True))
    cut = graph_pb2.GraphDef()
    cut.library.CopyFrom(input_graph_def.library)
    cut.versions.CopyFrom(input_graph_def.versions)
    for node in input_graph_def.node:
        copy = cut.node.add()
        if node.name not in type_of:
            copy.CopyFrom(node)
            continue
        copy.name, copy.op = node.name, "Placeholder"
        copy.attr["dtype"].type = type_of[node.name]
        for key in _SHAPES:
            if key in node.attr:
                copy.attr[key].CopyFrom(node.attr[key])
    return graph_util.extract_sub_graph(cut, list(output_node_names))


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: int | Sequence[int],
) -> None:
    """`strip_unused` of a file, with names between commas, into another one.

    Args:
        input_graph: the file of a GraphDef.
        input_binary: whether it is in protobuf's binary format; else it is text.
        output_graph: the file to write.
        output_binary: its format.
        input_node_names: as in `strip_unused`, like the arguments that follow.
        output_node_names: at least one.
        placeholder_type_enum: ...

    Raises:
        ValueError: the file is not there, or there are no output nodes.
    """
    if not file_io.file_exists(input_graph):
        raise ValueError(f"Input graph file '{input_graph}' does not exist!")
    outputs = command_line.names(output_node_names)
    if not outputs:
        raise ValueError(
            "You need to supply the name of a node to --output_node_names."
        )
    graph_def = command_line.read_graph(input_graph, input_binary)
    stripped = strip_unused(
        graph_def, command_line.names(input_node_names), outputs, placeholder_type_enum
    )
    command_line.write_graph(stripped, output_graph, output_binary)
    print(f"{len(stripped.node)} ops in the final graph.")
