# SPDX-License-Identifier: Apache-2.0
"""Functions of a graph from their protos: a FunctionDef, or the library of a GraphDef."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, function_def, ops, tensor_shape
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.ops._functional.function_defined import _DefinedFunction
from tensorwright.python.util.lazy_protos import function_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.function_pb2 import (
        FunctionDef,
        FunctionDefLibrary,
    )


class _LoadedFunction(_DefinedFunction):
    """A function whose definition is there, and no Python function."""

    def __init__(
        self,
        definition: FunctionDef,
        grad_func: Any = None,
        called: Mapping[str, FunctionDef] | None = None,
    ):
        signature = definition.signature
        super().__init__(
            func=_no_python_function,
            argnames=[arg.name for arg in signature.input_arg],
            input_types=[dtypes.as_dtype(arg.type) for arg in signature.input_arg],
            func_name=signature.name,
            grad_func=grad_func,
        )
        self._definition = function_pb2.FunctionDef()
        self._definition.CopyFrom(definition)
        self._output_shapes = [tensor_shape.unknown_shape()] * len(signature.output_arg)
        self._library = function_pb2.FunctionDefLibrary(
            function=list((called or {}).values())
        )

    @property
    def captured_inputs(self) -> list[ops.Tensor]:
        """None: what a function captured is among the arguments of its definition."""
        return []

    def _called_functions(self) -> Mapping[str, Any]:
        return {f.signature.name: _LoadedFunction(f) for f in self._library.function}

    def _body(self) -> FuncGraph:
        if self._graph is None:
            outer = ops.Graph()
            function_def.add_function_def(outer, None, library=self._library)
            self._graph = function_def.build_body(self._definition, {}, outer)
        return self._graph


def _no_python_function(*args: Any) -> Any:
    raise AssertionError("a function that has its definition is not built")


def _from_definition(
    fdef: FunctionDef, grad_func: _DefinedFunction | None = None
) -> _DefinedFunction:
    """The function of a FunctionDef, which can be called and added to graphs as one that `Defun` makes.

    Args:
        fdef: its arguments have types, not type attrs.  Functions that it calls must be in the graph.
        grad_func: the function that is its gradient.

    Raises:
        TypeError: the type of an argument is an attr.
    """
    return _LoadedFunction(fdef, grad_func)


def _from_library(lib: FunctionDefLibrary) -> list[_DefinedFunction]:
    """The functions of a library, each with its gradient function and those that it calls, in the library's order.

    Raises:
        ValueError: the library names a gradient, or has one for a function, that is not in it, or functions are each
            other's gradients.
    """
    definitions = {f.signature.name: f for f in lib.function}
    gradients = {g.function_name: g.gradient_func for g in lib.gradient}
    for name, gradient in gradients.items():
        for part in (name, gradient):
            if part not in definitions:
                raise ValueError(
                    f"The library says that {gradient!r} is the gradient of {name!r}, and has no function {part!r}"
                )
    made: dict[str, _DefinedFunction] = {}

    def make(name: str, waiting: tuple[str, ...]) -> _DefinedFunction:
        if name in waiting:
            raise ValueError(
                f"These functions are each other's gradients: {', '.join(waiting)}"
            )
        if name not in made:
            gradient = gradients.get(name)
            made[name] = _LoadedFunction(
                definitions[name],
                make(gradient, (*waiting, name)) if gradient else None,
                _called_by(name, definitions),
            )
        return made[name]

    return [make(name, ()) for name in definitions]


def _called_by(
    name: str, definitions: Mapping[str, FunctionDef]
) -> dict[str, FunctionDef]:
    """The functions that a function calls, and those that these call."""
    found: dict[str, FunctionDef] = {}
    left = [name]
    while left:
        for node in definitions[left.pop()].node_def:
            names = [node.op]
            for value in node.attr.values():
                names.extend(f.name for f in (value.func, *value.list.func))
            for called in names:
                if called in definitions and called not in found:
                    found[called] = definitions[called]
                    left.append(called)
    return found
