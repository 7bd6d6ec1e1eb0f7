# SPDX-License-Identifier: Apache-2.0
"""Functions whose result should be used: a dropped one is logged."""

from __future__ import annotations

import functools
import traceback
import weakref
from collections.abc import Callable
from typing import Any

from tensorwright.python.platform import tf_logging
from tensorwright.python.util import tf_decorator


class _Watch:
    """Notices when its value is touched; reports when it goes without that."""

    def __init__(self, name: str, kind: type, stack: list[str], fatal: bool):
        self.name, self.kind, self.stack, self.used = name, kind, stack, False
        self.log = tf_logging.fatal if fatal else tf_logging.error

    def report(self) -> None:
        if self.used:
            return
        self.log(
            "Object was never used (type %s): %s. mark_used() of it says that it may go.  It was made here:\n%s",
            self.kind,
            self.name,
            "".join(self.stack),
        )


class _Proxy:
    """Stands for a value and marks it as used when it is touched."""

    def __init__(self, value: Any, watch: _Watch):
        object.__setattr__(self, "_proxied", value)
        object.__setattr__(self, "_watch", watch)
        weakref.finalize(self, watch.report)

    def mark_used(self) -> None:
        object.__getattribute__(self, "_watch").used = True

    def _as_graph_element(self) -> Any:
        self.mark_used()
        return object.__getattribute__(self, "_proxied")

    def __getattr__(self, name: str) -> Any:
        self.mark_used()
        return getattr(object.__getattribute__(self, "_proxied"), name)


def _add_should_use_warning(
    x: Any, fatal_error: bool = False, name: str | None = None
) -> Any:
    """`x`, in a proxy that reports its loss: it is logged as an error if it goes without having been touched.

    The proxy's attributes are those of `x`; `mark_used()` says that it may go.

    Args:
        x: any object; None stays None, and a proxy itself.
        fatal_error: log at the level FATAL, not ERROR.
        name: how the report calls `x`; by its text if it is None.
    """
    if x is None or isinstance(x, _Proxy):
        return x
    stack = traceback.format_stack()[:-1]
    return _Proxy(x, _Watch(name or repr(x), type(x), stack, fatal_error))


def should_use_result(
    fn: Callable[..., object] | None = None, warn_in_eager: bool = False
):
    """Decorates a function: an unused result of it is logged as an error."""
    del warn_in_eager

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            value = function(*args, **kwargs)
            return _add_should_use_warning(value, name=function.__name__)

        return tf_decorator.make_decorator(function, wrapper, "should_use_result")

    return decorate(fn) if fn is not None else decorate
