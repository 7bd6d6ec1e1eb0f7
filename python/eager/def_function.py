# SPDX-License-Identifier: Apache-2.0
"""tf.function: a Python function as functions of the graph, one for each kind of arguments.

In a graph a call adds one op.  Python runs once for each kind of arguments: dtypes and shapes of tensors, values of
all else.  Stateful ops of the body run in the order in which Python wrote them, whether or not a result needs them.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorwright.python.framework import (
    dtypes,
    function as function_lib,
    ops,
    tensor_spec,
)
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import (
    array_ops,
    functional_ops,
    resource_variable_ops,
    variable_scope,
    variables,
)
from tensorwright.python.ops._variables import variables_creators
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.core.framework.function_pb2 import FunctionDef

# Ops of which the order among themselves and others does not matter: they read nothing that changes, or make a handle.
_UNORDERED = frozenset(["Placeholder", "VarHandleOp", "VariableV2", "Variable"])


def function(
    func: Callable[..., object] | None = None,
    input_signature: Sequence[object] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Makes a function of the graph out of a Python function; also a decorator.

    Args:
        func: takes and returns structures of tensors and other values; None: a decorator is returned.
        input_signature: a TensorSpec for each argument: then Python runs once.  None: once for each kind of arguments.
        autograph: has no effect: Python's own conditions and loops on tensors are errors, as in all graphs here; use
            `tf.cond` and `tf.while_loop`.
        jit_compile, experimental_compile: have no effect.
        reduce_retracing, experimental_relax_shapes: tensors of another shape than before get a function for all shapes
            of their rank.
        experimental_implements, experimental_autograph_options, experimental_attributes, experimental_follow_type_hints:
            have no effect.

    Returns:
        A callable with the results of `func`; with `get_concrete_function(*args)`, whose arguments may be TensorSpecs,
        and `python_function`.  A call without results returns its Operation.  A gradient computes the body once more, and
        is refused (LookupError) where this would repeat an effect.

    Raises:
        TypeError: `func` is not callable; in calls, an argument that does not fit.
        ValueError: in calls, an argument that the signature does not allow; variables that another call than the first
            makes.

    Example:
        @tf.function
        def step(x):
            total.assign_add(tf.reduce_sum(x))
            return total / count
    """
    del autograph, jit_compile, experimental_implements, experimental_compile
    del experimental_autograph_options, experimental_attributes
    del experimental_follow_type_hints
    relaxes = bool(reduce_retracing or experimental_relax_shapes)

    def decorate(inner: Callable[..., object]) -> Function:
        if not callable(inner):
            raise TypeError(f"tf.function: func must be callable, got {inner!r}")
        made = Function(inner, input_signature, relaxes)
        functools.update_wrapper(made, inner)
        return made

    return decorate if func is None else decorate(func)


class _Kind(NamedTuple):
    """Calls of one kind run one function."""

    structure: Any  # Hashable.
    tensors: tuple[tuple[dtypes.DType, tuple[int | None, ...] | None], ...]


class _Call(NamedTuple):
    """The arguments of a call, flat: `is_tensor` says which become inputs."""

    arguments: Any  # A pair of positional ones and those by name.
    flat: list[Any]
    is_tensor: list[bool]


class ConcreteFunction:
    """A function for one kind of arguments, in one graph.

    `orders_effects`: whether stateful ops run, in Python's order, also where no result needs them.
    """

    def __init__(
        self,
        python_function: Callable[..., object],
        call: _Call,
        kind: _Kind,
        orders_effects: bool = True,
    ):
        self._call = call
        self._orders_effects = orders_effects
        # The structure of the results, with None where there is no tensor.
        self._results: Any = None
        types = [dtype for dtype, _ in kind.tensors]
        shapes = [shape for _, shape in kind.tensors]
        names = [f"arg{i}" for i in range(len(types))]
        self._python_function = python_function
        self._defined = function_lib._DefinedFunction(
            self._body,
            names,
            types,
            input_shapes=shapes,
            base_name=f"inference_{_name_of(python_function)}",
        )
        self._defined._create()

    def _body(self, *tensors: ops.Tensor) -> list[ops.Tensor]:
        given = iter(tensors)
        flat = [
            next(given) if is_tensor else value
            for value, is_tensor in zip(
                self._call.flat, self._call.is_tensor, strict=True
            )
        ]
        args, kwargs = nest.pack_sequence_as(self._call.arguments, flat)
        results = self._python_function(*args, **kwargs)
        flat_results = [_as_result(r) for r in nest.flatten(results)]
        self._results = nest.pack_sequence_as(
            results, [None if r is None else True for r in flat_results]
        )
        outputs = [r for r in flat_results if r is not None]
        effects = (
            _order_effects(ops.get_default_graph()) if self._orders_effects else []
        )
        with ops.control_dependencies(effects):
            if not outputs and effects:
                # Something has to be asked for.
                return [array_ops.constant(True)]
            return [array_ops.identity(o) for o in outputs]

    @property
    def graph(self) -> FuncGraph:
        """The graph of the body."""
        return self._defined.graph

    @property
    def name(self) -> str:
        return self._defined.name

    @property
    def inputs(self) -> list[ops.Tensor]:
        """The tensors of the body that stand for arguments, then those for what is captured."""
        return [*self.graph.inputs, *self.graph.extra_args]

    @property
    def outputs(self) -> list[ops.Tensor]:
        """The results in the body."""
        return list(self.graph.outputs)

    @property
    def captured_inputs(self) -> list[ops.Tensor]:
        """The tensors of the graph around it that calls pass along."""
        return self._defined.captured_inputs

    @property
    def structured_outputs(self) -> TensorTree:
        """The results in the body, in the structure of the Python function's."""
        return self._packed(self.outputs)

    @property
    def function_def(self) -> FunctionDef:
        """Its FunctionDef."""
        return self._defined.definition

    def __call__(self, *args: TensorTree, **kwargs: TensorTree) -> Any:
        """Adds a call to the default graph; the arguments are the tensors alone, in order.

        Raises:
            TypeError: there are more or fewer tensors than the function takes.
        """
        flat = nest.flatten((args, kwargs))
        if len(flat) != len(self._defined.declared_input_types):
            flat = [a for a in flat if _is_tensor_like(a)]
        if len(flat) != len(self._defined.declared_input_types):
            raise TypeError(
                f"{self.name} takes {len(self._defined.declared_input_types)} tensors, got {len(flat)}"
            )
        return self._call_flat(flat)

    def _call_flat(self, tensors: Sequence[Any]) -> Any:
        found = functional_ops.partitioned_call(tensors, self._defined)
        if isinstance(found, ops.Operation):
            return found if self._results is None else self._packed([])
        for output, inner in zip(found, self.outputs, strict=True):
            output.set_shape(inner.shape)
        if not any(nest.flatten(self._results)):
            return found[0].op
        return self._packed(found)

    def _packed(self, outputs: Sequence[ops.Tensor]) -> Any:
        given = iter(outputs)
        flat = [next(given) if r else None for r in nest.flatten(self._results)]
        return nest.pack_sequence_as(self._results, flat)


class Function:
    """A Python function, and the functions of graphs that calls made of it; see `function`."""

    def __init__(
        self,
        python_function: Callable[..., object],
        input_signature: Sequence[object] | None,
        relaxes: bool,
    ):
        self._python_function = python_function
        self._relaxes = relaxes
        self._specs = None if input_signature is None else list(input_signature)
        self._signature = inspect.signature(python_function)
        self._count = 0
        # id of an instance -> it, weakly, and its function: it need not be hashable.
        self._of_instances: dict[int, tuple[weakref.ref[Any], Function]] = {}

    @property
    def python_function(self) -> Callable[..., object]:
        return self._python_function

    @property
    def input_signature(self) -> Sequence[object] | None:
        return self._specs

    def __get__(self, instance: object, owner: type | None = None) -> Function:
        """A method has functions of its own for each instance."""
        if instance is None:
            return self
        key = id(instance)
        _, bound = self._of_instances.get(key, (None, None))
        if bound is None:
            # The instance must not live as long as its functions are kept here.
            ref = weakref.ref(instance, lambda _: self._of_instances.pop(key, None))
            inner = self._python_function

            @functools.wraps(inner)
            def method(*args: Any, **kwargs: Any) -> Any:
                return inner(ref(), *args, **kwargs)

            parameters = list(self._signature.parameters.values())[1:]
            method.__signature__ = self._signature.replace(parameters=parameters)  # type: ignore[attr-defined]
            bound = Function(method, self._specs, self._relaxes)
            functools.update_wrapper(bound, method)
            self._of_instances[key] = ref, bound
        return bound

    def __call__(self, *args: object, **kwargs: object) -> Any:
        call = self._bound(args, kwargs)
        made = self._concrete(call)
        tensors = [v for v, t in zip(call.flat, call.is_tensor, strict=True) if t]
        return made._call_flat(tensors)

    def get_concrete_function(
        self, *args: object, **kwargs: object
    ) -> ConcreteFunction:
        """The function for these arguments, of which tensors may be TensorSpecs."""
        if not args and not kwargs and self._specs is not None:
            args = tuple(self._specs)
        return self._concrete(self._bound(args, kwargs))

    def experimental_get_tracing_count(self) -> int:
        """How many functions there are, in all graphs."""
        return self._count

    def _bound(self, args: Any, kwargs: Any) -> _Call:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = (bound.args, bound.kwargs)
        if self._specs is not None:
            arguments = (self._fitting(bound), {})
        flat = nest.flatten(arguments)
        is_tensor = [_is_tensor_like(a) for a in flat]
        flat = [_as_tensor(a) if t else a for a, t in zip(flat, is_tensor, strict=True)]
        return _Call(arguments, flat, is_tensor)

    def _fitting(self, bound: inspect.BoundArguments) -> tuple[Any, ...]:
        """The arguments as tensors that the signature allows."""
        assert self._specs is not None
        given = [*bound.args, *bound.kwargs.values()]
        if len(given) != len(self._specs):
            raise TypeError(
                f"{_name_of(self._python_function)}: input_signature has "
                f"{len(self._specs)} arguments, got {len(given)}"
            )
        # A list of numbers may be given for a tensor.
        values = nest.flatten_up_to(self._specs, given)
        fitting = []
        for spec, value in zip(nest.flatten(self._specs), values, strict=True):
            is_spec = isinstance(value, tensor_spec.TensorSpec)
            tensor = value if is_spec else ops.convert_to_tensor(value, spec.dtype)
            if not spec.shape.is_compatible_with(tensor.shape) or (
                tensor.dtype.base_dtype != spec.dtype
            ):
                raise ValueError(
                    f"{_name_of(self._python_function)}: input_signature allows {spec}, got {tensor}"
                )
            fitting.append(tensor)
        return tuple(nest.pack_sequence_as(self._specs, fitting))

    def _concrete(self, call: _Call) -> ConcreteFunction:
        graph = ops.get_default_graph()
        known = self._known(graph)
        kind = self._kind(call)
        found = known.get(kind)
        if found is None and self._relaxes:
            kind = self._relaxed(kind, known)
            found = known.get(kind)
        if found is None:
            found = self._trace(call, kind, graph)
            known[kind] = found
        return found

    def _known(self, graph: ops.Graph) -> dict[_Kind, ConcreteFunction]:
        """The functions in a graph; they refer to it, and so are kept by it alone."""
        by_function = vars(graph).setdefault(
            "_traced_functions", weakref.WeakKeyDictionary()
        )
        return by_function.setdefault(self, {})

    def _kind(self, call: _Call) -> _Kind:
        tensors, others = [], []
        specs = nest.flatten(self._specs) if self._specs is not None else None
        for value, is_tensor in zip(call.flat, call.is_tensor, strict=True):
            if is_tensor:
                like = value if specs is None else specs[len(tensors)]
                shape = None if like.shape.ndims is None else tuple(like.shape.as_list())  # fmt: skip
                tensors.append((value.dtype.base_dtype, shape))
            else:
                others.append(_hashable(value))
        shown = nest.pack_sequence_as(call.arguments, list(range(len(call.flat))))
        places = tuple(call.is_tensor)
        return _Kind((repr(shown), places, tuple(others)), tuple(tensors))

    @staticmethod
    def _relaxed(kind: _Kind, known: dict[_Kind, ConcreteFunction]) -> _Kind:
        """The kind with unknown sizes where a known function that differs in nothing else has others."""
        for other in known:
            if other.structure != kind.structure or len(other.tensors) != len(
                kind.tensors
            ):
                continue
            merged = [
                (a[0], _common(a[1], b[1])) if a[0] == b[0] else None
                for a, b in zip(kind.tensors, other.tensors, strict=True)
            ]
            if None not in merged:
                return kind._replace(tensors=tuple(m for m in merged if m is not None))
        return kind

    def _trace(self, call: _Call, kind: _Kind, graph: ops.Graph) -> ConcreteFunction:
        def lifted(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            """Makes the variable in the graph around the body, with a handle, which the body can capture."""
            if self._count:
                raise ValueError(
                    "tf.function-decorated function tried to create variables on non-first call: "
                    f"{_name_of(self._python_function)} must keep those of its first call"
                )
            arguments["use_resource"] = True
            if isinstance(arguments.get("initial_value"), ops.Tensor):
                raise ValueError(
                    "tf.function: a variable's initial value must not be a tensor of the function; "
                    "pass a callable or a value"
                )
            with graph.as_default(), ops.control_dependencies(None):
                return next_creator(**arguments)

        inner = self._python_function

        @functools.wraps(inner)
        def with_lifted_variables(*args: Any, **kwargs: Any) -> Any:
            variable_scope.get_variable_scope().set_use_resource(True)
            with variables_creators.variable_creator_scope(lifted):
                return inner(*args, **kwargs)

        concrete = ConcreteFunction(with_lifted_variables, call, kind)
        self._count += 1
        return concrete


def _name_of(func: Any) -> str:
    return getattr(func, "__name__", None) or type(func).__name__


def _is_tensor_like(value: Any) -> bool:
    return isinstance(
        value, (ops.Tensor, np.ndarray, np.generic, tensor_spec.TensorSpec)
    )


def _as_tensor(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return ops.convert_to_tensor(value)
    return value


def _hashable(value: Any) -> Any:
    """What decides whether a value is that of an earlier call: itself, or else the object that it is."""
    if isinstance(value, (variables.Variable, resource_variable_ops.ResourceVariable)):
        return type(value), id(value)
    try:
        hash(value)
    except TypeError:
        return type(value), id(value)
    return type(value), value


def _common(
    a: tuple[int | None, ...] | None, b: tuple[int | None, ...] | None
) -> tuple[int | None, ...] | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def _as_result(value: Any) -> ops.Tensor | None:
    if value is None or isinstance(value, ops.Operation):
        return None
    return ops.convert_to_tensor(value)


def _order_effects(body: Any) -> list[ops.Operation]:
    """Lets each stateful op of a body wait for the one before; returns the last, and ops inside of conditions and loops.

    Ops inside of a condition or a loop wait for nothing outside of it: what goes into it does.
    """
    last: ops.Operation | None = None
    for op in body.get_operations():
        if not op.op_def.is_stateful or op.type in _UNORDERED:
            continue
        if op._get_control_flow_context() is not None:
            continue
        if last is not None and last not in op.control_inputs:
            op._add_control_input(last)
        last = op
    return [] if last is None else [last]
