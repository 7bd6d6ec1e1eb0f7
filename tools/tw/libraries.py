# SPDX-License-Identifier: Apache-2.0
"""The libraries of ops that `tw build` leaves in a folder, for commands that are given the name of an op."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterable

from tensorwright.python import _pywrap
from tensorwright.tools.tw import suggest


def beside(names: Iterable[str]) -> list[str]:
    """The library of this folder that is wanted: where a name is no op that is known, and there is one, it."""
    known = {op["name"].lower() for op in _pywrap.op_registrations()}
    if all(name.replace("_", "").lower() in known for name in names):
        return []
    found = [
        str(p) for p in sorted(pathlib.Path.cwd().glob("lib*.so")) if _is_of_ops(p)
    ]
    for path in found:
        print(f"with {pathlib.Path(path).name}", file=sys.stderr)
    return found


def are_missing(command: str, paths: Iterable[str]) -> bool:
    """Is one of these files not there?  Says so then."""
    for path in paths:
        if not pathlib.Path(path).exists():
            close = suggest.files(path, "*.so")
            print(f"tw {command}: no such library: {path}{close}", file=sys.stderr)
            return True
    return False


def _is_of_ops(path: pathlib.Path) -> bool:
    from tensorwright.python.framework import errors_impl

    try:
        return bool(_pywrap.library_stamp(str(path)))
    except errors_impl.OpError:
        return False
