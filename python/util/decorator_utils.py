# SPDX-License-Identifier: Apache-2.0
"""Help for writing decorators."""

from __future__ import annotations

import inspect
from collections.abc import Callable


def get_qualified_name(function: Callable[..., object]) -> str:
    return getattr(function, "__qualname__", None) or function.__name__


def validate_callable(func: Callable[..., object], decorator_name: str) -> None:
    """ValueError unless `func` can be called."""
    if not callable(func):
        raise ValueError(
            f"@{decorator_name} decorates a function, got {func!r}; of a property, the "
            f"function is below @property"
        )


def add_notice_to_docstring(
    doc: str | None, instructions: str, no_doc_str: str, suffix_str: str, notice: list
) -> str:
    """Returns `doc` with a suffix on its first line and a notice after it.

    Of no docstring, `no_doc_str` alone stands before the notice.
    """
    lines = [no_doc_str]
    if doc:
        lines = [line.rstrip() for line in inspect.cleandoc(doc).splitlines()]
        lines[0] += " " + suffix_str
    notice = [*notice, instructions] if instructions else list(notice)
    rest = lines[1:]
    while rest and not rest[0]:
        rest.pop(0)
    result = [lines[0], "", *notice]
    if rest:
        result += ["", *rest]
    return "\n".join(result)
