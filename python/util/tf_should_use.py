# SPDX-License-Identifier: Apache-2.0
"""Objects that should be used: one that goes unused is logged, with the place that made it."""

from __future__ import annotations

import functools
import sys
import traceback
import weakref
from collections.abc import Callable
from typing import Any

from tensorwright.python.platform import tf_logging
from tensorwright.python.util import tf_decorator

_FRAMES = 16

# Special methods that are not forwarded: those of the stand-in itself, and what Python asks of classes.
_OWN = {
    "__class__", "__del__", "__delattr__", "__dict__", "__dir__", "__doc__", "__getattr__",
    "__getattribute__", "__init__", "__init_subclass__", "__module__", "__new__", "__reduce__",
    "__reduce_ex__", "__setattr__", "__sizeof__", "__slots__", "__subclasshook__", "__weakref__",
}  # fmt: skip


class Watch:
    """Logs an error when an object goes before `used` is set.

    Args:
        watched: the object whose end is waited for.
        value: what the error tells of, `watched` or what it stands for; its text is taken now.
        fatal: log at the level of fatal errors, which end the program.
    """

    def __init__(self, watched: object, value: object, fatal: bool = False):
        self.used = False
        self._log = tf_logging.fatal if fatal else tf_logging.error
        self._text = f"(type {type(value)}):\n{value!r}"
        frames = traceback.walk_stack(sys._getframe(1))
        # Lines of source are read only for a report.
        self._stack = traceback.StackSummary.extract(
            frames, limit=_FRAMES, lookup_lines=False
        )
        weakref.finalize(watched, self._report).atexit = False

    def _report(self) -> None:
        if self.used:
            return
        stack = "".join(traceback.format_list(list(reversed(self._stack))))
        self._log(
            f"Object was never used {self._text}\n"
            f"Its mark_used() says that this is meant. It was made here:\n{stack}"
        )


class _StandIn:
    """Stands for a value and marks it as used when it is touched."""

    def __init__(self, value: Any, fatal: bool):
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_watch", Watch(self, value, fatal))

    def mark_used(self) -> None:
        """Says that the value may go unused."""
        object.__getattribute__(self, "_watch").used = True

    def _as_graph_element(self) -> Any:
        return _touched(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(_touched(self), name)


def _touched(stand_in: _StandIn) -> Any:
    stand_in.mark_used()
    return object.__getattribute__(stand_in, "_value")


def _forwarded(name: str) -> Callable[..., Any]:
    def method(self: _StandIn, *args: Any, **kwargs: Any) -> Any:
        return getattr(_touched(self), name)(*args, **kwargs)

    return method


@functools.cache
def _stand_in_class(kind: type) -> type:
    """The class of stand-ins for values of a class: operators are looked up in classes."""
    special = {
        name: _forwarded(name)
        for name in dir(kind)
        if name.startswith("__") and name not in _OWN and callable(getattr(kind, name))
    }
    return type(f"Unused{kind.__name__}", (_StandIn,), special)


def _add_should_use_warning(x: Any, fatal_error: bool = False) -> Any:
    """Returns what stands for `x` and logs an error if it goes before it is touched; None and empty lists as they are."""
    if x is None or isinstance(x, _StandIn) or (isinstance(x, (list, tuple)) and not x):
        return x
    return _stand_in_class(type(x))(x, fatal_error)


def should_use_result(
    fn: Callable[..., object] | None = None, warn_in_eager: bool = False
):
    """Decorates a function: an unused result of it is logged as an error."""
    del warn_in_eager
    return _decorated(fn, "should_use_result", fatal=False)


def must_use_result_or_fatal(fn: Callable[..., object] | None = None):
    """Decorates a function: an unused result of it is logged as a fatal error, which ends the program."""
    return _decorated(fn, "must_use_result_or_fatal", fatal=True)


def _decorated(fn: Callable[..., object] | None, name: str, fatal: bool) -> Any:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return _add_should_use_warning(function(*args, **kwargs), fatal)

        return tf_decorator.make_decorator(function, wrapper, name)

    return decorate(fn) if fn is not None else decorate
