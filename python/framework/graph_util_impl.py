# SPDX-License-Identifier: Apache-2.0
"""Operations on GraphDef protos: parts of a graph, and frozen graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import device as pydev, tensor_util
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.util.lazy_protos import graph_pb2, types_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor_shape import TensorShape

_VARIABLE_OPS = {
    "Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub",
    "ScatterUpdate", "TruncatedNormal", "Variable", "VariableV2",
}  # fmt: skip


def _node_name(name: str) -> str:
    """The node an input comes from: "^x" and "x:1" are x."""
    return name.removeprefix("^").split(":")[0]


def must_run_on_cpu(
    node: Message | Operation, pin_variables_on_cpu: bool = False
) -> bool:
    """True for nodes that have no use on another device (strings, variables)."""
    node_def: Any = getattr(node, "node_def", node)
    if pin_variables_on_cpu and node_def.op in _VARIABLE_OPS:
        return True
    attrs = node_def.attr
    if node_def.op == "Const":
        return attrs["dtype"].type == types_pb2.DT_STRING
    if node_def.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return attrs["T"].type == types_pb2.DT_INT32
    if node_def.op == "Cast":
        return attrs["SrcT"].type == types_pb2.DT_STRING
    return False


def set_cpu0(device_string: str) -> str:
    """The device string with CPU 0 as its device."""
    spec = pydev.DeviceSpec.from_string(device_string)
    return spec.replace(device_type="CPU", device_index=0).to_string()


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The static shape of the tensor a NodeDef's input names."""
    name = input_name if ":" in input_name else input_name + ":0"
    return graph.get_tensor_by_name(name).shape


def _reachable(inputs: dict[str, list[str]], start: Iterable[str]) -> set[str]:
    reached: set[str] = set()
    pending = list(start)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending.extend(inputs[name])
    return reached


def extract_sub_graph(graph_def: Message, dest_nodes: list[str]) -> GraphDef:
    """The GraphDef of the nodes that `dest_nodes` need.

    Raises TypeError for a single str, AssertionError for a name that is not there.
    """
    if not isinstance(graph_def, graph_pb2.GraphDef):
        raise TypeError(f"graph_def must be a GraphDef, got {type(graph_def)}")
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    inputs = {n.name: [_node_name(i) for i in n.input] for n in graph_def.node}
    for name in dest_nodes:
        assert name in inputs, f"{name} is not in graph"
    keep = _reachable(inputs, dest_nodes)
    out = graph_pb2.GraphDef()
    out.node.extend(n for n in graph_def.node if n.name in keep)
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    return out


def convert_variables_to_constants(
    sess: SessionLike,
    input_graph_def: GraphDef,
    output_node_names: list[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> GraphDef:
    """A GraphDef in which variables are constants with their values in `sess`.

    Args:
        sess: an active session.
        input_graph_def: the graph that has the variables.
        output_node_names: the nodes to keep, with all they need.
        variable_names_whitelist: convert only these; all by default.
        variable_names_blacklist: do not convert these.
    """
    inference = extract_sub_graph(input_graph_def, output_node_names)
    names = []
    for node in inference.node:
        if node.op not in ("Variable", "VariableV2", "VarHandleOp"):
            continue
        if variable_names_whitelist is not None:
            if node.name not in variable_names_whitelist:
                continue
        if variable_names_blacklist and node.name in variable_names_blacklist:
            continue
        names.append(node.name)
    tensors = [_value_name(sess, inference, n) for n in names]
    values = dict(zip(names, sess.run(tensors))) if tensors else {}
    out = graph_pb2.GraphDef()
    behind = _dtypes_behind_handles(inference, values)
    for node in inference.node:
        if node.name in values:
            _add_const(out, node, values[node.name])
        elif node.name in behind:
            passes_on = out.node.add()
            passes_on.CopyFrom(node)
            passes_on.attr["T"].type = cast(Any, behind[node.name])
        elif node.op in _OF_VALUES and _node_name(node.input[0]) in behind:
            _add_reader(out, node, behind[_node_name(node.input[0])])
        else:
            out.node.add().CopyFrom(node)
    out.library.CopyFrom(inference.library)
    out.versions.CopyFrom(input_graph_def.versions)
    return out


# Ops that read a variable through its handle -> ops that do the same with its value.
_OF_VALUES = {
    "ReadVariableOp": "Identity",
    "ResourceGather": "GatherV2",
    "ResourceGatherNd": "GatherNd",
    "VariableShape": "Shape",
}
_PASS_ON = ("Identity", "Enter", "Switch", "Exit", "NextIteration", "Merge")


def _dtypes_behind_handles(graph_def: Any, values: dict[str, Any]) -> dict[str, int]:
    """Maps each variable handle among `values`, and each node that passes one on, to the variable's dtype."""
    found = {
        n.name: n.attr["dtype"].type
        for n in graph_def.node
        if n.op == "VarHandleOp" and n.name in values
    }
    before = -1
    while before < len(found):
        before = len(found)
        for node in graph_def.node:
            source = _node_name(node.input[0]) if node.input else ""
            if node.op in _PASS_ON and source in found:
                found[node.name] = found[source]
    return found


def _add_reader(graph_def: Any, node: Any, dtype: int) -> None:
    """Adds a node that computes from the value, of `dtype`, what `node`, of _OF_VALUES, computes from the handle."""
    reader = graph_def.node.add(
        name=node.name, op=_OF_VALUES[node.op], device=node.device
    )
    reader.input.extend(node.input)
    if node.op == "VariableShape":
        reader.attr["out_type"].CopyFrom(node.attr["out_type"])
    if node.op in ("VariableShape", "ReadVariableOp"):
        reader.attr["T"].type = dtype
        return
    reader.attr["Tparams"].type = dtype
    reader.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    if node.op == "ResourceGather":
        int32 = 3  # DT_INT32.
        axis = graph_def.node.add(name=f"{node.name}/axis", op="Const")
        axis.attr["dtype"].type = int32
        tensor = axis.attr["value"].tensor
        tensor.dtype = int32
        tensor.tensor_shape.SetInParent()
        tensor.int_val.append(node.attr["batch_dims"].i)
        reader.input.insert(2, axis.name)
        reader.attr["Taxis"].type = int32
        reader.attr["batch_dims"].i = node.attr["batch_dims"].i


def _value_name(sess: Any, graph_def: Any, variable: str) -> str:
    """The tensor with the value of a variable."""
    nodes = {n.name: n for n in graph_def.node}
    if nodes[variable].op != "VarHandleOp":
        return variable + ":0"
    for node in nodes.values():
        if node.op == "ReadVariableOp" and _node_name(node.input[0]) == variable:
            return node.name + ":0"
    return variable + "/Read/ReadVariableOp:0"


def _add_const(graph_def: Any, variable: Any, value: Any) -> None:
    node = graph_def.node.add(name=variable.name, op="Const")
    node.attr["dtype"].CopyFrom(variable.attr["dtype"])
    proto = tensor_util.make_tensor_proto(value, variable.attr["dtype"].type)
    node.attr["value"].tensor.CopyFrom(proto)


def remove_training_nodes(
    input_graph: GraphDef, protected_nodes: Sequence[str] | None = None
) -> GraphDef:
    """A GraphDef without CheckNumerics and Identity nodes that only pass values on.

    Nodes in `protected_nodes`, and those with control inputs or outputs, stay.
    """
    protected = set(protected_nodes or ())
    remove = {"CheckNumerics", "Identity"}
    has_control = {
        _node_name(i) for n in input_graph.node for i in n.input if i.startswith("^")
    }
    replaced = {
        n.name: n.input[0]
        for n in input_graph.node
        if n.op in remove
        and n.name not in protected
        and n.name not in has_control
        and len(n.input) == 1
        and not n.input[0].startswith("^")
    }
    out = type(input_graph)()
    for node in input_graph.node:
        if node.name in replaced:
            continue
        copy = out.node.add()
        copy.CopyFrom(node)
        del copy.input[:]
        for name in node.input:
            while name.removesuffix(":0") in replaced:
                name = replaced[name.removesuffix(":0")]
            copy.input.append(name)
    out.library.CopyFrom(input_graph.library)
    out.versions.CopyFrom(input_graph.versions)
    return out
