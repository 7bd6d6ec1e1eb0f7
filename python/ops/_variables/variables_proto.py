# SPDX-License-Identifier: Apache-2.0
"""Variables written to and read from `VariableDef` protos, which name their operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.util.lazy_protos import variable_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.variable_pb2 import SaveSliceInfoDef, VariableDef


def refuse_control_flow(initial_value: ops.Tensor, name: str) -> None:
    """Raises ValueError for an initial value that a branch or a loop makes: an initializer could not run alone."""
    if initial_value.op._get_control_flow_context() is not None:
        raise ValueError(
            f"Initializer for variable {name} is from inside a control-flow construct, "
            "such as a loop or conditional. When creating a variable inside a loop or "
            "conditional, use a lambda as the initializer."
        )


def to_proto(variable: Any, export_scope: str | None = None) -> VariableDef | None:
    """The `VariableDef` of a variable, names without `export_scope/`; None for one that is not in that scope."""
    if export_scope is not None and not variable.name.startswith(export_scope):
        return None

    def name(element: Any) -> str:
        if element is None:
            return ""
        return ops.strip_name_scope(element.name, export_scope)

    proto = variable_pb2.VariableDef(
        variable_name=name(variable._variable),
        initial_value_name=name(variable._initial_value),
        initializer_name=name(variable.initializer),
        snapshot_name=name(variable._snapshot),
        trainable=variable.trainable,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
        is_resource=hasattr(variable, "handle"),
    )
    part = variable._get_save_slice_info()
    if part is not None:
        slice_info = slice_info_to_proto(part, export_scope)
        assert slice_info is not None, "a part is in its variable's scope"
        proto.save_slice_info_def.CopyFrom(slice_info)
    return proto


def elements(variable_def: VariableDef, import_scope: str | None) -> tuple:
    """(variable, initial value or None, initializer, snapshot) that a VariableDef names, of the default graph.

    KeyError for a name that is not in the graph.
    """
    graph = ops.get_default_graph()

    def find(name: str) -> Any:
        return graph.as_graph_element(ops.prepend_name_scope(name, import_scope))

    initial = variable_def.initial_value_name
    return (
        find(variable_def.variable_name),
        find(initial) if initial else None,
        find(variable_def.initializer_name),
        find(variable_def.snapshot_name),
    )


def slice_info_to_proto(
    part: Any, export_scope: str | None = None
) -> SaveSliceInfoDef | None:
    """The `SaveSliceInfoDef` of a part; None where its variable is not in `export_scope`."""
    if export_scope is not None and not part.full_name.startswith(export_scope):
        return None
    return variable_pb2.SaveSliceInfoDef(
        full_name=ops.strip_name_scope(part.full_name, export_scope),
        full_shape=list(part.full_shape),
        var_offset=list(part.var_offset),
        var_shape=list(part.var_shape),
    )
