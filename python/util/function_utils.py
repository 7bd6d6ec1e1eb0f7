# SPDX-License-Identifier: Apache-2.0
"""Questions about callables: their arguments, name and code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import CodeType

from tensorwright.python.util import tf_decorator


def fn_args(fn: Callable[..., object]) -> tuple[str, ...]:
    """The names of a callable's arguments, without `self` and what a `functools.partial` gives by place or name."""
    if isinstance(fn, functools.partial):
        names = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in names if name not in (fn.keywords or {}))
    kinds = inspect.Parameter
    return tuple(
        p.name
        for p in inspect.signature(fn).parameters.values()
        if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
    )


def has_kwargs(fn: Callable[..., object]) -> bool:
    """Whether a callable takes arguments of any name.

    Raises TypeError for what cannot be called.
    """
    while isinstance(fn, functools.partial):
        fn = fn.func
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}")  # fmt: skip
    parameters = inspect.signature(fn).parameters.values()
    return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def get_func_name(func: Callable[..., object]) -> str:
    """The name of a callable: a lambda's source, a partial's function's, an object's class.

    Raises ValueError for what cannot be called.
    """
    _, func = tf_decorator.unwrap(func)
    if not callable(func):
        raise ValueError(f"Argument must be callable, got {func!r} of {type(func)}")
    if getattr(func, "__name__", None) == "<lambda>":
        try:
            return inspect.getsource(func).strip()
        except OSError:
            return "<lambda>"
    if isinstance(func, functools.partial):
        return get_func_name(func.func)
    return getattr(func, "__name__", None) or str(type(func))


def get_func_code(func: Callable[..., object]) -> CodeType | None:
    """The code of a function or a partial's function; None of another callable.

    Raises ValueError for what cannot be called.
    """
    _, func = tf_decorator.unwrap(func)
    if not callable(func):
        raise ValueError(f"Argument must be callable, got {func!r} of {type(func)}")
    if isinstance(func, functools.partial):
        return get_func_code(func.func)
    return getattr(func, "__code__", None)
