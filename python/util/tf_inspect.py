# SPDX-License-Identifier: Apache-2.0
"""`inspect` that sees through `TFDecorator`s."""

from __future__ import annotations

import collections
import functools
import inspect
import inspect as _inspect  # noqa: F401 (programs take it from here)
from typing import TYPE_CHECKING, Any

from tensorwright.python.util import tf_decorator

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ArgSpec = collections.namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])
FullArgSpec = inspect.FullArgSpec

currentframe = inspect.currentframe
stack = inspect.stack


def _target(obj: Any) -> Any:
    return tf_decorator.unwrap(obj)[1]


def getfullargspec(obj: object) -> inspect.FullArgSpec:
    """As `inspect.getfullargspec`; a decorator's own argspec comes first.

    TensorFlow's functions have no annotations: programs compare the specs of ours with those of their own.
    """
    decorators, target = tf_decorator.unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            spec = decorator.decorator_argspec
            if isinstance(spec, ArgSpec):
                return FullArgSpec(
                    *spec, kwonlyargs=[], kwonlydefaults=None, annotations={}
                )
            return spec
    spec = inspect.getfullargspec(target)
    module = getattr(target, "__module__", None) or ""
    if module.partition(".")[0] == __name__.partition(".")[0]:
        spec = spec._replace(annotations={})
    return spec


def getargspec(obj: object) -> ArgSpec:
    """(args, varargs, keywords, defaults) of a function, class or partial.

    Raises ValueError for a partial that leaves a positional argument after one it
    fixes without a default.
    """
    if isinstance(obj, functools.partial):
        return _partial_argspec(obj)
    decorators, target = tf_decorator.unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return decorator.decorator_argspec
    if isinstance(target, functools.partial):
        return _partial_argspec(target)
    if inspect.isclass(target):
        target = target.__init__
    elif not inspect.isroutine(target) and callable(target):
        target = type(target).__call__
    spec = inspect.getfullargspec(target)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _partial_argspec(obj: functools.partial) -> ArgSpec:
    spec = getargspec(obj.func)
    args = spec.args[len(obj.args) :]
    unset = object()
    values: list[Any] = [unset] * len(args)
    if spec.defaults:
        first = len(spec.args) - len(spec.defaults)
        for i, default in enumerate(spec.defaults):
            if first + i >= len(obj.args):
                values[first + i - len(obj.args)] = default
    for name, value in (obj.keywords or {}).items():
        if name in args:
            values[args.index(name)] = value
    start = next((i for i, v in enumerate(values) if v is not unset), len(values))
    missing = [a for a, v in zip(args[start:], values[start:]) if v is unset]
    if missing:
        raise ValueError(
            f"arguments {missing} have no default, and come after some that have"
        )
    return ArgSpec(args, spec.varargs, spec.keywords, tuple(values[start:]) or None)


def getcallargs(func: object, *positional: Any, **named: Any) -> dict[str, Any]:
    """The value every parameter gets in a call."""
    spec = getargspec(func)
    values = dict(zip(spec.args, positional))
    if inspect.ismethod(func):
        values = dict(zip(spec.args, (func.__self__, *positional)))
    values.update(named)
    if spec.defaults:
        for name, default in zip(spec.args[-len(spec.defaults) :], spec.defaults):
            values.setdefault(name, default)
    return values


def getdoc(obj: object) -> str | None:
    return inspect.getdoc(obj)


def getfile(obj: object) -> str:
    return inspect.getfile(_target(obj))


def getmembers(obj: object, predicate: Callable[[object], bool] | None = None) -> list:
    return inspect.getmembers(obj, predicate)


def getmodule(obj: object) -> ModuleType | None:
    return inspect.getmodule(obj)


def getmro(cls: type) -> tuple:
    return inspect.getmro(cls)


def getsource(obj: object) -> str:
    return inspect.getsource(_target(obj))


def getsourcefile(obj: object) -> str | None:
    return inspect.getsourcefile(_target(obj))


def isclass(obj: object) -> bool:
    return inspect.isclass(_target(obj))


def isfunction(obj: object) -> bool:
    return inspect.isfunction(_target(obj))


def ismethod(obj: object) -> bool:
    return inspect.ismethod(_target(obj))


def ismodule(obj: object) -> bool:
    return inspect.ismodule(_target(obj))


def isroutine(obj: object) -> bool:
    return inspect.isroutine(_target(obj))


def isbuiltin(obj: object) -> bool:
    return inspect.isbuiltin(_target(obj))
