# SPDX-License-Identifier: Apache-2.0
"""Decorators that can be seen through: each keeps what it decorates."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import F


class TFDecorator:
    """One decorator on a callable.

    Attributes:
        decorator_name: the decorator's name.
        decorated_target: what it decorates.
        decorator_doc: the docstring for the decorated function.
        decorator_argspec: its argument specification, where it differs.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Callable[..., object],
        decorator_doc: str = "",
        decorator_argspec: object = None,
    ):
        self._decorated_target = target
        self._decorator_name = decorator_name
        self._decorator_doc = decorator_doc
        self._decorator_argspec = decorator_argspec
        self.__name__ = getattr(target, "__name__", decorator_name)
        self.__wrapped__ = target
        if decorator_doc:
            self.__doc__ = decorator_doc
        elif getattr(target, "__doc__", None):
            self.__doc__ = target.__doc__
        else:
            self.__doc__ = ""

    def __get__(self, obj: object, objtype: object) -> Any:
        return functools.partial(self.__call__, obj)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._decorated_target(*args, **kwargs)

    @property
    def decorated_target(self) -> Callable[..., Any]:
        return self._decorated_target

    @decorated_target.setter
    def decorated_target(self, target: Callable[..., object]) -> None:
        self._decorated_target = target

    @property
    def decorator_name(self) -> str:
        return self._decorator_name

    @property
    def decorator_doc(self) -> str:
        return self._decorator_doc

    @property
    def decorator_argspec(self) -> Any:
        return self._decorator_argspec


def make_decorator(
    target: Callable[..., object],
    decorator_func: F,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: object = None,
) -> F:
    """Makes `decorator_func`, a wrapper of `target`, one that can be unwrapped."""
    frame = inspect.currentframe()
    caller = frame and frame.f_back
    assert caller is not None
    name = caller.f_code.co_name if decorator_name is None else decorator_name
    decorator = TFDecorator(name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for attribute in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, attribute):
            setattr(decorator_func, attribute, getattr(target, attribute))
    decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = target
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators on a callable, outermost first, and what is under them."""
    decorators = []
    current = maybe_tf_decorator
    while True:
        if isinstance(current, TFDecorator):
            decorator = current
        elif hasattr(current, "_tf_decorator"):
            decorator = current._tf_decorator
        else:
            return decorators, current
        decorators.append(decorator)
        current = decorator.decorated_target
