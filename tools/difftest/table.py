# SPDX-License-Identifier: Apache-2.0
"""The results of comparisons as text: a line an op, the details, and the ops that the comparison did not reach."""

from __future__ import annotations

import collections
from typing import Any

from tensorwright.tools.difftest import (
    compare,
    difference as diff,
    explained,
    unreached,
)
from tensorwright.tools.opcheck import report, signature as sig
from tensorwright.tools.opcheck.draws import Case

# Columns: the field of Row, the two lines of its title, and its width.
_COLUMNS = (
    ("draws", "", "draws", 7),
    ("computed", "computed", "by both", 10),
    ("gradients", "gradients", "compared", 11),
    ("refused", "refused", "alike", 9),
    ("refused_otherwise", "refused", "otherwise", 11),
    ("explained", "", "explained", 11),
    ("seconded", "second", "looks", 8),
    ("disagreed", "", "disagreed", 11),
)

HEADER = "\n".join(
    f"{name:38}" + "".join(f"{column[line]:>{column[3]}}" for column in _COLUMNS)
    for line, name in ((1, ""), (2, "op"))
)


def line(row: Any) -> str:
    cells = "".join(f"{getattr(row, c[0]):{c[3]}}" for c in _COLUMNS)
    return f"{row.op:38}{cells}  {row.note if not row.draws else ''}".rstrip()


def summary(rows: list[Any], took: float, whole: bool = False) -> str:
    """Returns the text after the table; its last lines say whether all is well.

    `whole`: the run had all ops, in as many draws as the nightly run has.
    """
    lines = [*_second_looks(rows), *_explained(rows), *_disagreements(rows)]
    total = collections.Counter()
    for row in rows:
        total.update({c[0]: getattr(row, c[0]) for c in _COLUMNS})
    cells = "".join(f"{total[c[0]]:{c[3]}}" for c in _COLUMNS)
    ran = [r for r in rows if r.computed]
    differentiated = [r for r in rows if r.gradients]
    lines += [
        "",
        HEADER,
        f"{f'all {len(rows)} ops':38}{cells}",
        "",
        f"{len(ran)} of {len(rows)} ops computed by both, gradients of {len(differentiated)} of "
        f"{sum(r.differentiable for r in rows)} compared, in {took:.0f} s",
        *unreached.page(rows),
        *_unused(rows, whole),
        f"{sum(bool(r.disagreements) for r in rows)} ops disagree",
    ]
    return "\n".join(lines)


def failed(rows: list[Any], whole: bool = False) -> bool:
    """Does something disagree, was something not reached, or, in a whole run, is something explained that is not so?"""
    wrong = any(r.disagreements for r in rows) or bool(unreached.problems(rows))
    return wrong or whole and bool(_not_needed(rows, whole))


def miscomputed(rows: list[Any]) -> bool:
    """Does something disagree that is no matter of errors: a value, a gradient, a shape, or did we die?"""
    counted = (*diff.OF_ARRAYS, diff.SHAPE, diff.DIED)
    return any(d.kind in counted for r in rows for d in r.disagreements)


def _not_needed(rows: list[Any], whole: bool) -> list[str]:
    used = {i for row in rows for i in row.explanations}
    return explained.unused(used, None if whole else [row.op for row in rows])


def _unused(rows: list[Any], whole: bool) -> list[str]:
    lines = [f"    {line}" for line in _not_needed(rows, whole)]
    says = "fails: remove them" if whole else "in so few draws they may be"
    title = f"{len(lines)} explanations that no draw needed ({says})"
    return ["", title, *lines] if lines else []


def _second_looks(rows: list[Any]) -> list[str]:
    looks = [look for row in rows for look in row.second_looks]
    if not looks:
        return []
    return ["", f"{len(looks)} second looks:", *(f"    {look}" for look in looks)]


def _explained(rows: list[Any]) -> list[str]:
    reasons: collections.Counter = collections.Counter()
    for row in rows:
        reasons.update({(row.op, why): n for why, n in row.reasons.items()})
    if not reasons:
        return []
    found = [f"    {n:6}  {op}: {why}" for (op, why), n in sorted(reasons.items())]
    return ["", "explained:", *found]


def _disagreements(rows: list[Any]) -> list[str]:
    lines = []
    for row in rows:
        by_kind = collections.defaultdict(list)
        for d in row.disagreements:
            by_kind[d.kind].append(d)
        for kind, found in by_kind.items():
            lines.append(f"{row.op}: {kind}, {len(found)} times")
            for d in found[:5]:
                words = f"  <- {d.words}" if d.words else ""
                seed = f"  (--seed {d.seed})" if d.seed else ""
                lines.append(f"    {d.text}{words}{seed}")
    return ["", "disagreements:", *lines] if lines else []


def show(case: Case, a: dict, b: dict) -> None:
    """Prints a call and both answers."""
    print("\n".join(report.describe(case)), getattr(case, "words", ""))
    for name, answer in (("ours", a), ("theirs", b)):
        print(f"-- {name}")
        if "runs" not in answer:
            print(answer)
            continue
        print("inferred", answer["static"])
        for key, found in answer["runs"][0].items():
            print(key, found if "error" in key else "")
            for item in found if "error" not in key else ():
                print(f"  {_shown(item)}")


def _shown(item: Any) -> str:
    if item is None:
        return "none"
    text = str(compare.array(item)).replace("\n", " ")[:600]
    return f"{sig.type_name(item[0])} {list(item[1])} {text}"
