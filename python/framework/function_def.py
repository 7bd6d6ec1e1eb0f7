# SPDX-License-Identifier: Apache-2.0
"""Converts the bodies of functions to FunctionDefs and back.

Inside a FunctionDef a tensor is named "argument" or "node:output:index", where a
GraphDef has "node:index".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import op_def_registry
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.util.lazy_protos import function_pb2, graph_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.framework.attr_value_pb2 import AttrValue
    from tensorwright.core.framework.function_pb2 import FunctionDef, FunctionDefLibrary
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import ShapeLike


def _length(arg: Any, attrs: Any) -> int:
    """Returns the number of tensors that an argument of a signature has in a node."""
    if arg.number_attr:
        return attrs[arg.number_attr].i
    if arg.type_list_attr:
        return len(attrs[arg.type_list_attr].list.type)
    return 1


def _normalized(name: str, used: set[str]) -> str:
    """An argument's name: lower case, digits and underscores, not used yet."""
    base = re.sub(r"[^a-z0-9_]", "_", name.lower()) or "x"
    if not base[0].isalpha():
        base = "x" + base
    result, i = base, 0
    while result in used:
        i += 1
        result = f"{base}_{i}"
    used.add(result)
    return result


class _Names:
    """The tensors of a graph by the names that its FunctionDef has for them."""

    def __init__(self, graph_def: Any):
        self._signatures = {
            f.signature.name: f.signature for f in graph_def.library.function
        }
        self._outputs: dict[str, list[str]] = {}
        self.arguments: dict[str, str] = {}

    def signature(self, op: str) -> Any:
        found = self._signatures.get(op)
        if found is None:
            found = self._signatures[op] = op_def_registry.get(op)
        return found

    def add(self, node: Any) -> None:
        self._outputs[node.name] = [
            f"{node.name}:{arg.name}:{i}"
            for arg in self.signature(node.op).output_arg
            for i in range(_length(arg, node.attr))
        ]

    def of(self, name: str) -> str:
        """Returns the new name of an input, written "node", "node:1" or "^node"."""
        if name.startswith("^"):
            return "^" + self.arguments.get(name[1:], name[1:])
        node, _, index = name.partition(":")
        if node in self.arguments:
            return self.arguments[node]
        return self._outputs[node][int(index or 0)]


def graph_to_function_def(
    graph: FuncGraph,
    outputs: Sequence[Tensor],
    name: str | None,
    base_name: str,
    out_names: Sequence[str] | None = None,
) -> FunctionDef:
    """The FunctionDef of a body: its arguments are the declared ones, then the captured.

    `name` None: `base_name` with a suffix that its contents decide.
    """
    graph_def = graph.as_graph_def()
    names = _Names(graph_def)
    result = function_pb2.FunctionDef()
    used = {n.name for n in graph_def.node}
    arguments = [*graph.inputs, *graph.extra_args]
    argument_nodes = {t.op.name for t in arguments}
    used -= argument_nodes
    for tensor in arguments:
        arg = result.signature.input_arg.add()
        arg.name = names.arguments[tensor.op.name] = _normalized(tensor.op.name, used)
        arg.type = tensor.dtype.base_dtype.as_datatype_enum
    stateful = False
    bodies = [n for n in graph_def.node if n.name not in argument_nodes]
    for node in bodies:
        names.add(node)
        stateful = stateful or names.signature(node.op).is_stateful
    for node in bodies:
        copy = result.node_def.add()
        copy.CopyFrom(node)
        copy.input[:] = [names.of(i) for i in node.input]
    result.signature.is_stateful = stateful
    out_used: set[str] = {a.name for a in result.signature.input_arg}
    for i, tensor in enumerate(outputs):
        arg = result.signature.output_arg.add()
        arg.name = (
            out_names[i]
            if out_names
            else _normalized(tensor.op.name.split("/")[-1], out_used)
        )
        arg.type = tensor.dtype.base_dtype.as_datatype_enum
        result.ret[arg.name] = names.of(tensor.name)
    if name is None:
        digest = hashlib.sha256(
            result.SerializeToString(deterministic=True)
        ).hexdigest()
        name = f"{base_name}_{digest[:8]}"
    result.signature.name = name
    return result


def add_function_def(
    graph: Graph,
    definition: FunctionDef | None,
    gradient: str | None = None,
    library: FunctionDefLibrary | None = None,
) -> None:
    """Adds a function, and those that it calls (`library`), to a graph."""
    graph_def = graph_pb2.GraphDef()
    if library is not None:
        graph_def.library.CopyFrom(library)
    if definition is not None:
        graph_def.library.function.add().CopyFrom(definition)
        if gradient:
            graph_def.library.gradient.add(
                function_name=definition.signature.name, gradient_func=gradient
            )
    graph._check_not_finalized()
    graph._import(graph_def.SerializeToString(), "", {}, [], "")


def function_def_of(graph: Graph, name: str) -> Any:
    """The FunctionDef of a function of a graph, or of a graph around it; None if there is none."""
    around: Graph | None = graph
    while around is not None:
        data = around._function_def_bytes(name)
        if data is not None:
            return function_pb2.FunctionDef.FromString(data)
        around = getattr(around, "_outer_graph", None)
    return None


def build_body(
    definition: FunctionDef,
    attrs: Mapping[str, AttrValue],
    outer: Graph,
    body: FuncGraph | None = None,
    shapes: Sequence[ShapeLike] = (),
) -> FuncGraph:
    """The body of a FunctionDef as a graph with `inputs` and `outputs`.

    `attrs` are those of the call, for functions that have type attrs; `shapes` are the
    static shapes of the arguments, if all are known.
    """
    body = FuncGraph(outer) if body is None else body
    library = outer.as_graph_def().library
    if library.function:
        add_function_def(body, None, library=library)
    tensors: dict[str, list[Tensor]] = {}
    with body.as_default():
        for arg in definition.signature.input_arg:
            types = _types_of(arg, attrs)
            tensors[arg.name] = [
                body.add_argument(
                    t,
                    arg.name if len(types) == 1 else f"{arg.name}_{i}",
                    shapes[len(body.inputs)] if shapes else None,
                )
                for i, t in enumerate(types)
            ]
        body.outputs.extend(_add_nodes(definition, attrs, body, tensors))
    return body


def add_body(
    definition: FunctionDef,
    attrs: Mapping[str, AttrValue],
    graph: Graph,
    inputs: Sequence[Tensor],
) -> list[Tensor]:
    """Adds the nodes of a FunctionDef to the default graph, `graph`, and returns its results for `inputs`."""
    tensors: dict[str, list[Tensor]] = {}
    at = 0
    for arg in definition.signature.input_arg:
        n = len(_types_of(arg, attrs))
        tensors[arg.name] = list(inputs[at : at + n])
        at += n
    return _add_nodes(definition, attrs, graph, tensors)


def _add_nodes(
    definition: Any, attrs: Any, graph: Graph, tensors: dict[str, list[Tensor]]
) -> list[Tensor]:
    """Returns the results of a body; `tensors` maps the names of arguments to tensors, and gets the nodes' outputs."""

    def resolve(name: str) -> list[Tensor]:
        parts = name.split(":")
        key = parts[0] if parts[0] in tensors else ":".join(parts[:2])
        found = tensors[key]
        rest = parts[key.count(":") + 1 :]
        return [found[int(rest[0])]] if rest else found

    operations: dict[str, Any] = {}
    for node in _in_order(definition, set(tensors)):
        inputs = [t for i in node.input if i[0] != "^" for t in resolve(i)]
        before = [
            operations[i[1:]] for i in node.input if i[0] == "^" and i[1:] in operations
        ]
        own = {k: _substituted(v, attrs) for k, v in node.attr.items()}
        with graph.control_dependencies(before), graph.device(node.device or None):
            op = _pywrap.create_op(graph, node.op, inputs, node.name, own)
        operations[node.name] = op
        at = 0
        for arg in op.op_def.output_arg:
            n = _length(arg, op.node_def.attr)
            tensors[f"{node.name}:{arg.name}"] = list(op.outputs[at : at + n])
            at += n
    return [
        t
        for arg in definition.signature.output_arg
        for t in resolve(definition.ret[arg.name])
    ]


def _types_of(arg: Any, attrs: Any) -> list[int]:
    if arg.type_list_attr:
        return list(attrs[arg.type_list_attr].list.type)
    enum = attrs[arg.type_attr].type if arg.type_attr else arg.type
    return [enum] * (attrs[arg.number_attr].i if arg.number_attr else 1)


def _substituted(value: Any, attrs: Any) -> Any:
    return (
        attrs[value.placeholder]
        if value.WhichOneof("value") == "placeholder"
        else value
    )


def _in_order(definition: Any, known: set[str]) -> list[Any]:
    """The nodes, each behind those that it needs."""
    nodes = {n.name: n for n in definition.node_def}
    result: list[Any] = []
    done = set(known)
    visiting: list[tuple[Any, bool]] = [
        (n, False) for n in reversed(definition.node_def)
    ]
    under_way: set[str] = set()
    while visiting:
        node, is_ready = visiting.pop()
        if is_ready:
            result.append(node)
            done.add(node.name)
            continue
        if node.name in done:
            continue
        if node.name in under_way:
            raise ValueError(
                f"Function {definition.signature.name}: loops in a body have no gradient"
            )
        under_way.add(node.name)
        visiting.append((node, True))
        for name in node.input:
            source = name.lstrip("^").split(":")[0]
            if source not in done and source in nodes:
                visiting.append((nodes[source], False))
    return result


Body = Callable[..., Any]
