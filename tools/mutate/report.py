# SPDX-License-Identifier: Apache-2.0
"""Verdicts as text: a table by kind, a row an op, the survivors."""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib

from tensorwright.tools.mutate import survivors
from tensorwright.tools.mutate.campaign import (
    BY_NIGHT,
    BY_TEST,
    SURVIVED,
    OpResult,
    Verdict,
    add_line,
    read_lines,
)
from tensorwright.tools.mutate.kinds import BUDGETS, KINDS, Mutant
from tensorwright.tools.mutate.survivors import HARMLESS, Entries, Entry

_BY = (*BY_TEST, *BY_NIGHT)


def op_row(result: OpResult) -> str:
    """The op's line in the table by op."""
    if result.fails_without:
        return f"{result.op:36}  fails without a mutant: {result.fails_without}"
    caught = sum(v.by != SURVIVED for v in result.verdicts)
    survived = collections.Counter(
        v.mutant.kind for v in result.verdicts if v.by == SURVIVED
    )
    text = ", ".join(f"{kind} {n}" for kind, n in survived.items())
    seconds = sum(v.seconds for v in result.verdicts)
    return f"{result.op:36}{len(result.verdicts):5}{caught:5}{seconds:7.1f} s  {text}"


def _counted(results: list[OpResult], entries: Entries) -> list[Verdict]:
    """All verdicts but those on harmless mutants that survived."""
    return [
        v
        for r in results
        for v in r.verdicts
        if v.by != SURVIVED or not _is_harmless(v, entries)
    ]


def _is_harmless(verdict: Verdict, entries: Entries) -> bool:
    entry = survivors.find(entries, verdict.mutant)
    return entry is not None and entry.verdict == HARMLESS


def _share(verdicts: list[Verdict], by: tuple[str, ...] = _BY) -> float:
    if not verdicts:
        return 1.0
    return sum(v.by in by for v in verdicts) / len(verdicts)


def missed_budgets(results: list[OpResult], entries: Entries) -> list[str]:
    """A line for each group whose share is below its budget."""
    out = []
    counted = _counted(results, entries)
    for group, budget in BUDGETS.items():
        share = _share([v for v in counted if v.mutant.group == group])
        if share < budget:
            out.append(f"{group}: {share:.2%} caught, the budget is {budget:.0%}")
    return out


def is_good(results: list[OpResult], entries: Entries) -> bool:
    return (
        not missed_budgets(results, entries)
        and not _unneeded(results, entries)
        and not any(r.fails_without for r in results)
    )


def table(results: list[OpResult], entries: Entries) -> list[str]:
    """The table by kind."""
    lines = [
        f"{'kind':14}{'mutants':>8}{'harmless':>9}"
        + "".join(f"{by:>9}" for by in _BY)
        + f"{'survived':>9}{'by ./test':>10}{'by all':>9}"
    ]
    counted = _counted(results, entries)
    everything = [v for r in results for v in r.verdicts]

    def row(name: str, of: list[Verdict], among: list[Verdict]) -> str:
        by = collections.Counter(v.by for v in among)
        return (
            f"{name:14}{len(of):8}{len(of) - len(among):9}"
            + "".join(f"{by[b]:9}" for b in _BY)
            + f"{by[SURVIVED]:9}{_share(among, BY_TEST):10.2%}{_share(among):9.2%}"
        )

    for group, budget in BUDGETS.items():
        for kind in KINDS.values():
            if kind.group == group:
                of = [v for v in everything if v.mutant.kind == kind.name]
                among = [v for v in counted if v.mutant.kind == kind.name]
                lines.append(row(kind.name, of, among))
        of = [v for v in everything if v.mutant.group == group]
        among = [v for v in counted if v.mutant.group == group]
        lines.append(row(f"  {group}", of, among) + f"  (budget {budget:.0%})")
    lines.append(row("all", everything, counted))
    return lines


def text(results: list[OpResult], entries: Entries) -> str:
    """Returns the survivors, the entries that nothing needs, and the table."""
    lines: list[str] = []
    for result in results:
        for v in result.verdicts:
            if v.by == SURVIVED:
                lines.append(_survivor(v, survivors.find(entries, v.mutant)))
    lines += _unneeded(results, entries)
    for result in results:
        if result.fails_without:
            lines.append(op_row(result))
    lines += ["", *table(results, entries)]
    cpu, n = sum(r.cpu for r in results), sum(len(r.verdicts) for r in results)
    if n:
        lines.append(
            f"{n} mutants of {len(results)} ops, {cpu / n:.2f} s of a processor each"
        )
    lines += missed_budgets(results, entries)
    return "\n".join(lines)


def _survivor(verdict: Verdict, entry: Entry | None) -> str:
    m = verdict.mutant
    why = f"{entry.verdict}: {entry.why}" if entry else "not looked at yet"
    return (
        f"survived: {m.op} {m.kind} {m.number}: {m.words()}"
        f" [{verdict.ran} of {verdict.touching} tests]: {why}"
    )


def _unneeded(results: list[OpResult], entries: Entries) -> list[str]:
    """Entries of the ops that were tried whose mutant was caught, or is none."""
    tried = {r.op for r in results if not r.fails_without}
    survived = {
        (v.mutant.op, v.mutant.kind, v.mutant.number)
        for r in results
        for v in r.verdicts
        if v.by == SURVIVED
    }
    return [
        f"survivors.txt: {op} {kind} {number}: no such mutant survives"
        for op, kind, number in entries
        if op in tried and (op, kind, number) not in survived
    ]


def add_result(result: OpResult, file: pathlib.Path) -> None:
    """Adds the op's verdicts to the file."""
    add_line(dataclasses.asdict(result), file)


def read_results(file: pathlib.Path) -> list[OpResult]:
    """Reads the results that add_result wrote."""
    out = []
    for plain in read_lines(file):
        verdicts = [
            Verdict(**{**v, "mutant": Mutant(**v["mutant"])}) for v in plain["verdicts"]
        ]
        out.append(OpResult(**{**plain, "verdicts": verdicts}))
    return out


def save(results: list[OpResult], file: pathlib.Path) -> None:
    plain = [
        {**dataclasses.asdict(v), "words": v.mutant.words()}
        for r in results
        for v in r.verdicts
    ]
    file.write_text(json.dumps(plain, indent=1))
