# SPDX-License-Identifier: Apache-2.0
"""arg_scope: default arguments of several functions, for all calls inside a `with`.

    with arg_scope([layers.conv2d], padding="SAME", stride=2):
        net = layers.conv2d(net, 64, [3, 3])            # padding SAME, stride 2
        net = layers.conv2d(net, 64, [3, 3], stride=1)  # the call's own argument wins

The scopes are of one thread: another thread starts without any.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.util import tf_decorator

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import F


__all__ = [
    "add_arg_scope",
    "arg_scope",
    "arg_scoped_arguments",
    "current_arg_scope",
    "has_arg_scope",
]

# Key of a decorated function -> the names of its arguments that have defaults.
_DECORATED: dict[str, tuple[str, ...]] = {}


class _Stack(threading.local):
    def __init__(self) -> None:
        self.scopes: list[dict[str, dict[str, Any]]] = [{}]


_STACK = _Stack()


def _key_op(op: Any) -> str:
    return getattr(op, "_key_op", str(op))


def _name_op(op: Any) -> tuple[str, str]:
    return (
        getattr(op, "__module__", ""),
        getattr(op, "__name__", type(op).__name__),
    )


def _defaults(func: Callable[..., Any]) -> tuple[str, ...]:
    parameters = inspect.signature(func).parameters.values()
    empty = inspect.Parameter.empty
    return tuple(p.name for p in parameters if p.default is not empty)


def current_arg_scope() -> dict[str, dict[str, object]]:
    """The default arguments in force, by function."""
    return _STACK.scopes[-1]


@contextlib.contextmanager
def _pushed(scope: dict[str, dict[str, Any]]) -> Iterator[dict[str, dict[str, Any]]]:
    _STACK.scopes.append(scope)
    try:
        yield scope
    finally:
        _STACK.scopes.pop()


@contextlib.contextmanager
def arg_scope(
    list_ops_or_scope: Sequence[Callable[..., object]] | dict, **kwargs: object
) -> Iterator[dict[str, dict[str, object]]]:
    """Default arguments for functions, or the defaults of a scope that was kept.

    Args:
        list_ops_or_scope: a list or tuple of functions under `add_arg_scope`; or the result of
            an `arg_scope`, which comes into force as it was, without the scopes around.
        **kwargs: the arguments; those of scopes around stay where they are not given anew.

    Yields:
        The scope, to come into force again elsewhere.

    Raises:
        TypeError: the first argument is neither of these.
        ValueError: a scope with further arguments, or a function without `add_arg_scope`.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be "
                f"empty; got {sorted(kwargs)}"
            )
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError(
                "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict), "
                f"got {type(list_ops_or_scope).__name__}"
            )
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError(f"{_name_op(op)} is not decorated with @add_arg_scope")
            key = _key_op(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    with _pushed(scope) as current:
        yield current


def add_arg_scope(func: F) -> F:
    """A decorator: `arg_scope` can give the function default arguments."""

    def func_with_args(*args: Any, **kwargs: Any) -> Any:
        defaults = current_arg_scope().get(key)
        if defaults:
            kwargs = {**defaults, **kwargs}
        return func(*args, **kwargs)

    key = _key_op(func)
    _DECORATED[key] = _defaults(func)
    # This key finds the decorated function under the key of the one inside.
    func_with_args._key_op = key  # type: ignore[attr-defined]
    return cast(Any, tf_decorator.make_decorator(func, func_with_args, "add_arg_scope"))


def has_arg_scope(func: Callable[..., object]) -> bool:
    """Whether the function is under `add_arg_scope`."""
    return _key_op(func) in _DECORATED


def arg_scoped_arguments(func: Callable[..., object]) -> tuple[str, ...]:
    """The names of the arguments that a scope may give: those with defaults."""
    if not has_arg_scope(func):
        raise ValueError(f"{_name_op(func)} is not decorated with @add_arg_scope")
    return _DECORATED[_key_op(func)]
