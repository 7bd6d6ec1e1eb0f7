# SPDX-License-Identifier: Apache-2.0
"""survivors.txt: the known facts about mutants that survive."""

from __future__ import annotations

import pathlib
from typing import NamedTuple

from tensorwright.tools.mutate.kinds import KINDS, Mutant

HARMLESS, WEAK = "harmless", "weak"
_FILE = pathlib.Path(__file__).with_name("survivors.txt")


class Entry(NamedTuple):
    op: str
    kind: str
    number: int
    verdict: str  # HARMLESS or WEAK.
    why: str


# The keys are the op, the kind and the number of the mutant.
Entries = dict[tuple[str, str, int], Entry]


def read(file: pathlib.Path = _FILE) -> Entries:
    """The entries of the file.  ValueError for a line that is none."""
    entries = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        op, kind, which, verdict, *why = [*line.split(None, 4), "", "", "", ""][:5]
        if kind not in KINDS or not which.isdigit() or verdict not in (HARMLESS, WEAK):
            raise ValueError(
                f"{file}:{number}: needs OP KIND NUMBER harmless|weak WHY, got: {line}"
            )
        key = (op, kind, int(which))
        entries[key] = Entry(*key, verdict, why[0])
    return entries


def find(entries: Entries, mutant: Mutant) -> Entry | None:
    return entries.get((mutant.op, mutant.kind, mutant.number))
