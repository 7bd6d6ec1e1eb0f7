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

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, function_def, ops
from tensorwright.python.framework.function_declare import (
    Declare as Declare,
    _DeclaredFunction,
)
from tensorwright.python.framework.function_graph import (
    FuncGraph,
    current_function_graph,
)
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import variable_scope as vs
from tensorwright.python.ops._functional.function_gradient import add_gradient_function

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


class _DefinedFunction:
    """A function with its types; made by `Defun`."""

    def __init__(
        self,
        func: Callable[..., Any],
        argnames: Sequence[str],
        input_types: Sequence[DTypeLike],
        func_name: str | None = None,
        grad_func: Any = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[..., Any] | None = None,
        capture_by_value: bool = False,
        input_shapes: Sequence[Any] | None = None,
        base_name: str | None = None,
        **kwargs: Any,
    ):
        self._func = func
        self._types = [dtypes.as_dtype(t) for t in input_types]
        self._argnames = list(argnames)
        while len(self._argnames) < len(self._types):
            self._argnames.append(f"arg{len(self._argnames)}")
        self._given_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._shape_func = shape_func
        self._capture_by_value = capture_by_value
        self._input_shapes = input_shapes
        self._base_name = base_name or getattr(func, "__name__", "") or "function"
        self._call_attrs = {
            f"_{k}": v for k, v in kwargs.items() if isinstance(v, (bool, int, str))
        }
        self._definition: Any = None
        self._graph: FuncGraph | None = None
        self._library: Any = None
        self._output_shapes: list[Any] = []
        # An attribute of TensorFlow's, which stays None here.
        self._op_def: Any = None

    # --- What it is ---------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the function, which is the type of its calls."""
        self._create()
        return self._definition.signature.name

    @property
    def definition(self) -> Any:
        """Its `FunctionDef`."""
        self._create()
        return self._definition

    @property
    def declared_input_types(self) -> list[dtypes.DType]:
        """The dtypes of the arguments that callers give."""
        return list(self._types)

    @property
    def captured_inputs(self) -> list[ops.Tensor]:
        """The tensors from around the function that calls pass along."""
        self._create()
        return self._body().extra_inputs

    @property
    def extra_inputs(self) -> list[ops.Tensor]:
        return self.captured_inputs

    @property
    def graph(self) -> FuncGraph:
        """Its body."""
        self._create()
        return self._body()

    def _body(self) -> FuncGraph:
        assert self._graph is not None, "_create() builds it"
        return self._graph

    @property
    def stateful_ops(self) -> list[tuple[str, str]]:
        """The (name, type) of every stateful op of the body."""
        self._create()
        body = self._body()
        arguments = {t.op for t in (*body.inputs, *body.extra_args)}
        return [
            (op.name, op.type)
            for op in body.get_operations()
            if op not in arguments and op.op_def.is_stateful
        ]

    @property
    def grad_func_name(self) -> str | None:
        """The name of the function that is its gradient, if one was given."""
        return self._grad_func.name if self._grad_func is not None else None

    @property
    def python_grad_func(self) -> Callable[..., Any] | None:
        return self._python_grad_func

    # --- Making it ----------------------------------------------------------------

    def _create(self) -> None:
        if self._definition is not None:
            return
        outer = ops.get_default_graph()
        body = FuncGraph(outer, self._capture_by_value)
        shapes = self._input_shapes or [None] * len(self._types)
        with body.as_default(), _scope_of(outer, body):
            arguments = [
                body.add_argument(t, n, s)
                for t, n, s in zip(self._types, self._argnames, shapes, strict=True)
            ]
            results = self._func(*arguments)
            outputs = _as_tensors(results)
            # A result that is an argument, or belongs to the outer graph, needs a node of its own.
            outputs = [body._capture(t) if t.graph is not body else t for t in outputs]
        base = self._given_name or self._base_name
        if not base[0].isalpha():
            base = "f" + base.replace("<", "").replace(">", "")
        base = "".join(c if c.isalnum() or c in "_.-/" else "_" for c in base)
        body.outputs = list(outputs)
        definition = function_def.graph_to_function_def(
            body, outputs, self._given_name, base, self._out_names
        )
        self._output_shapes = [t.shape for t in outputs]
        self._library = body.as_graph_def().library
        self._graph = body
        self._definition = definition

    def add_to_graph(self, g: ops.Graph) -> None:
        """Adds it, its gradient and the functions that it calls to a graph."""
        self._create()
        name = self._definition.signature.name
        known = g._functions.get(name)
        if known is self:
            return
        if (
            known is not None
            and known._definition is not None
            and not isinstance(known, _DeclaredFunction)
        ):
            if known._definition == self._definition:
                return
            raise ValueError(
                f"Cannot add function {name!r}: the graph has another one of that name"
            )
        if isinstance(known, _DeclaredFunction):
            g._remove_function(name)
        gradient = None
        if self._grad_func is not None:
            if self._python_grad_func is not None:
                raise ValueError("Gradient defined twice for function " + name)
            self._grad_func.add_to_graph(g)
            gradient = self._grad_func.name
        function_def.add_function_def(g, self._definition, gradient, self._library)
        g._functions[name] = self
        for inner_name, inner in self._body()._functions.items():
            g._functions.setdefault(inner_name, inner)

    # --- Calling it ---------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Returns a Tensor, a tuple of them, or the Operation where there is no result.
        """
        name = kwargs.pop("name", None)
        attrs = {**self._call_attrs, **{f"_{k}": v for k, v in kwargs.items()}}
        if len(args) != len(self._types):
            raise ValueError(
                f"Expected {len(self._types)} arguments for {self._argnames}, got {len(args)}"
            )
        self._create()
        graph = ops.get_default_graph()
        self.add_to_graph(graph)
        inputs = [
            ops.convert_to_tensor(a, t) for a, t in zip(args, self._types, strict=True)
        ]
        op = _pywrap.create_op(
            graph,
            self.name,
            [*inputs, *self._body().extra_inputs],
            name,
            attrs,
        )
        shapes = (
            self._shape_func(op)
            if self._shape_func is not None
            else self._output_shapes
        )
        for output, shape in zip(op.outputs, shapes, strict=True):
            output.set_shape(shape)
        if not op.outputs:
            return op
        return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)


def _as_tensors(results: Any) -> list[ops.Tensor]:
    if results is None or isinstance(results, ops.Operation):
        return []
    if not isinstance(results, (list, tuple)):
        results = [results]
    if any(r is None for r in results):
        raise ValueError("Function can not return None.")
    return [ops.convert_to_tensor(r) for r in results]


class _scope_of:
    """The variable scope of the graph around, by which a body's variables are made there."""

    def __init__(self, outer: ops.Graph, body: FuncGraph):
        self._outer, self._body = outer, body
        with outer.as_default():
            self._scope = vs.get_variable_scope()

    def __enter__(self) -> None:
        scope = self._scope

        def getvar(getter: Callable[..., Any], name: str, **kwargs: Any) -> Any:
            prefix = f"{inner.name}/" if inner.name else ""
            short = name.removeprefix(prefix) if prefix else name
            del getter
            for unused in ("custom_getter",):
                kwargs.pop(unused, None)
            with self._outer.as_default():
                reuse = kwargs.get("reuse") or inner.reuse or None
                with vs.variable_scope(scope, reuse=reuse):
                    allowed = inspect.signature(vs.get_variable).parameters
                    variable = vs.get_variable(
                        short, **{k: v for k, v in kwargs.items() if k in allowed}
                    )
            self._body.extra_vars.append(variable)
            return variable

        self._context = vs.variable_scope(
            scope, custom_getter=getvar, auxiliary_name_scope=False
        )
        inner = self._context.__enter__()

    def __exit__(self, *exc_info: Any) -> None:
        self._context.__exit__(*exc_info)


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
