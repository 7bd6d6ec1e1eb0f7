# SPDX-License-Identifier: Apache-2.0
"""opcheck's results as text: a page for one op, a line for each of many."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterable
from typing import Any

from tensorwright.tools.opcheck import (
    promises,
    report_calls,
    signature as sig,
    verdicts,
)
from tensorwright.tools.opcheck.checks import Finding, Result
from tensorwright.tools.opcheck.report_calls import describe  # noqa: F401

# The columns of `row`, which `table` explains.
HEADER = (
    f"{'op':42}{'dtypes':>10}{'valid':>7}{'refused':>8}{'shapes':>8}{'grads':>7}{'by':>9}"
    f"{'in':>11}{'threads':>8}{'malformed':>10}  findings"
)


@dataclasses.dataclass(frozen=True)
class Row:
    """How many checks of each kind one op really had, and of how many that it promises."""

    op: str
    dtypes: tuple[int, int]  # Drawn in accepted calls, of those there are.
    valid: int
    refused: int
    shapes: int
    gradients: int  # Derivatives compared with finite differences.
    by: tuple[int, int]  # Inputs where a wrong gradient would show, of the numbers.
    gradient_dtypes: tuple[int, int]  # That gradients were computed in.
    threads: int
    malformed: int
    findings: str

    def __str__(self) -> str:
        return (
            f"{self.op:42}{_share(self.dtypes):>10}{self.valid:7}{self.refused:8}"
            f"{self.shapes:8}{self.gradients:7}{_share(self.by):>9}"
            f"{_share(self.gradient_dtypes):>11}{self.threads:8}{self.malformed:10}"
            f"  {self.findings}"
        )


def row(result: Result) -> Row:
    """The op's line in the table under HEADER."""
    checks = sorted({f.check for f in result.findings})
    promised = promises.dtypes(result.signature)
    return Row(
        result.signature.name,
        (len(promised & result.dtypes), len(promised)),
        result.valid,
        result.refused,
        result.shapes,
        result.gradients,
        (len(result.told), len(result.told | result.untold)),
        (
            len(result.gradient_dtypes & result.number_dtypes),
            len(result.number_dtypes),
        ),
        result.threads,
        result.malformed,
        ", ".join(checks) if checks else _without_findings(result),
    )


def _without_findings(result: Result) -> str:
    """ "ok" if all was checked; what was not is no finding, and not ok either."""
    if not result.valid:
        return "-"
    missing = verdicts.unchecked(result)
    return f"none; not checked: {', '.join(missing)}" if missing else "ok"


def table(results: list[Result]) -> str:
    """Returns the table of the checks of each op, with sums, and the exemptions with their reasons."""
    rows = [row(r) for r in results]
    sums = Row(
        f"{len(rows)} ops",
        _sum(r.dtypes for r in rows),
        sum(r.valid for r in rows),
        sum(r.refused for r in rows),
        sum(r.shapes for r in rows),
        sum(r.gradients for r in rows),
        _sum(r.by for r in rows),
        _sum(r.gradient_dtypes for r in rows),
        sum(r.threads for r in rows),
        sum(r.malformed for r in rows),
        f"{sum(len(r.findings) for r in results)} findings",
    )
    lines = [HEADER, *map(str, rows), str(sums), "", _COLUMNS]
    for result in results:
        for e in sorted(result.excused, key=str):
            lines.append(f"{e.op}: exempt from {e}: {e.why}")
    return "\n".join(lines)


_COLUMNS = """\
dtypes     of its type attrs, in calls that were accepted / that an attr allows and a CPU kernel takes
valid      calls accepted, with shapes unknown, known in part and known
refused    calls that were drawn as valid and refused
shapes     outputs compared with what the shape function promised
grads      derivatives compared with finite differences
by         inputs by which a wrong gradient would have been seen, real and complex / those that are numbers
in         dtypes in which the gradient was computed / those of these inputs
threads    large calls that were compared between one thread, two and three
malformed  calls made wrong
"""


def _share(pair: tuple[int, int]) -> str:
    return f"{pair[0]}/{pair[1]}" if pair[1] else "-"


def _sum(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    first, second = zip(*pairs)
    return sum(first), sum(second)


def page(result: Result, all_findings: bool = False) -> str:
    """Everything about one op, for a person who will act on it; `all_findings`: also those that are like others."""
    s = result.signature
    lines = [call(s), f"  {s.file}:{s.line}", ""]
    lines += map(str, verdicts.of(result))
    if result.speed is not None:
        seconds, size, bandwidth = result.speed
        text = f"{size / 1e6:.0f} MB in {seconds * 1e3:.2f} ms: {size / seconds / 1e9:.1f} GB/s"
        if size > 2 * _cache_bytes():
            share = size / seconds / bandwidth
            text += f", {share:.0%} of what copying reaches"
        else:
            text += "; too little for a share of the memory's bandwidth"
        lines.append(f"  {'speed':12}{text}")
    for e in sorted(result.excused, key=str):
        lines.append(f"  {'exempt':12}from {e}: {e.why}")
    for first, *others in _kinds(result.findings):
        lines += ["", *_finding(first)]
        if others and not all_findings:
            calls = "call" if len(others) == 1 else "calls"
            words = (
                f"and {len(others)} more {calls} like it (--all-findings shows them)"
            )
            lines.append(f"    {words}")
        for other in others if all_findings else []:
            lines += ["", *_finding(other)]
    return "\n".join(lines)


def as_json(results: list[Result]) -> dict[str, Any]:
    """The results for programs: of each op its checks with their status, and all findings.

    The status of a check is "ok", "failed", "not checked" (nothing could be, `text` says why), "nothing to check" or
    "exempt".  An op is "ok" if no check has failed and none is "not checked"; "failed" and "not checked" otherwise.
    """
    return {"ops": [_op_as_json(r) for r in results]}


def _op_as_json(result: Result) -> dict[str, Any]:
    checks = {
        v.check: {"status": v.status, "text": v.text, "more": list(v.more)}
        for v in verdicts.of(result)
    }
    status = verdicts.NOT_CHECKED if verdicts.unchecked(result) else verdicts.OK
    findings = [
        {
            "check": f.check,
            "text": f.text,
            "seed": f.seed,
            "call": report_calls.of_finding(f),
        }
        for f in result.findings
    ]
    return {
        "op": result.signature.name,
        "file": result.signature.file,
        "line": result.signature.line,
        "status": status if result.ok else verdicts.FAILED,
        "checks": checks,
        "exempt": [f"{e}: {e.why}" for e in sorted(result.excused, key=str)],
        "findings": findings,
    }


def _kinds(findings: list[Finding]) -> list[list[Finding]]:
    """The findings, those together that are alike."""
    kinds: dict[Any, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.kind, []).append(finding)
    return list(kinds.values())


def _cache_bytes() -> int:
    """Returns the size of the largest cache."""
    files = pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    sizes = [f.read_text().strip().removesuffix("K") for f in files]
    return max([1 << 24, *(int(s) << 10 for s in sizes if s.isdigit())])


def _finding(finding: Finding) -> list[str]:
    lines = [f"{finding.check}: {finding.text}"]
    return lines + [f"    {line}" for line in report_calls.of_finding(finding)]


def call(s: sig.Signature) -> str:
    """`MatMul(a: T, b: T) -> product: T`."""
    inputs = ", ".join(f"{a.name}: {_type(a)}" for a in s.inputs)
    outputs = ", ".join(f"{a.name}: {_type(a)}" for a in s.outputs)
    return f"{s.name}({inputs}) -> {outputs or 'nothing'}"


def _type(arg: sig.Arg) -> str:
    base = arg.type_list_attr or arg.type_attr or sig.type_name(arg.type)
    if arg.number_attr:
        base = f"{arg.number_attr}*{base}"
    return f"Ref({base})" if arg.is_ref else base
