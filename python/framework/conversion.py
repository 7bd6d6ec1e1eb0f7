# SPDX-License-Identifier: Apache-2.0
"""Anything -> Tensor: the registry of conversion functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, name_scopes
from tensorwright.python.framework.indexed_slices import IndexedSlices
from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike

_Function = Callable[..., Any]
# priority -> [(type or tuple of types, function)]
_registry: dict[int, list[tuple[Any, _Function]]] = {}
# type -> the functions that apply to it, best first.
_functions_of_type: dict[type, tuple[_Function, ...]] = {}


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...],
    conversion_func: _Function,
    priority: int = 100,
) -> None:
    """Registers how instances of a type become tensors.

    Args:
        base_type: a class or a tuple of classes.
        conversion_func: `f(value, dtype=None, name=None, as_ref=False)`, returns a
            Tensor, or NotImplemented to let the next function try.
        priority: functions of smaller numbers try first.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not types or not all(isinstance(t, type) for t in types):
        raise TypeError(f"base_type must be one type or several, got {base_type!r}")
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    _registry.setdefault(priority, []).append((base_type, conversion_func))
    _functions_of_type.clear()


def _functions_for(value: Any) -> tuple[_Function, ...]:
    functions = _functions_of_type.get(type(value))
    if functions is None:
        functions = tuple(
            function
            for priority in sorted(_registry)
            for base_type, function in _registry[priority]
            if isinstance(value, base_type)
        )
        _functions_of_type[type(value)] = functions
    return functions


def internal_convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: DTypeLike | None = None,
    ctx: object = None,
) -> Tensor:
    """As `convert_to_tensor`; `as_ref` asks for the reference of a variable."""
    del ctx
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if dtype is not None and not dtype.is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    error = ""
    for function in _functions_for(value):
        result = NotImplemented
        if dtype is None and preferred_dtype is not None:
            result = _try_preferred(function, value, preferred_dtype, name, as_ref)
        if result is NotImplemented:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, Tensor):
            raise RuntimeError(
                f"{_prefix(name)}Conversion function {function!r} for type "
                f"{type(value)} returned non-Tensor: {result!r}"
            )
        if dtype is not None and not dtype.is_compatible_with(result.dtype):
            raise RuntimeError(
                f"{_prefix(name)}Conversion function {function!r} for type "
                f"{type(value)} returned incompatible dtype: requested = "
                f"{dtype.base_dtype.name}, actual = {result.dtype.name}"
            )
        return result
    raise TypeError(
        f"{_prefix(name)}Cannot convert {value!r} to a Tensor: no conversion function "
        f"takes a {type(value)}.{error}"
    )


def _prefix(name: str | None) -> str:
    return f"Error converting {name}: " if name else ""


def _try_preferred(function, value, preferred_dtype, name, as_ref) -> Any:
    try:
        result = function(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
    except (TypeError, ValueError):
        return NotImplemented
    if isinstance(result, Tensor):
        wanted = dtypes.as_dtype(preferred_dtype).base_dtype
        if result.dtype.base_dtype != wanted:
            raise TypeError(
                f"convert_to_tensor did not convert to the preferred dtype: "
                f"{result.dtype.base_dtype.name} vs {wanted.name}"
            )
    return result


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
) -> Tensor:
    """Makes a Tensor of a value: a Tensor, a Variable, an array, a list, a number.

    Args:
        value: anything with a registered conversion function.
        dtype: the type it must have; inferred where it is not given.
        name: for a Const that is added.
        preferred_dtype: a type to try first; another is fine if that fails.

    Raises:
        TypeError: where no conversion function takes the value.
        ValueError: for a Tensor of another dtype.
    """
    preferred = dtype_hint if preferred_dtype is None else preferred_dtype
    return internal_convert_to_tensor(
        value, dtype=dtype, name=name, preferred_dtype=preferred
    )


def internal_convert_n_to_tensor(
    values: Sequence[TensorLike],
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: DTypeLike | None = None,
    ctx: object = None,
) -> list[Tensor]:
    """Converts each of a list of values; item i is named `name_i`."""
    if not isinstance(values, (list, tuple)):
        raise TypeError("values must be a list.")
    return [
        internal_convert_to_tensor(
            value,
            dtype=dtype,
            name=None if name is None else f"{name}_{i}",
            as_ref=as_ref,
            preferred_dtype=preferred_dtype,
        )
        for i, value in enumerate(values)
    ]


def convert_n_to_tensor(
    values: Sequence[TensorLike],
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
) -> list[Tensor]:
    """Converts each of a list of values; item i is named `name_i`."""
    return internal_convert_n_to_tensor(
        values, dtype=dtype, name=name, preferred_dtype=preferred_dtype
    )


def internal_convert_to_tensor_or_indexed_slices(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> Tensor | IndexedSlices:
    """As `convert_to_tensor_or_indexed_slices`."""
    if isinstance(value, IndexedSlices):
        wanted = dtypes.as_dtype(dtype or value.dtype)
        if wanted.is_compatible_with(value.dtype):
            return value
        raise ValueError(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
            f"{value.dtype.name}: {value}"
        )
    return internal_convert_to_tensor(value, dtype=dtype, name=name, as_ref=as_ref)


def convert_to_tensor_or_indexed_slices(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """A Tensor of the value, or the value itself if it is IndexedSlices."""
    return internal_convert_to_tensor_or_indexed_slices(value, dtype, name)


def internal_convert_n_to_tensor_or_indexed_slices(
    values: Sequence[TensorLike | None],
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> list:
    """Converts each of a list of values; None stays None."""
    if not isinstance(values, (list, tuple)):
        raise TypeError("values must be a list.")
    return [
        None
        if value is None
        else internal_convert_to_tensor_or_indexed_slices(
            value, dtype, None if name is None else f"{name}_{i}", as_ref
        )
        for i, value in enumerate(values)
    ]


def convert_n_to_tensor_or_indexed_slices(
    values: Sequence[TensorLike | None],
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> list:
    """Converts each of a list of values; None stays None."""
    return internal_convert_n_to_tensor_or_indexed_slices(values, dtype, name)


def _convert_op_input(
    value: Any,
    dtype: Any,
    name: str,
    as_ref: bool,
    preferred_dtype: Any,
    arg_name: str,
    op_type: str,
) -> Tensor:
    """Converts an op's input that the core did not.  Errors name op and argument."""
    if value is None:
        raise ValueError(f"{op_type}: {arg_name}: None values not supported.")
    try:
        return internal_convert_to_tensor(
            value,
            dtype=dtype,
            name=name,
            as_ref=as_ref,
            preferred_dtype=preferred_dtype,
        )
    except TypeError as error:
        if dtype is None:
            raise
        raise TypeError(
            f"Expected {dtype.name} passed to parameter {arg_name!r} of op "
            f"{op_type!r}, got {value!r} of type {type(value).__name__!r} instead. "
            f"({error})"
        ) from error
    except ValueError as error:
        if dtype is None:
            raise
        observed = internal_convert_to_tensor(value, as_ref=as_ref).dtype
        if observed.base_dtype == dtype.base_dtype:
            raise
        raise TypeError(
            f"Input {arg_name!r} of {op_type!r} Op has type {observed.name} that does "
            f"not match type {dtype.name} of earlier arguments or the op."
        ) from error


def _tensor_conversion(value: Any, dtype=None, name=None, as_ref=False) -> Any:
    del name, as_ref
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        return NotImplemented
    return value


register_tensor_conversion_function(Tensor, _tensor_conversion, 0)
get_graph_from_inputs = name_scopes.get_graph_from_inputs
_get_default_graph = _pywrap.get_default_graph
