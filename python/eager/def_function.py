# SPDX-License-Identifier: Apache-2.0
"""tf.function: a Python function as functions of the graph, one for each kind of arguments.

In a graph a call adds one op.  Python runs once for each kind of arguments: dtypes and shapes of tensors, values of
all else.  concrete_function.py has the function for one kind.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.eager import concrete_function
from tensorwright.python.eager.concrete_function import (
    Call,
    ConcreteFunction,
    Kind,
    is_tensor_like,
    name_of,
    static_shape,
)
from tensorwright.python.framework import ops, tensor_spec
from tensorwright.python.ops import resource_variable_ops, variables
from tensorwright.python.util import nest


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

    Stateful ops of the body run in each call, in the order in which Python wrote them; those inside of `tf.cond` and
    `tf.while_loop` are ordered by control dependencies alone.

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

    def _bound(self, args: Any, kwargs: Any) -> Call:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = (bound.args, bound.kwargs)
        if self._specs is not None:
            arguments = (self._fitting(bound), {})
        flat = nest.flatten(arguments)
        is_tensor = [is_tensor_like(a) for a in flat]
        flat = [_as_tensor(a) if t else a for a, t in zip(flat, is_tensor, strict=True)]
        return Call(arguments, flat, is_tensor)

    def _fitting(self, bound: inspect.BoundArguments) -> tuple[Any, ...]:
        """The arguments as tensors that the signature allows."""
        assert self._specs is not None
        given = [*bound.args, *bound.kwargs.values()]
        if len(given) != len(self._specs):
            raise TypeError(
                f"{name_of(self._python_function)}: input_signature has "
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
                    f"{name_of(self._python_function)}: input_signature allows {spec}, got {tensor}"
                )
            fitting.append(tensor)
        return tuple(nest.pack_sequence_as(self._specs, fitting))

    def _concrete(self, call: Call) -> ConcreteFunction:
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

    def _known(self, graph: ops.Graph) -> dict[Kind, ConcreteFunction]:
        """The functions in a graph; they refer to it, and so are kept by it alone."""
        by_function = vars(graph).setdefault(
            "_traced_functions", weakref.WeakKeyDictionary()
        )
        return by_function.setdefault(self, {})

    def _kind(self, call: Call) -> Kind:
        tensors, others = [], []
        specs = nest.flatten(self._specs) if self._specs is not None else None
        for value, is_tensor in zip(call.flat, call.is_tensor, strict=True):
            if is_tensor:
                like = value if specs is None else specs[len(tensors)]
                tensors.append((value.dtype.base_dtype, static_shape(like)))
            else:
                others.append(_hashable(value))
        shown = nest.pack_sequence_as(call.arguments, list(range(len(call.flat))))
        places = tuple(call.is_tensor)
        return Kind((repr(shown), places, tuple(others)), tuple(tensors))

    @staticmethod
    def _relaxed(kind: Kind, known: dict[Kind, ConcreteFunction]) -> Kind:
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

    def _trace(self, call: Call, kind: Kind, graph: ops.Graph) -> ConcreteFunction:
        def check(initial_value: object) -> None:
            if self._count:
                raise ValueError(
                    "tf.function-decorated function tried to create variables on non-first call: "
                    f"{name_of(self._python_function)} must keep those of its first call"
                )
            if isinstance(initial_value, ops.Tensor):
                raise ValueError(
                    "tf.function: a variable's initial value must not be a tensor of the function; "
                    "pass a callable or a value"
                )

        lifting = concrete_function.lifting_variables(
            self._python_function, graph, check
        )
        concrete = ConcreteFunction(lifting, call, kind)
        self._count += 1
        return concrete


def _as_tensor(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return ops.convert_to_tensor(value)
    return value


def _hashable(value: Any) -> Any:
    """A key by which a value is that of an earlier call: the value, or the object if it cannot be hashed."""
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
