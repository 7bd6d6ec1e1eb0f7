# SPDX-License-Identifier: Apache-2.0
"""The hints: a function for each op that draws its inputs; see draws.py.

A hint that is wrong raises HintError, which names the op and the line of the hint.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.signature import Signature

# It gets a draws.Drawer.
Hint = Callable[[Any], Sequence[Any]]
_hints: dict[str, Hint] = {}


class Unsuitable(Exception):
    """This draw came to nothing; try the next seed."""


class HintError(Exception):
    """A hint, or the file that has it, is wrong: its text says where and how."""


def hint(*ops: str) -> Callable[[Hint], Hint]:
    """Decorator: a function that draws the inputs (and constrained attrs) of these ops."""

    def register(function: Hint) -> Hint:
        for op in ops:
            # A file that is run again, as by two tests of a process, gives its hints again.
            if op in _hints and _file(_hints[op]) != _file(function):
                raise HintError(f"{place(function)}: {op} has a hint already")
            _hints[op] = function
        return function

    return register


def has_hint(op: str) -> bool:
    return op in _hints


def registered() -> dict[str, Hint]:
    """The hint of each op that has one."""
    return dict(_hints)


def place(function: Hint) -> str:
    """FILE:LINE of a hint."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(function)


def _file(function: Hint) -> str:
    return place(function).rpartition(":")[0]


def inputs_of(
    signature: Signature, drawer: Any, guess: Callable[[Any], Sequence[Any]]
) -> list[Any]:
    """The inputs that the op's hint draws, or `guess` if it has none.

    Raises:
        Unsuitable: if the hint says so.
        HintError: if the hint fails.
    """
    function = _hints.get(signature.name)
    if function is None:
        return list(guess(drawer))
    try:
        return list(function(drawer))
    except Unsuitable:
        raise
    except Exception as error:
        where = line_in(_file(function), error) or place(function)
        words = f"{type(error).__name__}: {error}{_similar(error, drawer)}"
        raise HintError(
            f"{where}: the hint of {signature.name} fails: {words}"
        ) from error


def line_in(file: str, error: BaseException) -> str:
    """FILE:LINE of the innermost frame of an error that is in a file; "" if none is."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines = [error.lineno]
    return f"{file}:{lines[-1]}" if lines else ""


def near(name: str, known: Iterable[str]) -> str:
    """`; similar: values`, or nothing."""
    plain = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), plain, 3, 0.7)
    return f"; similar: {', '.join(plain[c] for c in close)}" if close else ""


def _similar(error: Exception, drawer: Any) -> str:
    if isinstance(error, AttributeError) and error.obj is drawer:
        names = [n for n in dir(drawer) if not n.startswith("_")]
        return near(str(error.name), names)
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        attrs = ", ".join(drawer.attrs) or "none"
        return f", which is no attr of it; it has {attrs}"
    return ""


def check(signature: Signature, inputs: list[Any], types: list[Any]) -> None:
    """Compares what was drawn with the op's inputs, and their dtypes.

    Raises:
        HintError: if it is something else.
    """

    def wrong(words: str) -> HintError:
        function = _hints.get(signature.name)
        begin = "" if function is None else f"{place(function)}: "
        return HintError(f"{begin}the hint of {signature.name} {words}")

    names = [a.name for a in signature.inputs]
    if len(inputs) != len(names):
        raise wrong(
            f"returns {len(inputs)} inputs, and the op has {len(names)}: {', '.join(names)}"
        )
    for arg, value, enum in zip(signature.inputs, inputs, types):
        items, enums = [value], [enum]
        if isinstance(enum, list):
            if not isinstance(value, list):
                raise wrong(f"returns no list of arrays for {arg.name}, which is one")
            items, enums = value, enum
        for item, wanted in zip(items, enums):
            if not isinstance(item, (np.ndarray, np.generic)):
                kind = type(item).__name__
                raise wrong(
                    f"returns a {kind} for {arg.name}, not an array; d.array makes one of it"
                )
            # Bytes of another dtype would be other numbers.
            if item.dtype != sig.numpy_type(wanted):
                raise wrong(
                    f"drew {item.dtype} for {arg.name}, which is {sig.type_name(wanted)}"
                )
