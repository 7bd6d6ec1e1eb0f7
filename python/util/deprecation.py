# SPDX-License-Identifier: Apache-2.0
"""Decorators that warn, once for each caller, about what is on its way out."""

import contextlib
import functools
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.util import decorator_utils, tf_decorator, tf_inspect
from tensorwright.python.util.renamed_arguments import (
    deprecated_argument_lookup as deprecated_argument_lookup,
)

T = TypeVar("T")

_warn = True
_warned: set = set()


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """No warnings inside."""
    global _warn
    outer, _warn = _warn, False
    try:
        yield
    finally:
        _warn = outer


def _validate(date: str | None, instructions: str) -> None:
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d$", date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _notice(doc: str | None, date: str | None, instructions: str) -> str:
    """Returns the docstring of a function with the notice that it goes."""
    return decorator_utils.add_notice_to_docstring(
        doc,
        instructions,
        "DEPRECATED FUNCTION",
        "(deprecated)",
        [
            f"THIS FUNCTION IS DEPRECATED. It will be removed {_when(date)}.",
            "Instructions for updating:",
        ],
    )


def _notice_of_arguments(doc: str | None, date: str | None, instructions: str) -> str:
    """Returns the docstring of a function with the notice that arguments, or values of them, go."""
    return decorator_utils.add_notice_to_docstring(
        doc,
        instructions,
        "DEPRECATED FUNCTION ARGUMENTS",
        "(deprecated arguments)",
        [
            f"SOME ARGUMENTS ARE DEPRECATED. They will be removed {_when(date)}.",
            "Instructions for updating:",
        ],
    )


def _warn_once(key: Any, warn_once: bool, message: str, *args: Any) -> None:
    if not _warn or (warn_once and key in _warned):
        return
    _warned.add(key)
    caller = sys._getframe(2)
    logging.warning(
        "From %s:%d: " + message, caller.f_code.co_filename, caller.f_lineno, *args
    )


def deprecated(date: str | None, instructions: str, warn_once: bool = True):
    """Decorator for a function that will go away.

    Args:
        date: "YYYY-MM-DD", or None for some later version.
        instructions: what to do instead.
        warn_once: warn for the first call only.
    """
    _validate(date, instructions)

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        decorator_utils.validate_callable(func, "deprecated")

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            _warn_once(
                func,
                warn_once,
                "%s (from %s) is deprecated and will be removed %s.\n"
                "Instructions for updating:\n%s",
                decorator_utils.get_qualified_name(func),
                func.__module__,
                _when(date),
                instructions,
            )
            return func(*args, **kwargs)

        doc = _notice(func.__doc__, date, instructions)
        return tf_decorator.make_decorator(func, wrapper, "deprecated", doc)

    return decorate


def deprecated_args(
    date: str | None,
    instructions: str,
    *deprecated_arg_names_or_tuples: str | tuple[object, ...],
    **kwargs,
):
    """Decorator for a function some of whose arguments will go away.

    `deprecated_arg_names_or_tuples` are names, or (name, value) where giving that
    value needs no warning.
    """
    _validate(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once = kwargs.pop("warn_once", True)
    unset = object()
    fine = {}
    for item in deprecated_arg_names_or_tuples:
        name, ok = item if isinstance(item, tuple) else (item, unset)
        fine[name] = ok

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        decorator_utils.validate_callable(func, "deprecated_args")
        spec = tf_inspect.getargspec(func)
        known = {*spec.args, spec.varargs, spec.keywords}
        missing = [n for n in fine if n not in known and not spec.keywords]
        if missing:
            raise ValueError(
                f"{func.__name__} has the arguments {spec.args}; deprecated ones that are "
                f"not present in its signature: {missing}"
            )

        @functools.wraps(func)
        def wrapper(*args: Any, **named: Any) -> Any:
            given = {**dict(zip(spec.args, args)), **named}
            for name, ok in fine.items():
                if name not in given or (ok is not unset and _equal(given[name], ok)):
                    continue
                _warn_once(
                    (func, name),
                    warn_once,
                    "calling %s (from %s) with %s is deprecated and will be removed "
                    "%s.\nInstructions for updating:\n%s",
                    decorator_utils.get_qualified_name(func),
                    func.__module__,
                    name,
                    _when(date),
                    instructions,
                )
            return func(*args, **named)

        doc = _notice_of_arguments(func.__doc__, date, instructions)
        return tf_decorator.make_decorator(func, wrapper, "deprecated", doc)

    return decorate


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and bool(a == b)


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs
):
    """Decorator for a function some values of whose arguments will go away."""
    _validate(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        decorator_utils.validate_callable(func, "deprecated_arg_values")

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            given = tf_inspect.getcallargs(func, *args, **kwargs)
            for name, value in deprecated_kwargs.items():
                if name in given and _equal(given[name], value):
                    _warn_once(
                        (func, name),
                        warn_once,
                        "calling %s (from %s) with %s=%s is deprecated and will be "
                        "removed %s.\nInstructions for updating:\n%s",
                        decorator_utils.get_qualified_name(func),
                        func.__module__,
                        name,
                        value,
                        _when(date),
                        instructions,
                    )
            return func(*args, **kwargs)

        doc = _notice_of_arguments(func.__doc__, date, instructions)
        return tf_decorator.make_decorator(func, wrapper, "deprecated", doc)

    return decorate


def rewrite_argument_docstring(
    old_doc: str, old_argument: str, new_argument: str
) -> str:
    """A docstring with one argument called by another name."""
    doc = old_doc.replace(f"`{old_argument}`", f"`{new_argument}`")
    return doc.replace(f"{old_argument}:", f"{new_argument}:")


def hide_attribute_from_api(obj: T) -> T:
    """Decorator: marks what documentation leaves out."""
    obj._tf_api_hidden = True  # type: ignore[attr-defined]
    return obj
