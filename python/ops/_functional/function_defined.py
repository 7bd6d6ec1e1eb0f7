# SPDX-License-Identifier: Apache-2.0
"""Functions of a graph with their types, built from Python functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, function_def, ops
from tensorwright.python.framework.function_declare import _DeclaredFunction
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import variable_scope as vs


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
        for inner_name, inner in self._called_functions().items():
            g._functions.setdefault(inner_name, inner)

    def _called_functions(self) -> Mapping[str, Any]:
        """The functions that its body calls, by name."""
        return self._body()._functions

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
            [*inputs, *self.captured_inputs],
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
