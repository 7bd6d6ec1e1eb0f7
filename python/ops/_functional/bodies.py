# SPDX-License-Identifier: Apache-2.0
"""Bodies of functions with gradients in them, for the gradients of If, While and calls.

A gradient's function takes the function's arguments, and the gradients of some of its
results: it computes the function anew, so a body must behave the same the second
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, function_def, op_def_registry, ops
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_resource_variable_ops
from tensorwright.python.ops.list_grad import zeros_of_list
from tensorwright.python.util.lazy_loader import LazyLoader
from tensorwright.python.util.lazy_protos import attr_value_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.framework.attr_value_pb2 import AttrValue, NameAttrList
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.tensor_shape import TensorShape


# It imports this module, by way of the gradients of If and While.
gradients_impl: Any = LazyLoader(
    "gradients_impl", globals(), "tensorwright.python.ops.gradients_impl"
)

# Ops with effects that a second time changes nothing, or that only read.
_REPEATABLE = frozenset(
    """Assert Case For If LookupTableFind LookupTableFindV2 LookupTableSize
    LookupTableSizeV2 Placeholder Print PrintV2 ReadVariableOp ResourceGather
    ResourceGatherNd StatefulPartitionedCall SymbolicGradient VarHandleOp
    VarIsInitializedOp VariableShape While DeviceIndex StackV2 StackPushV2 StackPopV2
    StackCloseV2""".split()
)


def node(op: str, inputs: Sequence[TensorLike], name: str, **attrs: Any) -> Any:
    """A new operation of the default graph."""
    for key, value in attrs.items():
        if isinstance(value, attr_value_pb2.NameAttrList):
            attrs[key] = attr_value_pb2.AttrValue(func=value)
        elif isinstance(value, list) and any(
            isinstance(v, attr_value_pb2.NameAttrList) for v in value
        ):
            functions = attr_value_pb2.AttrValue.ListValue(func=value)
            attrs[key] = attr_value_pb2.AttrValue(list=functions)
    return _pywrap.create_op(ops.get_default_graph(), op, list(inputs), name, attrs)


def func(name: str, attrs: Mapping[str, AttrValue] | None = None) -> NameAttrList:
    """The value of an attr that names a function."""
    value = attr_value_pb2.NameAttrList(name=name)
    for key, attr in (attrs or {}).items():
        value.attr[key].CopyFrom(attr)
    return value


def attr_func(op: Operation, attr: str) -> NameAttrList:
    """The function that an attr of an operation names."""
    return op.node_def.attr[attr].func


def is_number(tensor: ops.Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex


def may_have_gradient(tensor: ops.Tensor) -> bool:
    """Whether a tensor holds numbers, or may stand for some: a list, or a variable's handle."""
    return is_number(tensor) or tensor.dtype.base_dtype in (
        dtypes.variant,
        dtypes.resource,
    )


def check_repeatable(graph: Graph, name: str, op: Operation, seen: set[str]) -> None:
    """Raises LookupError if running function `name` once more does something else."""
    if name in seen:
        return
    seen.add(name)
    definition = function_def.function_def_of(graph, name)
    if definition is None:
        raise LookupError(f"{op.name} ({op.type}): the graph has no function {name!r}")
    for part in definition.node_def:
        registered = op_def_registry.get(part.op)
        if registered is None:
            check_repeatable(graph, part.op, op, seen)
        elif (
            registered.is_stateful
            and part.op not in _REPEATABLE
            and not part.op.startswith("TensorArray")
        ):
            raise LookupError(
                f"{op.name} ({op.type}) has no gradient: it would run function {name} "
                f"once more, in which {part.name} ({part.op}) does something else then"
            )
        for value in part.attr.values():
            for called in [value.func, *value.list.func]:
                if called.name:
                    check_repeatable(graph, called.name, op, seen)


def element_dtype(tensor: Tensor) -> Any:
    """The dtype of the elements of a list, found by the operations around it; None if there is none."""
    seen: set[Any] = set()
    waiting = [tensor]
    while waiting:
        t = waiting.pop()
        if t in seen or t.dtype.base_dtype != dtypes.variant:
            continue
        seen.add(t)
        for op in (t.op, *t.consumers()):
            if "List" in op.type and "element_dtype" in op.node_def.attr:
                # A list of lists knows the dtype of its elements, the lists, but not that of theirs.
                if t in op.outputs or t is op.inputs[0]:
                    return dtypes.as_dtype(op.node_def.attr["element_dtype"].type)
            found = _through_call(op, t)
            if found is not None:
                return found
            if op.type in ("Identity", "AddN", "TensorListResize") or (
                op.type in ("While", "StatelessWhile")
            ):
                waiting.extend(_same_place(op, t))
    return None


def _same_place(op: Any, t: Any) -> list[Any]:
    if "While" in op.type:
        pairs = zip(op.inputs, op.outputs, strict=True)
        return [x for pair in pairs if t in pair for x in pair]
    return [*op.inputs, *op.outputs]


def _through_call(op: Any, t: Any) -> Any:
    """Finds the element dtype of a list, an argument or a result of `op`, inside the function that `op` calls."""
    for key in ("body", "then_branch", "f"):
        name = op.node_def.attr[key].func.name if key in op.node_def.attr else ""
        definition = function_def.function_def_of(op.graph, name) if name else None
        if definition is None:
            continue
        body = function_def.build_body(
            definition, op.node_def.attr[key].func.attr, op.graph
        )
        first = len(op.inputs) - len(body.inputs)
        inside = [
            body.inputs[i - first]
            for i, x in enumerate(op.inputs)
            if x is t and i >= first
        ] + [body.outputs[i] for i, x in enumerate(op.outputs) if x is t]
        for tensor in inside:
            found = element_dtype(tensor)
            if found is not None:
                return found
    return None


def add_function(
    graph: Graph, body: FuncGraph, outputs: Sequence[Any], base: str
) -> str:
    """Adds the function with that body and those results to a graph's library; its name."""
    with body.as_default():
        body.outputs = [array_ops.identity(t) for t in outputs]
    definition = function_def.graph_to_function_def(body, body.outputs, None, base)
    function_def.add_function_def(
        graph, definition, library=body.as_graph_def().library
    )
    return definition.signature.name


class Backward:
    """The body of a function, and in it the gradients of its arguments.

    Args:
        op: the operation whose gradient is wanted.
        called: its attr's value, of the function.
        shapes: the shapes of the arguments, or none.
        given: the numbers of the results whose gradients are arguments, behind the others.
    """

    def __init__(
        self,
        op: Operation,
        called: NameAttrList,
        shapes: Sequence[TensorShape],
        given: list[int],
    ):
        graph = op.graph
        check_repeatable(graph, called.name, op, set())
        definition = function_def.function_def_of(graph, called.name)
        self.body = body = function_def.build_body(
            definition, called.attr, graph, shapes=shapes
        )
        self.name = called.name
        self.args = list(body.inputs)
        self.results = list(body.outputs)
        with body.as_default():
            self.grads = [
                body.add_argument(
                    self.results[i].dtype.base_dtype, f"grad_{i}", self.results[i].shape
                )
                for i in given
            ]
            xs = [x for x in self.args if may_have_gradient(x)]
            found = iter(
                gradients_impl.gradients(
                    [self.results[i] for i in given], xs, grad_ys=self.grads
                )
                if xs and given
                else [None] * len(xs)
            )
            self.found = [
                _dense(next(found)) if may_have_gradient(x) else None for x in self.args
            ]

    def gradient_or_zeros(
        self, i: int, dtype: DTypeLike, elements: DTypeLike | None
    ) -> Tensor:
        """Returns the gradient of argument `i`, of that dtype; for a list, with such elements."""
        grad = self.found[i]
        if grad is not None:
            return grad
        x = self.args[i]
        with self.body.as_default():
            return zeros_for(x, dtype, elements)


def zeros_for(x: Tensor, dtype: Any, elements: Any = None) -> Tensor:
    """Returns the gradient of a value on which nothing depends."""
    kind = x.dtype.base_dtype
    if kind == dtypes.variant:
        return zeros_of_list(x, elements)
    if kind == dtypes.resource:
        shape = gen_resource_variable_ops.variable_shape(x)
        return array_ops.zeros(shape, dtype)
    return array_ops.zeros_like(x)


def _dense(grad: Any) -> Any:
    return None if grad is None else ops.convert_to_tensor(grad)
