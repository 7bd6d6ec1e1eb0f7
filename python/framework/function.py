# SPDX-License-Identifier: Apache-2.0
"""Functions of a graph: `Defun` makes one of a Python function, and calls of it are ops.

@function.Defun(tf.float32, tf.float32)
def add_twice(x, y):
    return x + 2 * y

z = add_twice(a, b)  # One op, whose type is the function's name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.function_declare import Declare as Declare
from tensorwright.python.framework.function_graph import (
    FuncGraph as FuncGraph,
    current_function_graph,
)
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops._functional.function_defined import (
    _DefinedFunction,
)
from tensorwright.python.ops._functional.function_gradient import add_gradient_function
from tensorwright.python.ops._functional.function_library import (  # noqa: F401
    _from_definition,
    _from_library,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


class Defun:
    """A decorator that makes a function of the graph out of a Python function.

    The Python function is called once, with Placeholders, when the function is first
    used (once for each list of argument types, where `input_types` is not given).
    Tensors that it uses from around it are passed along by every call; variables that
    it makes belong to the graph around it.

    Args:
        *input_types: dtypes of the arguments.
        func_name: what the op of calls is called; the Python function's name with a
            suffix that its contents decide where it is not given.
        grad_func: another defined function, which gets the arguments and the gradients
            of the results, and returns those of the arguments.
        python_grad_func: `f(op, *grads)`, as `RegisterGradient` takes it.
        out_names: the names of the results.
        shape_func: `f(op)` returns the shapes of a call's results.
        noinline: kept as an attr of the calls; nothing is inlined.
    """

    def __init__(self, *input_types: DTypeLike, **kwargs: Any):
        self._input_types = input_types
        # The functions made by this decorator read the options.
        self._options = kwargs

    def __call__(self, func: Callable[..., object]) -> Any:
        if not callable(func):
            raise ValueError(f"func must be callable, got {func!r}")
        names, many = _argument_names(func)
        if not self._input_types and (names or many):
            return _OverloadedFunction(func, names, **self._options)
        types = self._input_types
        if len(types) > len(names) and not many or len(types) < len(names):
            raise ValueError(
                f"Defun: {func.__name__} takes {len(names)} arguments, and "
                f"{len(types)} types are given"
            )
        return _DefinedFunction(func, names, list(types), **self._options)


def _argument_names(func: Callable[..., Any]) -> tuple[list[str], bool]:
    """The names of positional arguments without a default, and whether there may be more."""
    names, many = [], False
    for p in inspect.signature(func).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            many = True
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            if p.default is p.empty:
                names.append(p.name)
        elif p.kind is p.VAR_KEYWORD or p.default is p.empty:
            raise ValueError("Functions with keyword arguments are not supported.")
    return names, many


class _OverloadedFunction:
    """A function whose types its calls decide."""

    def __init__(
        self, func: Callable[..., Any], argnames: Sequence[str], **options: Any
    ):
        self._func = func
        self._argnames = argnames
        self._options = options
        self._by_types: dict[tuple, _DefinedFunction] = {}

    def instantiate(self, input_types: Sequence[DTypeLike]) -> _DefinedFunction:
        """The function for these types."""
        key = tuple(dtypes.as_dtype(t).base_dtype for t in input_types)
        function = self._by_types.get(key)
        if function is None:
            options = dict(self._options)
            if options.get("func_name"):
                options["func_name"] += "".join(f"_{t.name}" for t in key)
            if isinstance(options.get("grad_func"), _OverloadedFunction):
                outputs = _DefinedFunction(
                    self._func, self._argnames, key, **{**options, "grad_func": None}
                ).definition.signature.output_arg
                options["grad_func"] = options["grad_func"].instantiate(
                    [*key, *(dtypes.as_dtype(o.type) for o in outputs)]
                )
            function = _DefinedFunction(self._func, self._argnames, key, **options)
            self._by_types[key] = function
        return function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inputs = [ops.convert_to_tensor(a) for a in args]
        return self.instantiate([t.dtype for t in inputs])(*inputs, **kwargs)


def get_extra_vars() -> list[Variable]:
    """The variables that the body being built uses."""
    graph = current_function_graph()
    return graph.extra_vars if graph is not None else []


def get_extra_inputs() -> list[ops.Tensor]:
    """The tensors that the body being built has captured."""
    graph = current_function_graph()
    return graph.extra_inputs if graph is not None else []


def get_extra_args() -> list[ops.Tensor]:
    """Returns the placeholders that stand in the function's body for captured tensors."""
    graph = current_function_graph()
    return graph.extra_args if graph is not None else []


__all__ = [
    "Declare",
    "Defun",
    "add_gradient_function",
    "get_extra_args",
    "get_extra_inputs",
    "get_extra_vars",
]
