# SPDX-License-Identifier: Apache-2.0
"""Runs the files *_hints.py beside op libraries, and looks whether their ops are ops."""

from __future__ import annotations

import pathlib
import runpy
import sys
from collections.abc import Sequence

from tensorwright.tools.opcheck import allowed, hint_table
from tensorwright.tools.opcheck.hint_table import HintError
from tensorwright.tools.opcheck.signature import registered_ops


def name_for(op: str) -> str:
    """`row_energy_hints.py` for RowEnergy."""
    words = "".join(f"_{c.lower()}" if c.isupper() else c for c in op)
    return f"{words.lstrip('_')}_hints.py"


def run(libraries: Sequence[str]) -> None:
    """Runs the files beside these libraries, which register hints and exemptions.

    Raises:
        HintError: if one of them fails, or is about an op that does not exist.
    """
    folders = dict.fromkeys(pathlib.Path(file).parent for file in libraries)
    files = [file for folder in folders for file in sorted(folder.glob("*_hints.py"))]
    for file in files:
        print(f"with {file.name}", file=sys.stderr)
        try:
            runpy.run_path(str(file))
        except HintError:
            raise
        except Exception as error:
            where = hint_table.line_in(str(file), error) or file
            words = f"{type(error).__name__}: {error}"
            raise HintError(f"{where}: {words}") from error
    loaded = {pathlib.Path(file).resolve() for file in libraries}
    there = {p.resolve() for folder in folders for p in folder.glob("*.so")}
    _check_names({str(file) for file in files}, bool(there - loaded))


def _check_names(files: set[str], others: bool) -> None:
    """Looks for ops that are none; with `others`, libraries beside those that are loaded, a name may be of one of them."""
    known = registered_ops(internal=True)
    used = [
        (hint_table.place(function), f'@hint("{op}")', op)
        for op, function in hint_table.registered().items()
    ]
    for exemption in allowed.everywhere():
        words = f'allow(..., "{exemption.op}")'
        used.append((exemption.place, words, exemption.op))
    wrong = [
        f"{place}: {words}: no such op{hint_table.near(op, known)}"
        for place, words, op in used
        if place.rpartition(":")[0] in files
        and op not in known
        and (not others or hint_table.near(op, known))
    ]
    if wrong:
        raise HintError("\n".join(wrong))
