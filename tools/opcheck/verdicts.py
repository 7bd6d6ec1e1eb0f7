# SPDX-License-Identifier: Apache-2.0
"""The verdict of each check on an op: it found nothing, it found faults, or nothing could be checked, and why.

What was not checked is no fault, and it is not right either: nothing here calls it so.
"""

from __future__ import annotations

import dataclasses

from tensorwright.tools.opcheck import (
    allowed,
    bounds_check,
    handles,
    hint_files,
    promises,
    signature as sig,
    touches_check,
)
from tensorwright.tools.opcheck.outcome import Result

OK, FAILED = "ok", "failed"
NOT_CHECKED = "not checked"
# There is nothing of the kind: no gradient, no float for a NaN.
NOTHING = "nothing to check"
# allowed.py, or a file of hints, says why it is not checked.
EXEMPT = "exempt"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """`text`: how many cases agree, or the reason why nothing was checked; `more`: lines below it."""

    check: str
    status: str
    text: str
    more: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = self.text
        if self.status in (NOT_CHECKED, NOTHING):
            words = f"{self.status}: {self.text}"
        elif self.status == EXEMPT:
            words = f"{NOT_CHECKED}, exempt: {self.text}"
        return "\n".join(
            [f"  {self.check:12}{words}", *(f"{'':14}{m}" for m in self.more)]
        )


def of(result: Result) -> list[Verdict]:
    """The verdicts on an op, in the order of the page."""
    found = [_valid(result), _shape(result), _gradient(result), _threads(result)]
    nans = f"{result.nans} outputs compared between calls with a NaN and without"
    none = _no_floats(result)
    found.append(_counted(result, "nan", result.nans, nans, nothing=none))
    found.append(_malformed(result))
    found.append(_touches(result))
    if result.own:
        found.append(_bounds(result))
    if handles.maker_of(result.signature) is not None or result.sequences:
        words = f"{result.sequences} sequences of calls that share a resource, the same in three processes"
        found.append(_counted(result, "sequence", result.sequences, words))
    if result.sanitizers or result.sanitized:
        kinds = f" ({', '.join(result.sanitizers)})" if result.sanitizers else ""
        words = f"{result.sanitized} requests to a library with sanitizers{kinds}"
        found.append(_counted(result, "sanitize", result.sanitized, words))
    if result.own:
        leaks = f"{result.leaks} calls leave no memory behind"
        found.append(_counted(result, "leak", result.leaks, leaks))
    else:
        words = f"{result.kept} refusals that were seen before"
        found.append(_judge(result, "kept", OK, words))
    seen = {v.check for v in found}
    for check in dict.fromkeys(f.check for f in result.findings):
        if check not in seen:
            found.append(_judge(result, check, OK, ""))
    return found


def unchecked(result: Result) -> list[str]:
    """The checks that had nothing to look at although they should have."""
    return [v.check for v in of(result) if v.status == NOT_CHECKED]


def _judge(
    result: Result, check: str, status: str, text: str, more: tuple[str, ...] = ()
) -> Verdict:
    """The verdict, unless there are findings."""
    found = [f for f in result.findings if f.check == check]
    if not found:
        return Verdict(check, status, text, more)
    kinds = len({f.kind for f in found})
    text = f"FAILED, {len(found)} of them below"
    if kinds < len(found):
        text = f"FAILED, {len(found)} findings of {kinds} kind{'s' * (kinds > 1)} below"
    return Verdict(check, FAILED, text, more)


def _counted(
    result: Result,
    check: str,
    count: int,
    text: str,
    more: tuple[str, ...] = (),
    nothing: str = "",
    exempt: str = "",
) -> Verdict:
    """The verdict of a check that looked at `count` cases; `exempt` is the exemption that explains that there are none."""
    if count:
        return _judge(result, check, OK, text, more)
    if nothing:
        return _judge(result, check, NOTHING, nothing)
    for exemption in result.excused:
        if exempt and exemption.check == exempt or exemption.check == allowed.VALID:
            return _judge(result, check, EXEMPT, exemption.why)
    why = result.why.get("") or result.why.get(check)
    if not result.valid and check != "malformed":
        why = result.why.get("") or "no call was accepted"
    return _judge(result, check, NOT_CHECKED, why or "no draw came to a call")


def _valid(result: Result) -> Verdict:
    text = f"{result.valid} calls accepted, {result.refused} refused"
    promised = promises.dtypes(result.signature)
    if promised:
        drawn = len(promised & result.dtypes)
        text += f"; {drawn} of {len(promised)} dtypes drawn"
    more = [f"refused: {line}" for line in result.refusals]
    if result.refused > 2 * result.valid:
        where = "tools/opcheck/hints_*.py"
        if result.own:
            file = hint_files.name_for(result.signature.name)
            where = f"{file} beside the library"
        more.append(f"most draws are refused: a hint in {where} would draw better ones")
    if result.valid:
        return _judge(result, "valid", OK, text, tuple(more))
    why = result.unsuitable or ("all are refused" if result.refused else "")
    why = result.why.get("") or why or "no call could be made"
    exempt = [e.why for e in result.excused if e.check == allowed.VALID]
    if exempt:
        return _judge(result, "valid", EXEMPT, exempt[0], tuple(more))
    text = f"no call was accepted, so nothing is known of right input ({why})"
    return _judge(result, "valid", NOT_CHECKED, text, tuple(more))


def _shape(result: Result) -> Verdict:
    s = result.signature
    nothing = "" if s.outputs else "it has no outputs"
    if not s.has_shape_fn:
        nothing = "there is no shape function: callers learn nothing before the run"
    text = f"{result.shapes} outputs have the shape that was promised"
    if result.unknown_shapes:
        text += f"; for {result.unknown_shapes} not all was promised although all input shapes were known"
    if result.valid and not result.shapes:
        result.why.setdefault("shape", "the shape function said nothing of any output")
    return _counted(
        result, "shape", result.shapes, text, nothing=nothing, exempt=allowed.SHAPE
    )


def _gradient(result: Result) -> Verdict:
    text = f"{result.gradients} derivatives agree with finite differences"
    more = []
    if result.unclear:
        more.append(f"{result.unclear} where differences say nothing")
    if result.gradient_dtypes:
        names = ", ".join(map(sig.type_name, sorted(result.gradient_dtypes)))
        more.append(f"computed in {names}")
    nothing = ""
    if not promises.gradient(result.signature):
        nothing = promises.no_gradient(result.signature)
    elif result.no_gradient:
        result.why["gradient"] = result.no_gradient
    elif result.unclear:
        result.why["gradient"] = "finite differences say nothing of any draw"
    else:
        result.why.setdefault("gradient", "no draw was differentiated")
    return _counted(
        result,
        "gradient",
        result.gradients,
        text,
        tuple(more),
        nothing,
        allowed.NO_NUMBERS,
    )


def _threads(result: Result) -> Verdict:
    text = (
        f"{result.threads} large calls, {result.large} with a large output, "
        "give the same bits with 1, 2 and 3 threads"
    )
    return _counted(result, "threads", result.threads, text, exempt=allowed.THREADS)


def _no_floats(result: Result) -> str:
    """The reason why there is nothing for a NaN; "" if there is something."""
    s = result.signature
    types: set[int] = set()
    for arg in s.inputs:
        attr = arg.type_attr or arg.type_list_attr
        types.update(s.allowed_types(attr) if attr else [arg.type])
    if types & {*sig.FLOATS, *sig.COMPLEXES}:
        return ""
    return "no input is of floats"


def _malformed(result: Result) -> Verdict:
    text = f"{result.malformed} calls made wrong: {result.malformed_refused} refused, the rest computed"
    return _counted(
        result, "malformed", result.malformed, text, exempt=allowed.MALFORMED
    )


def _touches(result: Result) -> Verdict:
    claim = ", ".join(result.touched or ["nothing"])
    text = f"{result.touches} calls made no system call that it does not claim (it touches {claim})"
    nothing = ""
    if result.touched and not touches_check.forbidden(set(result.touched)):
        nothing = f"it may do everything (it touches {claim})"
    return _counted(result, "touches", result.touches, text, nothing=nothing)


def _bounds(result: Result) -> Verdict:
    text = f"{result.bounds} calls between guard pages touch nothing else"
    more = ()
    if result.bounds and not bounds_check.has_heap_check():
        more = (
            "writes behind blocks of the heap not checked: no libc_malloc_debug.so.0",
        )
    return _counted(result, "bounds", result.bounds, text, more)
