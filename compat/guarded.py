# SPDX-License-Identifier: Apache-2.0
"""Whether a program asks, by an import inside `try`, if something is there."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FrameType


def _numbers(table: bytes) -> Iterator[int]:
    """The numbers of an exception table: six bits a byte, the highest first; bit 6 says that more follow."""
    value = 0
    for byte in table:
        value = value << 6 | byte & 0x3F
        if not byte & 0x40:
            yield value
            value = 0


def _handlers(code: CodeType) -> Iterator[tuple[int, int, bool]]:
    """(first, end, is a `try` block) of the ranges of bytecode that have a handler, in bytes."""
    numbers = _numbers(code.co_exceptiontable)
    for start, length, _, depth in zip(numbers, numbers, numbers, numbers):
        # The lowest bit marks the clean-up of `with` and of handlers.
        yield 2 * start, 2 * (start + length), not depth & 1


def is_in_try(frame: FrameType) -> bool:
    """Whether the instruction that `frame` is at is in a `try` block of its own code."""
    at = frame.f_lasti
    return any(
        is_try and first <= at < end for first, end, is_try in _handlers(frame.f_code)
    )


def importer(frame: FrameType | None) -> FrameType | None:
    """The first frame from `frame` outwards that is not the import system's."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.partition(".")[0] != "importlib" and not name.startswith("_frozen_importlib"):  # fmt: skip # noqa: E501
            return frame
        frame = frame.f_back
    return None


def is_in_find_spec(frame: FrameType | None) -> bool:
    """Whether the import system looks for a spec because a program called `importlib.util.find_spec`."""
    while frame is not None and frame is not importer(frame):
        code = frame.f_code
        if frame.f_globals.get("__name__") == "importlib.util" and code.co_name == "find_spec":  # fmt: skip # noqa: E501
            return True
        frame = frame.f_back
    return False


def loads_below(frame: FrameType | None, name: str) -> bool:
    """Whether the import system loads the module `name` on its way to one below it."""
    while frame is not None and frame is not importer(frame):
        wanted = frame.f_locals.get("name")
        if isinstance(wanted, str) and wanted.startswith(f"{name}."):
            return True
        frame = frame.f_back
    return False
