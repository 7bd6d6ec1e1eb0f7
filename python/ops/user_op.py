# SPDX-License-Identifier: Apache-2.0
"""tf.user_op: an op written in Python alone.

A NumPy function with an op's spec: arguments are converted and checked as a C++ op's
are, shapes are inferred, gradients flow, and `tf.explain` finds the function's line.  It
is run by PyFunc, in the process that built the graph.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import (
    dtypes,
    library_wrappers as wrappers,
    ops,
    tensor_shape,
)
from tensorwright.python.framework.batching_registry import BatchingRule
from tensorwright.python.ops import script_ops, user_op_spec
from tensorwright.python.util.lazy_protos import op_def_pb2

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import F


_numbers = itertools.count(1)
# Each op's function, by the op's name.
_made: dict[str, Callable[..., Any]] = {}


def user_op(
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    attrs: Sequence[str] = (),
    *,
    name: str | None = None,
    shape: Callable[..., object] | None = None,
    gradient: Callable[..., object] | None = None,
    stateful: bool = False,
) -> Callable[[Callable[..., object]], UserOp]:
    """Decorates a NumPy function, and makes an op of it.

    Args:
        inputs: specs as in REGISTER_OP: "x: float", "x: T", "xs: N * T", "xs: Tin".
        outputs: likewise.
        attrs: likewise: "T: {float, double}", "axis: int = -1".
        name: the op's name; by default the function's name in CamelCase.
        shape: as `UserOp.shape` takes it.
        gradient: as `UserOp.gradient` takes it.
        stateful: True if equal inputs may give different results.

    Returns:
        A decorator that turns the function into a `UserOp`.  The function gets a NumPy array
        for each input (a list of them for a list), and the attrs that inputs do not
        determine; it returns the output, or a list or tuple of several.

    Raises:
        TypeError: `inputs`, `outputs` or `attrs` is no list of strings.
        ValueError: a spec cannot be read, another op has the name, or the function's
            parameters are not the inputs and attrs of the spec.

    Example:
        @tf.user_op(inputs=["x: T"], outputs=["norm: T"], attrs=["T: {float, double}"])
        def row_norm(x):
            return np.sqrt(np.square(x).sum(-1))

        @row_norm.shape
        def _(x):
            return x[:-1]

        @row_norm.gradient
        def _(op, grad):
            return op.inputs[0] * tf.expand_dims(grad / op.outputs[0], -1)
    """

    _check_specs(inputs=inputs, outputs=outputs, attrs=attrs)

    def make(function: Callable[..., Any]) -> UserOp:
        if not hasattr(function, "__code__"):
            raise TypeError(f"tf.user_op makes an op of a function, got {function!r}")
        op_name = name or "".join(p.title() for p in function.__name__.split("_"))
        _check_name(function, op_name)
        made = UserOp(function, op_name, (inputs, outputs, attrs), stateful)
        _check_parameters(made)
        _made[op_name] = function
        made._shape = shape
        made._gradient = gradient
        return made

    return make


def _check_specs(**specs: Any) -> None:
    if callable(specs["inputs"]):
        raise TypeError(
            f"tf.user_op got {specs['inputs']!r} in place of specs: write "
            '@tf.user_op(inputs=["x: float"], outputs=["y: float"]) above the function'
        )
    for argument, value in specs.items():
        is_list = isinstance(value, (list, tuple))
        if not is_list or not all(isinstance(spec, str) for spec in value):
            raise TypeError(
                f"tf.user_op: {argument} must be a list of strings, got {value!r}"
            )


def _check_name(function: Callable[..., Any], name: str) -> None:
    where = _where(function)
    try:
        known = _pywrap.op_registration(name)
    except KeyError:
        known = None
    if known is not None:
        raise ValueError(
            f"{where}: there is an op {name} already, registered at {known['file']}:"
            f"{known['line']}: give this one another name"
        )
    other = _made.get(name)
    # Run again, as a cell of a notebook is, a definition takes the place of itself.
    if other is not None and _identity(other) != _identity(function):
        raise ValueError(
            f"{where}: there is an op {name} already, made at {_where(other)}: give "
            "this one another name"
        )


def _identity(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def _where(function: Callable[..., Any]) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def _check_parameters(made: UserOp) -> None:
    """The function is called with the inputs by position and the attrs by name."""
    function, op_def = made.function, made.op_def
    inputs = [arg.name for arg in op_def.input_arg]
    implied = {
        attr
        for arg in op_def.input_arg
        for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)
    }
    attrs = [attr.name for attr in op_def.attr if attr.name not in implied]
    wanted = f"({', '.join([*inputs, *attrs])})"
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    positional = [
        p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    try:
        signature.bind(*inputs, **dict.fromkeys(attrs))
    except TypeError as error:
        raise ValueError(
            f"{_where(function)}: {op_def.name} calls {function.__name__}{wanted}, but "
            f"the function is {function.__name__}{signature}: {error}"
        ) from None
    for name, parameter in zip(inputs, positional):
        if parameter.name != name and parameter.kind != parameter.POSITIONAL_ONLY:
            raise ValueError(
                f"{_where(function)}: {op_def.name}: input {name!r} is the parameter "
                f"{parameter.name!r} of {function.__name__}: give both one name"
            )


class UserOp:
    """An op whose kernel is a Python function.  Calling it adds it to a graph.

    Attributes:
        op_def: its `OpDef`.
        function: its kernel.
    """

    def __init__(
        self,
        function: Callable[..., object],
        name: str,
        specs: tuple[Sequence[str], Sequence[str], Sequence[str]],
        stateful: bool,
    ):
        code = function.__code__
        self.function = function
        self._file, self._line = code.co_filename, code.co_firstlineno
        data, text = _pywrap.describe_op(
            name, *map(list, specs), inspect.getdoc(function) or "", *self.location
        )
        self.op_def = op_def_pb2.OpDef.FromString(data)
        self.op_def.is_stateful = stateful
        self._shape: Callable[..., Any] | None = None
        self._gradient: Callable[..., Any] | None = None
        self._batching: Callable[..., Any] | None = None
        self._gradient_name = f"{name}_{next(_numbers)}"
        self._wrapper = wrappers.exec_wrapper(text, function.__module__, self._apply)
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = self._wrapper.__doc__
        self.__signature__ = inspect.signature(self._wrapper)
        self.__wrapped__ = function
        ops.RegisterGradient(self._gradient_name)(self._differentiate)

    @property
    def location(self) -> tuple[str, int]:
        """(file, line) of the function."""
        return self._file, self._line

    def shape(self, function: F) -> F:
        """Decorator: the op's shape function.

        It gets a `TensorShape` for each input (a list of them for a list) and the
        attrs, and returns the shape of the output, or a list with one for each.  It is
        a contract: a run in which the outputs have other shapes fails.
        """
        self._shape = function
        return function

    def gradient(self, function: F) -> F:
        """Decorator: the op's gradient.

        It gets the Operation, whose `get_attr` knows the op's attrs, and a gradient
        for each output; it returns one, or None, for each input.
        """
        self._gradient = function
        return function

    def batching(self, function: BatchingRule) -> BatchingRule:
        """Decorator: the op's batching rule, by which `tf.vectorized_map` calls it once.

        It is one as `tf.RegisterBatchingRule` takes it; its Operation's `get_attr` knows
        the op's attrs.
        """
        self._batching = function
        return function

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._wrapper(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tf.user_op {self.op_def.name} {self._file}:{self._line}>"

    def _apply(self, op_name: str, name: str | None, inputs: tuple, attrs: dict) -> Any:
        """Adds a call; the printed wrapper calls this instead of apply_op."""
        bound = user_op_spec.bind(self.op_def, inputs, attrs)
        call = _Call(self, bound)
        tensors = bound.tensors
        graph = tensors[0].graph if tensors else ops.get_default_graph()
        types: dict[str, str] = dict.fromkeys(
            ("PyFunc", "PyFuncStateless"), self._gradient_name
        )
        with graph.as_default(), graph.gradient_override_map(types):
            result = script_ops.add_call(
                call.run,
                tensors,
                list(bound.output_types),
                self.op_def.is_stateful,
                name or op_name,
                details=call,
                op_name=self.op_def.name,
            )
        op = result if isinstance(result, ops.Operation) else result[0].op
        if self._shape is not None:
            shapes = call.infer([t.get_shape() for t in tensors])
            for tensor, shape in zip(op.outputs, shapes, strict=True):
                tensor.set_shape(shape)
        # The caller of an op without outputs gets the operation, to run it.
        return _Operation(op, bound.attrs) if self.op_def.output_arg else op

    def _differentiate(self, op: ops.Operation, *grads: Any) -> Any:
        if self._gradient is None:
            raise LookupError(
                f"{self.op_def.name} ({self._file}:{self._line}) has no gradient: "
                f"decorate one with @{self.__name__}.gradient"
            )
        call = script_ops.details_of(op)
        return self._gradient(_Operation(op, call.bound.attrs), *grads)


class _Operation:
    """An Operation that knows the attrs of the user op, too."""

    def __init__(self, op: ops.Operation, attrs: dict[str, Any]):
        self._op = op
        self._attrs = attrs

    def get_attr(self, name: str) -> Any:
        return self._attrs[name] if name in self._attrs else self._op.get_attr(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)


class _Call:
    """One use of a user op in a graph."""

    def __init__(self, user_op: UserOp, bound: user_op_spec.Bound):
        self.user_op = user_op
        self.bound = bound
        self._checked: dict[tuple, list] = {}

    def operation(self, op: ops.Operation) -> _Operation:
        """The operation, knowing the attrs of the user op."""
        return _Operation(op, self.bound.attrs)

    def infer(self, shapes: list[Any]) -> list[tensor_shape.TensorShape]:
        """The output shapes for input shapes."""
        op_def = self.user_op.op_def
        shape = self.user_op._shape
        assert shape is not None
        result = shape(*self.bound.group(shapes), **self.bound.attrs_given)
        n = len(self.bound.output_types)
        if n == 1 and not (isinstance(result, list) and len(result) == 1):
            result = [result]
        if len(result) != n:
            raise ValueError(
                f"{op_def.name}: the shape function returns {len(result)} shapes, but "
                f"the op has {n} outputs"
            )
        return [tensor_shape.as_shape(s) for s in result]

    def run(self, *arrays: Any) -> list[Any]:
        """Calls the function for PyFunc; returns its outputs, typed and checked."""
        result = self.user_op.function(
            *self.bound.group(arrays), **self.bound.attrs_given
        )
        types = self.bound.output_types
        flat = [_typed(v, t) for v, t in zip(self._flat(result), types, strict=True)]
        if self.user_op._shape is not None:
            self._check_shapes(tuple(np.shape(a) for a in arrays), flat)
        return flat

    def _flat(self, result: Any) -> list[Any]:
        """Returns the function's results, one value an output; ValueError if their number differs."""
        n, function = len(self.bound.output_types), self.user_op.function
        flat: list[Any] = []
        got = f"returned a {type(result).__name__}"
        fits = True
        if isinstance(result, (list, tuple)):
            flat = self.bound.flatten_outputs(result)
            got += f" of {len(flat)} values"
            if n == 1:
                got += ", which np.array makes one value"
        elif result is None:
            got = "returned None: is its `return` missing?"
        elif n == 1 and not self.bound.lists_outputs:
            flat = [result]
        else:
            fits = False
        missing = [i for i, value in enumerate(flat) if value is None]
        if fits and len(flat) == n and not missing:
            return flat
        if len(flat) == n and missing:
            got = f"returned None for output {missing[0]}"
        has = f"{n} output" + "s" * (n != 1)
        if n > 1 or (n and self.bound.lists_outputs):
            has += f", which are a list or tuple of {n} values"
        raise ValueError(
            f"{self.user_op.op_def.name} has {has}, but {function.__name__} "
            f"({_where(function)}) {got}"
        )

    def _check_shapes(self, shapes: tuple, outputs: list[Any]) -> None:
        promised = self._checked.get(shapes)
        if promised is None:
            if len(self._checked) > 100:
                self._checked.clear()
            promised = self.infer([tensor_shape.TensorShape(s) for s in shapes])
            self._checked[shapes] = promised
        for i, (value, shape) in enumerate(zip(outputs, promised, strict=True)):
            if not shape.is_compatible_with(np.shape(value)):
                raise ValueError(
                    f"{self.user_op.op_def.name}: output {i} has shape "
                    f"{list(np.shape(value))}, but the shape function promised {shape}"
                )


def _typed(value: Any, dtype: dtypes.DType) -> Any:
    """Python values become the output's type; arrays must have it."""
    if isinstance(value, (np.ndarray, np.generic)) or dtype == dtypes.string:
        return value
    return np.asarray(value, dtype.as_numpy_dtype)
