# SPDX-License-Identifier: Apache-2.0
"""opcheck's results as text: a page for one op, a line for each of many."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterable

import numpy as np

from tensorwright.tools.opcheck import promises, signature as sig
from tensorwright.tools.opcheck.checks import Finding, Result
from tensorwright.tools.opcheck.draws import Case

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
        ", ".join(checks) if checks else "ok" if result.valid else "-",
    )


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


def page(result: Result) -> str:
    """Everything about one op, for a person who will act on it."""
    s = result.signature
    lines = [call(s), f"  {s.file}:{s.line}", ""]
    valid = f"{result.valid} calls accepted, {result.refused} refused"
    promised = promises.dtypes(s)
    if promised:
        drawn = len(promised & result.dtypes)
        valid += f"; {drawn} of {len(promised)} dtypes drawn"
    if not result.valid:
        valid += f": nothing could be checked with valid input ({result.unsuitable or 'all refused'})"
    lines.append(_entry(result, "valid", valid))
    lines += [f"{'':14}refused: {text}" for text in result.refusals]
    if result.refused > 2 * result.valid:
        lines.append(
            f"{'':14}most draws are refused: a hint, as in tools/opcheck/hints_*.py, would draw better ones;\n"
            f"{'':14}that of an op of yours can stand in a file that --python FILE names"
        )
    shapes = f"{result.shapes} outputs have the shape that was promised"
    if result.unknown_shapes:
        shapes += f"; for {result.unknown_shapes} not all was promised although all input shapes were known"
    if not s.has_shape_fn:
        shapes = "there is no shape function: callers learn nothing before the run"
    lines.append(_entry(result, "shape", shapes))
    gradient = f"{result.gradients} derivatives agree with finite differences"
    lines.append(_entry(result, "gradient", result.no_gradient or gradient))
    if result.unclear:
        lines.append(f"{'':14}{result.unclear} where differences say nothing")
    if result.gradient_dtypes:
        names = ", ".join(map(sig.type_name, sorted(result.gradient_dtypes)))
        lines.append(f"{'':14}computed in {names}")
    threads = (
        f"{result.threads} large calls, {result.large} with a large output, "
        "give the same bits with 1, 2 and 3 threads"
    )
    lines.append(_entry(result, "threads", threads))
    nans = f"{result.nans} outputs compared between calls with a NaN and without"
    lines.append(_entry(result, "nan", nans))
    bad = f"{result.malformed} calls made wrong: {result.malformed_refused} refused, the rest computed"
    lines.append(_entry(result, "malformed", bad))
    if result.own:
        bounds = f"{result.bounds} calls between guard pages touch nothing else"
        lines.append(_entry(result, "bounds", bounds))
    if result.sequences:
        words = f"{result.sequences} sequences of calls that share a resource, the same in three processes"
        lines.append(_entry(result, "sequence", words))
    if result.sanitized:
        words = f"{result.sanitized} requests to a library with sanitizers"
        lines.append(_entry(result, "sanitize", words))
    if result.leaks:
        leaks = f"{result.leaks} calls leave no memory behind"
        lines.append(_entry(result, "leak", leaks))
    lines.append(
        _entry(result, "kept", f"{result.kept} refusals that were seen before")
    )
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
    for finding in result.findings:
        lines += ["", *_finding(finding)]
    return "\n".join(lines)


def _cache_bytes() -> int:
    """Returns the size of the largest cache."""
    files = pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    sizes = [f.read_text().strip().removesuffix("K") for f in files]
    return max([1 << 24, *(int(s) << 10 for s in sizes if s.isdigit())])


def _entry(result: Result, check: str, good: str) -> str:
    found = [f for f in result.findings if f.check == check]
    if not found:
        return f"  {check:12}{good}"
    return f"  {check:12}FAILED, {len(found)} of them below"


def _finding(finding: Finding) -> list[str]:
    lines = [f"{finding.check}: {finding.text}"]
    if finding.case is not None:
        lines += [f"    {line}" for line in describe(finding.case)]
    return lines


def describe(case: Case) -> list[str]:
    """A call in words: attrs and inputs, and the seed that draws it."""
    lines = [f"seed {case.seed}"]
    for name, value in case.attrs.items():
        if isinstance(value, int) and name in _type_attrs(case):
            value = sig.type_name(value)
        text = str(value).replace("\n", " ")
        lines.append(f"attr {name} = {text[:100]}")
    for i, (value, enum) in enumerate(zip(case.inputs, case.types)):
        items = zip(value, enum) if isinstance(value, list) else [(value, enum)]
        for k, (array, t) in enumerate(items):
            place = f"{i}[{k}]" if isinstance(value, list) else str(i)
            content = np.array2string(array, threshold=12, edgeitems=3)
            content = " ".join(content.split())
            lines.append(
                f"input {place}: {sig.type_name(t)} {list(array.shape)} {content[:160]}"
            )
    return lines


def _type_attrs(case: Case) -> set[str]:
    attrs = sig.Signature(case.op).attrs
    return {n for n, a in attrs.items() if a.type == "type"}


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
