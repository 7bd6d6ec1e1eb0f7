# SPDX-License-Identifier: Apache-2.0
"""Remembers, in kept_refusals.txt, how much an op's shape function says, and which calls made wrong the op refuses.

Nothing in a registration says that an index out of range must be refused, or that a shape function could promise more
than it does.  So this is remembered: a check that is lost, in a kernel or in a shape function, is a finding.  A line of
kept_refusals.txt is

    OP  SIZES  KNOWN...  | RUN...

SIZES is what the shape function said of outputs when all shapes were known: "all" sizes, the "rank", or "none".
KNOWN are the numbers of malformed draws that are refused while the graph is built, RUN of those that are refused in the
run, one for each rule that was seen: first the rules of the op itself, then those of any op's registration.
`tw check-op --keep OP...` writes an op's line anew, for instance after its hint has been changed; the diff shows what
the line loses.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Any

from tensorwright.tools.opcheck import graphs, hints, malformed
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.signature import Signature

FILE = pathlib.Path(__file__).resolve().with_name("kept_refusals.txt")
ALL, RANK, NONE = "all", "rank", "none"
# Malformed draws that are looked at for a line, and the most that it keeps of either kind.
_DRAWS, _MOST = 120, 12
# The rules of refusals that a registration alone causes contain this.
_OF_ANY_OP = "Error Node op"
# Draws that malformed ones are made of.
_BASES = 50
# How much memory there is differs between machines.
_REFUSALS = re.compile(
    "(InvalidArgument|OutOfRange|FailedPrecondition|Unimplemented|NotFound|Value)Error"
)


@dataclasses.dataclass(frozen=True)
class Kept:
    """A line.  Numbers of draws count from the op's first."""

    op: str
    sizes: str
    known: tuple[int, ...] = ()
    run: tuple[int, ...] = ()

    def __str__(self) -> str:
        words = [f"{self.op:40}", f"{self.sizes:5}", *map(str, self.known)]
        return " ".join([*words, "|", *map(str, self.run)])


def read(file: pathlib.Path = FILE) -> dict[str, Kept]:
    """All lines; none where there is no file: a wheel has none.  ValueError for a line that is none."""
    found: dict[str, Kept] = {}
    if not file.exists():
        return found
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\w+) +(all|rank|none) +((?:\d+ )*)\|((?: \d+)*)", line)
        if match is None:
            raise ValueError(f"{file}:{number}: not a line of what is kept: {line}")
        op, sizes, known, run = match.groups()
        found[op] = Kept(op, sizes, _numbers(known), _numbers(run))
    return found


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def write(lines: dict[str, Kept], file: pathlib.Path = FILE) -> None:
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    body = [str(lines[op]) for op in sorted(lines)]
    file.write_text("\n".join([*head, *body]) + "\n")


def sizes(result: Result) -> str:
    """Returns the least that was said of the outputs in a result's calls."""
    if result.unknown_ranks:
        return NONE
    return RANK if result.unknown_shapes else ALL


def check(result: Result, kept: Kept, worker: Worker, start: int) -> None:
    """Finds promises that the op does not keep any more."""
    if not result.valid:
        return  # Nor is anything else known of it.
    order = [NONE, RANK, ALL]
    if order.index(sizes(result)) < order.index(kept.sizes):
        words = f"the shape function said {kept.sizes} of its outputs' shapes, and says less"
        result.find("kept", f"{words}{_AGAIN}")
    check_refusals(result, kept, worker, start)


def check_refusals(result: Result, kept: Kept, worker: Worker, start: int) -> None:
    """Finds which calls the op does not refuse any more."""
    for numbers, knowledge in ((kept.known, graphs.KNOWN), (kept.run, graphs.UNKNOWN)):
        for number in numbers:
            drawn = _draw(result.signature, start, number)
            if drawn is None:
                result.find("kept", f"draw {number} cannot be made any more{_AGAIN}")
                continue
            case, words = drawn
            try:
                error = _error(worker, result.signature, case, knowledge)
            except Died as death:
                result.died("kept", death, case, words)
                continue
            result.kept += 1
            if not error:
                text = f"{words}: was refused, and is not any more{_AGAIN}"
                result.find("kept", text, case)


_AGAIN = " (`tw check-op --keep` writes the line anew, if that is right)"

# Names of dtypes, as far as they are letters.
_DTYPES = frozenset(
    "bfloat bool complex double float half int qint quint resource string uint variant INVALID".split()
)


def learn(result: Result, worker: Worker, start: int) -> Kept:
    """The line of an op whose valid calls, many, are in `result`."""
    found: dict[str, dict[str, int]] = {graphs.KNOWN: {}, graphs.UNKNOWN: {}}
    for number in range(_DRAWS):
        drawn = _draw(result.signature, start, number)
        if drawn is None:
            continue
        for knowledge, rules in found.items():
            try:
                error = _error(worker, result.signature, drawn[0], knowledge)
            except Died:
                break
            if error:
                rules.setdefault(_rule(error), number)
    known, run = map(_some, (found[graphs.KNOWN], found[graphs.UNKNOWN]))
    return Kept(result.signature.name, sizes(result), known, run)


def _some(rules: dict[str, int]) -> tuple[int, ...]:
    """Draws of as many rules as a line keeps."""
    own_first = sorted(rules.items(), key=lambda rule: (_OF_ANY_OP in rule[0], rule[1]))
    return tuple(sorted({number for _, number in own_first[:_MOST]}))


def _draw(signature: Signature, start: int, number: int) -> tuple[Case, str] | None:
    try:
        base = hints.draw(signature, start + number % _BASES)
    except Unsuitable:
        return None
    return malformed.spoil(signature, base, start + number)


def _error(worker: Worker, signature: Signature, case: Case, knowledge: str) -> str:
    """How a call is refused: as the graph is built, of a call whose shapes are known; else in the run.  "" if it is not."""
    graph = graphs.build(signature, [case], knowledge)
    answer: dict[str, Any] = worker.ask("run", graphs=[graph])[0]
    error = answer.get("error")
    if knowledge == graphs.UNKNOWN and error is None:
        error = answer["runs"][0].get("error")
    if error is None or not _REFUSALS.match(error[0]):
        return ""
    return f"{error[0]}: {error[1]}"


def _rule(error: str) -> str:
    """Returns the words of an error that do not depend on the call, thus without values, names and dtypes."""
    text = re.split(r",? (?:got|but) |\n|\[\[|\{\{", error)[0]
    return " ".join(w for w in re.findall("[A-Za-z]+", text) if w not in _DTYPES)[:100]
