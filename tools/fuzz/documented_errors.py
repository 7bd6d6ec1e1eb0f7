# SPDX-License-Identifier: Apache-2.0
"""Which errors a function documents: those that its docstring names as raised, and TensorFlow's own."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any

# A section up to the next line that stands further left, or a sentence of the text: "Raises X for a, Y for b."
_SECTION = re.compile(r"^(?P<indent> *)Raises:\n(?P<text>(?:(?P=indent) +\S.*\n?|\s*\n)*)", re.M)  # fmt: skip
_SENTENCE = re.compile(r"\bRaises?\s[^.]*")
_SUBJECT = re.compile(r"\b(?P<text>\w+Error)\s(?:if|for|where|unless|otherwise)\b")
_NAME = re.compile(r"\b[A-Z]\w+\b")


def documented_errors(
    function: Callable[..., Any], known: dict[str, type] | None = None
) -> tuple[type[BaseException], ...]:
    """Returns the classes of errors that a call of the function may raise.

    Args:
        function: a function whose docstring names its errors under "Raises:", or in a sentence such as
            "Raises X for ..." or "X if ...".
        known: further classes by name, besides Python's.

    Raises:
        ValueError: the docstring names an unknown class of errors.
    """
    import tensorwright as tf

    # A function that runs a graph may fail with the graph's errors.
    found: dict[type[BaseException], None] = {tf.errors.OpError: None}
    text = function.__doc__ or ""
    parts = [match["text"] for match in _SECTION.finditer(text)]
    parts += _SENTENCE.findall(text)
    parts += [match["text"] for match in _SUBJECT.finditer(text)]
    for name in dict.fromkeys(name for part in parts for name in _NAME.findall(part)):
        kind = (known or {}).get(name)
        for place in (builtins, tf.errors):
            kind = kind or getattr(place, name, None)
        if isinstance(kind, type) and issubclass(kind, BaseException):
            found[kind] = None
        elif name.endswith(("Error", "Exception")):
            raise ValueError(
                f"documented_errors: {function.__qualname__} documents {name!r}, which is no "
                "class of errors"
            )
    return tuple(found)
