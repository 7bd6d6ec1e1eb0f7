# SPDX-License-Identifier: Apache-2.0
"""Calls in processes whose op library was built with sanitizers; see sanitizers.py."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    malformed,
    promises,
    sanitizer_reports,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import Effort, Result
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.sanitizer_reports import Report
from tensorwright.tools.opcheck.sanitizers import Sanitized, command

# Deaths by one group of sanitizers after which no other call is made.
_DEATHS = 4
# Draws in search of a call in a dtype.
_TRIES = 4
# Runs of a call in each of two threads.
_TOGETHER = 40
# Calls of which memory is counted.
_LEAK_CALLS = 20
_WRAPS = (
    "    if it is to wrap: compute it unsigned, as static_cast<uint32>(a) + static_cast<uint32>(b), or exempt the op by\n"
    '    allow(UNDEFINED, op, why, of="signed integer overflow") in a file *_hints.py beside the library'
)
# A sanitizer makes a call slower by so much, and a start.
_SLOWER = 4


def workers(
    sanitized: Sequence[Sanitized], python: tuple[str, ...], timeout: float
) -> list[tuple[Sanitized, Worker]]:
    """A worker for each library; they start when they are asked."""
    return [
        (
            s,
            Worker(
                loads=(s.library, *python),
                timeout=timeout * _SLOWER,
                variables=s.variables,
                wrap=lambda arguments, kinds=s.kinds: command(arguments, kinds),
                # Its signal stack is too small for the report of another sanitizer on a processor with
                # large registers; only that of threads leaves crashes to it.
                faulthandler="thread" in s.kinds,
            ),
        )
        for s in sanitized
    ]


class SanitizeCheck:
    """Runs calls of one op in such a worker; a report on the op's sources is a finding."""

    def __init__(
        self,
        sanitized: Sanitized,
        worker: Worker,
        effort: Effort,
        result: Result,
        start: int,
    ):
        self._sanitized, self._worker = sanitized, worker
        self._effort, self._result, self._start = effort, result, start
        self._deaths = 0
        self._reports: set[tuple[str, str, str]] = set()

    def run(self) -> None:
        cases = self._cases()
        for case in cases:
            if self._ended():
                return
            self._call(case)
        if "thread" in self._sanitized.kinds:
            for case in [*cases[:3], *self._large()]:
                self._together(case)
        else:
            self._malformed()
        if "leak" in self._sanitized.kinds and cases:
            self._leaks(cases)

    def _ended(self) -> bool:
        """Have so many calls died that others tell nothing more?"""
        return self._deaths >= _DEATHS

    def _cases(self) -> list[Case]:
        """Small calls, of every dtype at least one."""
        signature, found = self._result.signature, []
        wanted = sorted(promises.dtypes(signature))
        fixed = [{attr: enum} for attr, enum in wanted]
        fixed += [{}] * max(self._effort.valid // 2, 3)
        for i, types in enumerate(fixed):
            given = {
                attr: enum if signature.attrs[attr].type == "type" else [enum]
                for attr, enum in types.items()
            }
            for k in range(_TRIES):
                try:
                    found.append(
                        hints.draw(signature, self._start + 31 * i + k, **given)
                    )
                    break
                except Unsuitable:
                    continue
        return found

    def _large(self) -> list[Case]:
        for i in range(_TRIES):
            try:
                return [hints.draw(self._result.signature, self._start + i, draws.BIG)]
            except Unsuitable:
                continue
        return []

    def _call(self, case: Case, words: str = "") -> None:
        graph = graphs.build(self._result.signature, [case], graphs.UNKNOWN)
        # Constants and copies that a pass leaves out would not be seen.
        graph["as_is"] = True
        self._ask(case, words, "run", graphs=[graph])

    def _malformed(self) -> None:
        signature = self._result.signature
        for i in range(max(self._effort.malformed // 4, 8)):
            if self._ended():
                return
            try:
                base = hints.draw(signature, self._start + i)
            except Unsuitable:
                continue
            self._call(*malformed.spoil(signature, base, self._start + i))

    def _together(self, case: Case) -> None:
        """Runs a call in two threads of one session, whose kernels are the same objects."""
        graph = graphs.build(self._result.signature, [case], graphs.KNOWN, threads=2)
        graph["as_is"] = True
        self._ask(case, "", "together", graph=graph, calls=_TOGETHER)

    def _leaks(self, cases: list[Case]) -> None:
        graph = graphs.build(self._result.signature, cases[-1:], graphs.KNOWN)
        self._ask(cases[-1], "", "growth", graph=graph, calls=_LEAK_CALLS)
        self._ask(cases[-1], "", "leaks")

    def _ask(self, case: Case, words: str, do: str, **arguments: object) -> None:
        """Asks the worker, and looks at what its sanitizers have said."""
        self._result.sanitized += 1
        try:
            self._worker.ask(do, **arguments)
        except Died as death:
            self._deaths += 1
            self._died(case, words, death)
            return
        for report in self._read(""):
            self._find(report, case, words, [])

    def _died(self, case: Case, words: str, death: Died) -> None:
        reports = self._read(death.said)
        if not reports:
            self._result.died("sanitize", death, case, words)
        for report in reports:
            self._find(report, case, words, _report_on_crash(death.said))

    def _read(self, said: str) -> list[Report]:
        text = sanitizer_reports.folder(self._sanitized.logs)
        reports = sanitizer_reports.read(text, self._sanitized.sources)
        return reports or sanitizer_reports.read(said, self._sanitized.sources)

    def _find(self, report: Report, case: Case, words: str, more: list[str]) -> None:
        if report.key() in self._reports:
            return
        self._reports.add(report.key())
        if report.kind == "undefined" and self._result.excuse(
            allowed.undefined(case.op, report.title)
        ):
            return
        first, *others = report.lines()
        if "signed integer overflow" in report.title:
            others.append(_WRAPS)
        begin = f"{words}: {first}" if words else first
        if not more:
            more = ["    node       op", f"    op         {case.op}"]
        text = "\n".join([begin, *others, *more])
        self._result.find("sanitize", text, case, cause=first)


def _report_on_crash(said: str) -> list[str]:
    """The lines of the report on a crash that name the kernel."""
    wanted = ("    node ", "    op ", "    inputs ")
    lines = [line for line in said.splitlines() if line.startswith(wanted)]
    return lines[:3]
