# SPDX-License-Identifier: Apache-2.0
"""How much opcheck tries, and what came of it."""

from __future__ import annotations

import dataclasses

from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.signature import Signature


@dataclasses.dataclass
class Finding:
    """Something wrong: which check, what, and the draw that shows it."""

    check: str
    text: str
    seed: int | None = None
    case: Case | None = None


@dataclasses.dataclass
class Result:
    """What was done with one op, and what came of it."""

    signature: Signature
    valid: int = 0
    refused: int = 0
    refusals: list[str] = dataclasses.field(default_factory=list)
    unsuitable: str = ""  # Why no draw was made.
    shapes: int = 0  # Outputs compared with what was promised.
    unknown_shapes: int = 0  # Of them, promised nothing although all was known.
    gradients: int = 0
    no_gradient: str = ""  # Why none was checked.
    threads: int = 0
    malformed: int = 0
    malformed_refused: int = 0
    speed: tuple[float, int, float] | None = None  # Seconds, bytes, bytes a second.
    findings: list[Finding] = dataclasses.field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.findings


@dataclasses.dataclass(frozen=True)
class Effort:
    """How many draws each check makes."""

    valid: int = 60
    gradients: int = 12
    threads: int = 3
    malformed: int = 200
    speed: bool = False


QUICK = Effort(valid=6, gradients=2, threads=1, malformed=16)
