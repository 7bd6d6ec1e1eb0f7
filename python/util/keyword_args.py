# SPDX-License-Identifier: Apache-2.0
"""Functions that take keyword arguments only."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.util import tf_decorator

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import T


def keyword_args_only(func: Callable[..., T]) -> Callable[..., T]:
    """Decorator: a positional argument is a ValueError."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> T:
        if args:
            raise ValueError(
                f"Must use keyword args to call {func.__name__} (got {len(args)} "
                f"positional)."
            )
        return func(**kwargs)

    return tf_decorator.make_decorator(func, wrapper, "keyword_args_only")
