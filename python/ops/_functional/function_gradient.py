# SPDX-License-Identifier: Apache-2.0
"""Gradients that are functions: the gradients of calls, and those that C++ registers for ops.

A call's gradient is the function's python_grad_func, if it has one; otherwise it is a
SymbolicGradient op, which runs the function that the graph's library names as the
gradient.  If the library names none, this module makes one: the body again, with its
gradients.

The nodes that REGISTER_OP_GRADIENT (core/framework/op_gradient.h) describes for an op
are added to the graph, just as a gradient written in Python adds its nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, function_def
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.ops import array_ops, gen_functional_ops
from tensorwright.python.util.lazy_loader import LazyLoader
from tensorwright.python.util.lazy_protos import attr_value_pb2, function_pb2, graph_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.framework.attr_value_pb2 import AttrValue
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation


# It imports the gradients of all ops, which functions without gradients need not.
gradients_impl: Any = LazyLoader(
    "gradients_impl", globals(), "tensorwright.python.ops.gradients_impl"
)


def gradient_of_call(op: Any) -> Any:
    """Returns the gradient function of a call, as RegisterGradient takes it; None if `op` calls no function."""
    graph, name = op.graph, op.type
    function = None
    while graph is not None and function is None:
        function = graph._functions.get(name)
        graph = getattr(graph, "_outer_graph", None)
    python_grad = getattr(function, "_python_grad_func", None)
    if python_grad is not None:
        return python_grad
    if function is None and op.graph._function_def_bytes(name) is None:
        return None
    return _symbolic_gradient


def _symbolic_gradient(op: Any, *grads: Any) -> Any:
    """Adds a SymbolicGradient op: it maps inputs and gradients of outputs to gradients of inputs."""
    add_gradient_function(op.graph, op.type, op.node_def.attr)
    func = attr_value_pb2.NameAttrList(name=op.type)
    for key, value in op.node_def.attr.items():
        if not key.startswith("_"):
            func.attr[key].CopyFrom(value)
    filled = _filled(op, grads)
    results = gen_functional_ops._symbolic_gradient(
        input=[*op.inputs, *filled],
        Tout=[x.dtype.base_dtype for x in op.inputs],
        f=func,
    )
    for x, result in zip(op.inputs, results, strict=True):
        result.set_shape(x.shape)
    return _of_numbers(op, results)


def gradient_of_body(op: Operation, *grads: Any) -> Any:
    """The gradient that C++ registered for an op, node by node."""
    node = op.node_def
    definition = function_pb2.FunctionDef.FromString(
        _pywrap.op_gradient_body(node.SerializeToString())
    )
    attrs = {
        attr.name: attr.default_value
        for attr in definition.signature.attr
        if attr.HasField("default_value")
    }
    attrs.update(node.attr)
    results = function_def.add_body(
        definition, attrs, op.graph, [*op.inputs, *_filled(op, grads)]
    )
    return _of_numbers(op, results)


def _filled(op: Any, grads: Any) -> list[Any]:
    """The gradients of the outputs; zeros for those that are not used."""
    return [
        array_ops.zeros_like(y) if g is None else g
        for y, g in zip(op.outputs, grads, strict=True)
    ]


def _of_numbers(op: Any, results: Any) -> list[Any]:
    """The results for inputs that have a derivative, None for others."""
    return [
        result
        if x.dtype.base_dtype.is_floating or x.dtype.base_dtype.is_complex
        else None
        for x, result in zip(op.inputs, results, strict=True)
    ]


def add_gradient_function(
    graph: Graph, name: str, attrs: Mapping[str, AttrValue]
) -> str:
    """Adds the gradient of a function to its graph's library, unless it has it, and returns its name."""
    known = graph._gradient_of(name)
    if known:
        return known
    definition = function_def.function_def_of(graph, name)
    if definition is None:
        raise ValueError(f"The graph has no function {name!r}")
    body = function_def.build_body(definition, attrs, graph)
    made = _gradient_def(body, name)
    library = body.as_graph_def().library
    if graph._function_def_bytes(name) is None:
        function_def.add_function_def(graph, definition, library=library)
    function_def.add_function_def(graph, made, library=library)
    _note_gradient(graph, name, made.signature.name)
    return made.signature.name


def _gradient_def(body: FuncGraph, name: str) -> Any:
    xs, ys = list(body.inputs), list(body.outputs)
    with body.as_default():
        grad_ys = [
            body.add_argument(y.dtype.base_dtype, f"grad_{i}", y.shape)
            for i, y in enumerate(ys)
        ]
        used = [
            i
            for i, y in enumerate(ys)
            if y.dtype.base_dtype.is_floating or y.dtype.base_dtype.is_complex
        ]
        found = gradients_impl.gradients(
            [ys[i] for i in used], xs, grad_ys=[grad_ys[i] for i in used]
        )
        grads = []
        for x, g in zip(xs, found, strict=True):
            if x.dtype.base_dtype in (dtypes.resource, dtypes.variant, dtypes.string):
                grads.append(array_ops.identity(x))
            else:
                grads.append(array_ops.zeros_like(x) if g is None else g)
        grads = [array_ops.identity(g) for g in grads]
    body.outputs = grads
    return function_def.graph_to_function_def(body, grads, None, f"{name}_grad")


def _note_gradient(graph: Any, name: str, gradient: str) -> None:
    graph_def = graph_pb2.GraphDef()
    graph_def.library.gradient.add(function_name=name, gradient_func=gradient)
    graph._import(graph_def.SerializeToString(), "", {}, [], "")


def add_missing_gradients(graph: Graph, graph_def: GraphDef) -> None:
    """Adds, after an import, the gradients that SymbolicGradient ops need and no library has."""
    nodes = [*graph_def.node]
    for definition in graph_def.library.function:
        nodes.extend(definition.node_def)
    for node in nodes:
        if node.op != "SymbolicGradient":
            continue
        func = node.attr["f"].func
        if graph._function_def_bytes(func.name) is not None:
            add_gradient_function(graph, func.name, func.attr)
