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

    def __init__(self, name: str, stack: list[str]):
        self.name, self.stack, self.used = name, stack, False

    def report(self) -> None:
        if self.used:
            return
        tf_logging.error(
            "The result of %s was never used. It was made here:\n%s",
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


def should_use_result(
    fn: Callable[..., object] | None = None, warn_in_eager: bool = False
):
    """Decorates a function: an unused result of it is logged as an error."""
    del warn_in_eager

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            value = function(*args, **kwargs)
            if value is None:
                return None
            return _Proxy(
                value, _Watch(function.__name__, traceback.format_stack()[:-1])
            )

        return tf_decorator.make_decorator(function, wrapper, "should_use_result")

    return decorate(fn) if fn is not None else decorate
