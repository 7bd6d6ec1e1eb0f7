# SPDX-License-Identifier: Apache-2.0
"""Contexts of conditionals and loops as collections of a meta graph keep them.

A graph that is imported with them can be differentiated: its operations know the branch or the loop they belong to.
Names are written without the export scope, and read with the import scope in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.core.protobuf.control_flow_pb2 import (
        CondContextDef,
        ValuesDef,
        WhileContextDef,
    )
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._control_flow.control_flow_ops_context import (
        ControlFlowContext,
    )


def in_scope(context: ControlFlowContext, export_scope: str | None) -> bool:
    """Whether a context is written when `export_scope` is exported."""
    return export_scope is None or context.name.startswith(export_scope)


def write_values(
    context: ControlFlowContext, values_def: ValuesDef, export_scope: str | None
) -> None:
    """Fills a ValuesDef with the context's tensors."""

    def name(tensor: ops.Tensor) -> str:
        return ops.strip_name_scope(tensor.name, export_scope)

    values_def.values.extend(sorted(name(v) for v in context._values))
    for outside, inside in context._external_values.items():
        values_def.external_values[name(outside)] = name(inside)


def read_values(
    context: ControlFlowContext, values_def: ValuesDef, import_scope: str | None
) -> None:
    """Gives a context the tensors of a ValuesDef, and their operations the context.

    Tensors that were not imported are left out: outside the context, only their names mattered.
    """
    known = {}
    for name in values_def.values:
        tensor = find(name, import_scope, missing_ok=True)
        if tensor is not None:
            known[name] = tensor
    context._values = set(known.values())
    external: dict[Any, Any] = {}
    context._external_values = external
    for outside, inside in values_def.external_values.items():
        outer = find(outside, import_scope, missing_ok=True)
        if outer is not None:
            external[outer] = find(inside, import_scope)
    for name, tensor in known.items():
        if name not in values_def.external_values:
            tensor.op._set_control_flow_context(context)


def find(
    name: str, import_scope: str | None, missing_ok: bool = False
) -> Tensor | Operation | None:
    """The element of the default graph that was written as `name`; None for ""."""
    if not name:
        return None
    graph = ops.get_default_graph()
    try:
        return graph.as_graph_element(ops.prepend_name_scope(name, import_scope))
    except KeyError:
        if missing_ok:
            return None
        raise


def write_nested(
    context: ControlFlowContext,
    proto: CondContextDef | WhileContextDef,
    export_scope: str | None,
) -> None:
    """Adds the contexts inside a context to its proto."""
    for inner in context._nested_contexts:
        if not in_scope(inner, export_scope):
            continue
        field = "while_ctxt" if inner.IsWhileContext() else "cond_ctxt"
        nested = proto.nested_contexts.add()
        getattr(nested, field).CopyFrom(
            cast(Any, inner).to_proto(export_scope=export_scope)
        )
