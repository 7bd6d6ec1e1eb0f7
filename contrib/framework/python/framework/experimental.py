# SPDX-License-Identifier: Apache-2.0
"""A decorator for functions that may change or go."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.util import decorator_utils, tf_decorator

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import T


__all__ = ["experimental"]


def experimental(func: Callable[..., T]) -> Callable[..., T]:
    """Says in the docstring, and as a warning at each call, that the function may change."""
    decorator_utils.validate_callable(func, "experimental")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        logging.warning(
            "%s (from %s) is experimental and may change or be removed at any time.",
            decorator_utils.get_qualified_name(func),
            func.__module__,
        )
        return func(*args, **kwargs)

    doc = decorator_utils.add_notice_to_docstring(
        func.__doc__,
        "",
        "EXPERIMENTAL FUNCTION",
        "(experimental)",
        [
            "THIS FUNCTION IS EXPERIMENTAL. It may change or be removed at any time, and "
            "without warning."
        ],
    )
    return tf_decorator.make_decorator(func, wrapper, "experimental", doc)
