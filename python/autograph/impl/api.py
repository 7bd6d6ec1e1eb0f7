# SPDX-License-Identifier: Apache-2.0
"""Marks of functions that autograph is not to convert."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def do_not_convert(func: Callable[..., object] | None = None) -> Callable[..., Any]:
    """A decorator of a function that stays as it is written, as all functions do here.

    Args:
        func: the function; without it, the result is the decorator.

    Returns:
        A function that calls `func`, with its name and documentation.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    # A method that is bound keeps the object that it belongs to.
    if inspect.ismethod(func):
        wrapper.__self__ = func.__self__  # type: ignore[attr-defined]
    return wrapper
