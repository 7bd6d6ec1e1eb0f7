# SPDX-License-Identifier: Apache-2.0
"""The effort of opcheck, and the results of its checks."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from tensorwright.tools.opcheck import places, signature as sig
from tensorwright.tools.opcheck.allowed import Exemption
from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.processes import Died
from tensorwright.tools.opcheck.signature import Signature

# The lines of a crash report that are shown.
_REPORT_LINES = 16
# Findings of a check that are kept, and causes of them.
_FINDINGS, _KINDS = 100, 8
# Errors that speak of a bug of ours, not of the input.
OURS = ("InternalError", "UnknownError", "SystemError", "TypeError")


@dataclasses.dataclass
class Finding:
    """A fault: the check that found it, its description, and the draw that shows it."""

    check: str
    text: str
    seed: int | None = None
    case: Case | None = None
    # The part of the description that others of one cause have too; the first line if it is empty.
    cause: str = ""
    # How much of the shapes was known when the node was added: "known", "partial", "unknown"; "" if that does not count.
    shapes: str = ""
    # All calls of a sequence, which the call of `case` makes the resource for.
    calls: list[Case] = dataclasses.field(default_factory=list)

    @property
    def kind(self) -> tuple[str, str]:
        """Equal for findings that one cause may have: the check, and the description without its numbers."""
        words = self.cause or first_line(self.text)
        words = re.sub(r"\[[^\[\]]*\]", "[]", words)
        number = r"\bnan\b|\binf\b|[-+]?\d[\d.]*(?:e[-+]?\d+)?"
        return self.check, re.sub(number, "N", words)


class Stuck(Exception):
    """A call of the op did not end, so no other is made: each would take as long."""


@dataclasses.dataclass
class Result:
    """Counts the calls of one op, and collects the findings."""

    signature: Signature
    valid: int = 0
    refused: int = 0
    refusals: list[str] = dataclasses.field(default_factory=list)
    unsuitable: str = ""  # Why no draw was made.
    dtypes: set[tuple[str, int]] = dataclasses.field(default_factory=set)  # In calls.
    shapes: int = 0  # Outputs compared with the promised shape.
    unpromised: int = 0  # Outputs of which nothing was.
    unknown_shapes: int = 0  # Not all was promised although all inputs' were known.
    unknown_ranks: int = 0  # Not even the rank was.
    gradients: int = 0  # Derivatives compared with differences.
    unclear: int = 0  # Those where differences say nothing.
    # (kind of number, input) that a derivative was compared by which a wrong gradient would have missed.
    told: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    untold: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    numbers: set[str] = dataclasses.field(default_factory=set)  # Inputs that are.
    number_dtypes: set[int] = dataclasses.field(default_factory=set)  # Theirs.
    gradient_dtypes: set[int] = dataclasses.field(default_factory=set)  # Computed in.
    gradients_refused: int = 0  # Draws that the op itself does not take.
    no_gradient: str = ""  # Why none was checked.
    threads: int = 0  # Large calls compared between numbers of threads.
    large: int = 0  # The number of these with a large output.
    nans: int = 0  # Outputs of calls with a NaN compared with those without.
    own: bool = False  # Is the op in a library outside of the package?
    leaks: int = 0  # Calls in which memory was counted.
    bounds: int = 0  # Calls between pages that nobody may touch.
    touches: int = 0  # Calls that could reach only what the op says.
    touched: list[str] | None = None  # Its claim, if it was looked at.
    sequences: int = 0  # Each is of calls that share a resource.
    sanitized: int = 0  # Requests to a process with sanitizers.
    # Check -> the reason why nothing could be checked.
    why: dict[str, str] = dataclasses.field(default_factory=dict)
    # The sanitizers that were asked for.
    sanitizers: tuple[str, ...] = ()
    kept: int = 0  # Refusals that were seen before, and seen again.
    malformed: int = 0
    malformed_refused: int = 0
    speed: tuple[float, int, float] | None = None  # Seconds, bytes, bytes a second.
    excused: set[Exemption] = dataclasses.field(default_factory=set)
    findings: list[Finding] = dataclasses.field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.findings

    def find(
        self, check: str, text: str, case: Case | None = None, **more: Any
    ) -> None:
        """Adds a finding, unless it is known or there are enough of the kind; `more` are fields of it."""
        seed = None if case is None else case.seed
        new = Finding(check, text, seed, case, **more)
        same = [f for f in self.findings if f.check == check]
        kinds = {f.kind for f in same}
        if any((f.text, f.seed) == (text, seed) for f in same):
            return
        if new.kind in kinds and len(same) < _FINDINGS or len(kinds) < _KINDS:
            self.findings.append(new)

    def found(self, check: str) -> bool:
        return any(f.check == check for f in self.findings)

    def died(
        self, check: str, death: Died, case: Case, words: str = "", **more: Any
    ) -> None:
        """Adds the finding of a call that ended its process; Stuck if it had to be ended."""
        how = (
            f"does not end: {death.how}"
            if death.stuck
            else f"the process died: {death.how}"
        )
        text = f"{words + ': ' if words else ''}{how}"
        stack = [f"    stack: {line[:300]}" for line in death.stack.splitlines()]
        place = places.lines(death.said)
        said = last_words(death.said)
        lines = [text, *place, *stack, *said]
        cause = " ".join([how, *place])
        self.find(check, "\n".join(lines), case, cause=cause, **more)
        if death.stuck:
            self.why[""] = "a call did not end, and others would take as long"
            raise Stuck

    def excuse(self, exemption: Exemption | None) -> bool:
        """Notes that an exemption was needed; False where there is none."""
        if exemption is None:
            return False
        self.excused.add(exemption)
        return True


def first_line(text: str) -> str:
    return text.split("\n")[0][:160]


def last_words(said: str) -> list[str]:
    """Returns the part of a process's output that explains its end, without the interpreter's own lines."""
    report = re.search(
        r"^\*\*\* tensorwright: .*?(?=^\(TENSORWRIGHT|\Z)", said, re.M | re.S
    )
    if report:
        before = [line for line in said[: report.start()].splitlines() if line.strip()]
        lines = [*before[-2:], *report[0].rstrip().splitlines()]
        return [f"    it said: {line[:300]}" for line in lines[:_REPORT_LINES]]
    lines = [line for line in said.splitlines() if line.strip()]
    for i, line in enumerate(lines):
        if line.startswith(("Fatal Python error", "Current thread", "Thread 0x")):
            lines = lines[:i]
            break
    return [f"    it said: {line[:300]}" for line in lines[-4:]]


@dataclasses.dataclass(frozen=True)
class Effort:
    """How many draws each check makes at least, beside those that the op's promises need (promises.py)."""

    valid: int = 60
    gradients: int = 12
    threads: int = 3
    malformed: int = 200
    nan_dtypes: tuple[int, ...] = (*sig.FLOATS, sig.COMPLEX64)
    touches: int = 6
    speed: bool = False
    timeout: float | None = None  # Seconds for a call; None: the check decides.


QUICK = Effort(
    valid=6,
    gradients=3,
    threads=1,
    malformed=16,
    touches=2,
    nan_dtypes=(sig.FLOAT, sig.DOUBLE, sig.COMPLEX64),
)
