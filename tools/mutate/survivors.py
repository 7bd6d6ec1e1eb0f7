# SPDX-License-Identifier: Apache-2.0
"""survivors.txt: what is known of mutants that survive."""

from __future__ import annotations

import pathlib
from typing import NamedTuple

from tensorwright.tools.mutate.kinds import KINDS, Mutant

HARMLESS, WEAK = "harmless", "weak"
_FILE = pathlib.Path(__file__).with_name("survivors.txt")


class Entry(NamedTuple):
    op: str
    kind: str
    verdict: str  # HARMLESS or WEAK.
    why: str


def read(file: pathlib.Path = _FILE) -> dict[tuple[str, str], Entry]:
    """(op, kind) -> entry.  ValueError for a line that is none."""
    entries = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 3)
        if len(words) < 4 or words[1] not in KINDS or words[2] not in (HARMLESS, WEAK):
            raise ValueError(
                f"{file}:{number}: needs OP KIND harmless|weak WHY, got: {line}"
            )
        entries[words[0], words[1]] = Entry(*words)
    return entries


def find(entries: dict[tuple[str, str], Entry], mutant: Mutant) -> Entry | None:
    return entries.get((mutant.op, mutant.kind)) or entries.get(("*", mutant.kind))
