# SPDX-License-Identifier: Apache-2.0
"""The ops that a graph needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.core.framework import op_def_pb2
from tensorwright.python.framework import op_def_registry

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.framework.op_def_pb2 import OpList


def ops_used_by_graph_def(graph_def: GraphDef) -> set[str]:
    """The names of the ops of a GraphDef and of the functions that it calls, which are not ops themselves."""
    functions = {f.signature.name: f for f in graph_def.library.function}
    used: set[str] = set()
    todo = [node.op for node in graph_def.node]
    seen: set[str] = set()
    while todo:
        op = todo.pop()
        if op in seen:
            continue
        seen.add(op)
        if op in functions:
            todo += [node.op for node in functions[op].node_def]
        else:
            used.add(op)
    return used


def stripped_op_list_for_graph(graph_def: GraphDef) -> OpList:
    """An OpList of the ops of a GraphDef, sorted by name, without documentation.

    Raises:
        ValueError: an op that is not registered.
    """
    found = op_def_pb2.OpList()
    for name in sorted(ops_used_by_graph_def(graph_def)):
        # The ops include those of functions that only an attr names, gradients of others for instance.
        op_def = op_def_registry.get(name)
        if op_def is None:
            raise ValueError(f"Op {name} is used by the graph, but is not registered")
        stripped = found.op.add()
        stripped.CopyFrom(op_def)
        stripped.ClearField("summary")
        stripped.ClearField("description")
        for argument in (*stripped.input_arg, *stripped.output_arg, *stripped.attr):
            argument.ClearField("description")
    return found
