# SPDX-License-Identifier: Apache-2.0
"""Calls in words: an op's attrs and inputs, the handle that it takes, and the calls before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import draws, signature as sig
from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.outcome import Finding


def of_finding(finding: Finding) -> list[str]:
    """The draw that shows a fault, and what comes before and after it."""
    case = finding.case
    if case is None:
        return []
    # A call made wrong, or a sequence, takes more than one draw.
    whole = not finding.calls and finding.check not in ("malformed", "kept")
    lines = [f"seed {case.seed}{_how(case) if whole else ''}"]
    if finding.shapes:
        part = "known in part" if finding.shapes == "partial" else finding.shapes
        lines.append(f"input shapes {part} when the node is added")
    if not finding.calls:
        return [*lines, *_call(case), *_before(case)]
    assert case.state is not None
    lines.append(f"the handle: {_short(case.state.maker)}")
    lines += [f"call {k}: {_short(c)}" for k, c in enumerate(finding.calls, 1)]
    return lines


def describe(case: Case) -> list[str]:
    """A call in words: attrs and inputs, and the seed that draws it."""
    return [f"seed {case.seed}", *_call(case), *_before(case)]


def _how(case: Case) -> str:
    """The arguments, beside the op and the seed, with which hints.draw draws the call again."""
    given = [] if case.size == draws.SMALL else [f"size={case.size!r}"]
    given += [f"prefer={case.prefer}"] if case.prefer else []
    given += [f"{name}={value!r}" for name, value in case.fixed.items()]
    return f" ({', '.join(given)})" if given else ""


def _call(case: Case) -> list[str]:
    lines = [f"attr {name} = {text}" for name, text in _attrs(case)]
    for place, text in _inputs(case, 160, case.state is not None):
        lines.append(f"input {place}: {text}")
    return lines


def _before(case: Case) -> list[str]:
    """The call that makes the handle of a call, and those that come before."""
    if case.state is None:
        return []
    lines = [f"the handle: {_short(case.state.maker)}"]
    return lines + [f"before it: {_short(call)}" for call in case.state.before]


def _short(case: Case) -> str:
    """`RingPush(handle, float32 [3] [1. 2. 3.], overwrite=True)`."""
    parts = [text for _, text in _inputs(case, 60, True)]
    parts += [f"{name}={text}" for name, text in _attrs(case) if text]
    return f"{case.op}({', '.join(parts)})"


def _attrs(case: Case) -> Iterable[tuple[str, str]]:
    kinds = {n: a.type for n, a in sig.Signature(case.op).attrs.items()}
    for name, value in case.attrs.items():
        if kinds.get(name) == "type" and isinstance(value, int):
            value = sig.type_name(value)
        elif kinds.get(name) == "list(type)" and isinstance(value, list):
            value = [sig.type_name(v) for v in value]
        yield name, str(value).replace("\n", " ")[:100]


def _inputs(case: Case, limit: int, handles: bool) -> Iterable[tuple[str, str]]:
    """(place, content) of each tensor; `handles`: resources are those that a library's own op makes, no variables."""
    for i, (arg, value, enum) in enumerate(
        zip(sig.Signature(case.op).inputs, case.inputs, case.types)
    ):
        items = zip(value, enum) if isinstance(value, list) else [(value, enum)]
        for k, (array, t) in enumerate(items):
            place = f"{i}[{k}]" if isinstance(value, list) else str(i)
            if handles and arg.type == sig.RESOURCE:
                # The array that is drawn for it does not count.
                yield place, arg.name
            else:
                yield place, _content(arg, array, t, limit)


def _content(arg: sig.Arg, array: Any, enum: int, limit: int) -> str:
    content = np.array2string(array, threshold=12, edgeitems=3)
    content = " ".join(content.split())
    if len(content) > limit:
        content = f"{content[:limit]} ..."
    text = f"{sig.type_name(enum)} {list(array.shape)} {content}"
    variable = arg.is_ref or arg.type == sig.RESOURCE
    return f"a variable of {text}" if variable else text
