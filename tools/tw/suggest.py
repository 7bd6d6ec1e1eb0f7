# SPDX-License-Identifier: Apache-2.0
"""Suggests existing names for a wrong one: the end of a message."""

from __future__ import annotations

import difflib
import pathlib
from collections.abc import Iterable


def hint(name: str, known: Iterable[str]) -> str:
    """`; similar: MatMul`, or nothing."""
    close = difflib.get_close_matches(name, list(known), 3)
    return f"; similar: {', '.join(close)}" if close else ""


def files(path: str, pattern: str = "*") -> str:
    """The same of a path, among the files of its folder, or of the nearest folder that is there."""
    wanted = pathlib.Path(path)
    while not wanted.parent.is_dir():
        wanted, pattern = wanted.parent, "*"
    names = {p.name: str(p) for p in wanted.parent.glob(pattern)}
    close = difflib.get_close_matches(wanted.name, names, 3)
    return f"; similar: {', '.join(names[c] for c in close)}" if close else ""


def no_such_file(error: OSError) -> str:
    """Explains why a file could not be opened: `no such file: trin.py; similar: train.py`."""
    name = error.filename
    if not isinstance(error, FileNotFoundError) or not isinstance(name, str):
        return str(error)
    suffix = pathlib.Path(name).suffix
    return f"no such file: {name}{files(name, f'*{suffix}')}"


def attributes(error: Exception, names: Iterable[str]) -> str:
    """The same of the name that an AttributeError or NameError misses; `names` are those of the program."""
    name = getattr(error, "name", None)
    if not isinstance(name, str):
        return ""
    if isinstance(error, AttributeError):
        return hint(name, [n for n in dir(error.obj) if not n.startswith("_")])
    return hint(name, names) if isinstance(error, NameError) else ""
