# SPDX-License-Identifier: Apache-2.0
"""Python functions as ops: tf.py_func, and the function that the kernel of PyFunc calls."""

from __future__ import annotations

import itertools
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import errors_impl, ops, running_functions
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_script_ops


class _Function:
    """A function that nodes of a graph name by its token.

    The graphs that use it keep it; when they go, so does it.
    """

    __slots__ = ("__weakref__", "details", "function", "token")

    def __init__(self, function: Callable[..., Any], details: Any, op_name: str):
        self.function = function
        self.details = details
        # Errors name the function by it.
        self.token = f"{op_name}#" if op_name else "pyfunc_"
        self.token += str(next(_numbers))
        _functions[self.token] = self


_functions: weakref.WeakValueDictionary[str, _Function] = weakref.WeakValueDictionary()
_numbers = itertools.count()

# The class of an exception -> the code of the run's error; the first that fits.
_CODES = (
    ((ValueError, TypeError), errors_impl.INVALID_ARGUMENT),
    (StopIteration, errors_impl.OUT_OF_RANGE),
    (MemoryError, errors_impl.RESOURCE_EXHAUSTED),
    (NotImplementedError, errors_impl.UNIMPLEMENTED),
)


def py_func(
    func: Callable[..., object],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Calls a Python function on the values of tensors, in every run.

    An exception ends the run: ValueError and TypeError as InvalidArgumentError,
    StopIteration as OutOfRangeError, MemoryError as ResourceExhaustedError,
    NotImplementedError as UnimplementedError, an error of `tf.errors` as itself, and
    any other as UnknownError; the message holds the exception's text and traceback.

    The function stays in this process: a GraphDef holds its token only.

    Args:
        func: gets a NumPy array for each of `inp` (a NumPy scalar or bytes where
            the shape is []), its own to write to and to keep.  Returns an array, a list
            of them, or None, of exactly the types `Tout`.
        inp: tensors of any dtypes and shapes.
        Tout: a dtype, or a list of them.
        stateful: False where equal inputs always give equal results, so that calls
            may be merged or left out.
        name: the op's name.

    Returns:
        A Tensor of unknown shape where `Tout` is one dtype, a list of them where it is
        a list, and the Operation where that is empty.
    """
    return add_call(func, inp, Tout, stateful, name)


def numpy_function(
    func: Callable[..., object],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`py_func` under its later name."""
    return add_call(func, inp, Tout, stateful, name)


def add_call(
    func: Callable[..., object],
    inp: Sequence[TensorLike],
    types: DTypeLike | Sequence[DTypeLike],
    stateful: bool,
    name: str | None,
    details: object = None,
    op_name: str = "",
) -> Any:
    """Adds the op of `py_func`; `details_of` returns the op's `details`.

    Errors name `op_name` if the call stands for an op in its own right.
    """
    if not callable(func):
        raise ValueError(f"py_func: func must be callable, got {func!r}")
    function = _Function(func, details, op_name)
    is_list = isinstance(types, (list, tuple))
    outputs: Any = list(types) if is_list else [types]
    wrapper = gen_script_ops._py_func if stateful else gen_script_ops._py_func_stateless
    result = wrapper(
        input=list(inp),
        token=function.token,
        Tout=outputs,
        name=name,
    )
    op = result if isinstance(result, ops.Operation) else result[0].op
    _keep(op.graph, function)
    return result if is_list else result[0]


def function_of(op: ops.Operation) -> Callable[..., Any] | None:
    """The function that a PyFunc op calls; None for any other op."""
    entry = _entry_of(op)
    return entry.function if entry else None


def details_of(op: ops.Operation) -> Any:
    """Returns the details that `add_call` was given for the op."""
    entry = _entry_of(op)
    return entry.details if entry else None


def _entry_of(op: ops.Operation) -> _Function | None:
    if op.type not in ("PyFunc", "PyFuncStateless"):
        return None
    return _functions.get(op.get_attr("token").decode())


def _keep(graph: Any, function: _Function) -> None:
    """The function lives as long as the graph, and the graph's outer ones."""
    while graph is not None:
        kept = graph.__dict__.setdefault("_py_funcs_used_in_graph", [])
        kept.append(function)
        graph = getattr(graph, "_outer_graph", None)


class FuncRegistry:
    """Functions for PyFunc ops that a program makes by its own hand."""

    def insert(self, func: Callable[..., object]) -> str:
        """Returns the token by which PyFunc ops call `func`, which lives as long as the default graph."""
        function = _Function(func, None, "")
        _keep(ops.get_default_graph(), function)
        return function.token

    def size(self) -> int:
        """How many functions are alive, those of `py_func` among them."""
        return len(_functions)


_py_funcs = FuncRegistry()


def _call(token: str, arrays: tuple) -> list[np.ndarray] | tuple[int, str]:
    """Called by the kernel; returns the results, or the (code, message) of the error."""
    try:
        function = _functions.get(token)
        if function is None:
            raise ValueError(
                f"this process has no Python function {token!r}: a GraphDef holds a "
                "function's token only"
            )
        with running_functions.running(function):
            result = function.function(*arrays)
        if result is None:
            return []
        if isinstance(result, (list, tuple)):
            return [_as_array(value) for value in result]
        return [_as_array(result)]
    except KeyboardInterrupt:
        raise  # The kernel has it raised again where the run was asked for.
    except BaseException as error:
        return _code_of(error), _message_of(error)


_pywrap.set_script_function(_call)


def _as_array(value: Any) -> np.ndarray:
    array = np.asarray(value, order="C")
    if array.dtype.kind in "SU" and not isinstance(value, np.ndarray):
        # NumPy's strings end at their last byte that is not 0.
        array = np.asarray(value, dtype=object)
    return array


def _code_of(error: BaseException) -> int:
    if isinstance(error, errors_impl.OpError):
        return error.error_code
    for classes, code in _CODES:
        if isinstance(error, classes):
            return code
    return errors_impl.UNKNOWN


def _message_of(error: BaseException) -> str:
    """`ValueError: why`, and the stack from the function on."""
    stack = error.__traceback__
    stack = stack.tb_next if stack is not None else None
    summary = "".join(traceback.format_exception_only(error)).strip()
    if stack is None:
        return summary
    lines = "".join(traceback.format_tb(stack)).rstrip()
    return f"{summary}\nTraceback (most recent call last):\n{lines}"


ops.NotDifferentiable("PyFunc")
ops.NotDifferentiable("PyFuncStateless")
