# SPDX-License-Identifier: Apache-2.0
"""Large calls with one thread, two and three, which must give the same bits.

Those of rounding.PRODUCTS may differ, within a bound; under tf.Policy(deterministic=True) nothing may, and what cannot
promise that, an op that is exempt from giving the same twice, must be refused.
"""

from __future__ import annotations

import math
from typing import Any

from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    rounding,
    sameness,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import OURS, Effort, Result, first_line
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.signature import Signature

# Numbers of threads that must give the same; three do not divide evenly the work that two do.
_THREADS = (1, 2, 3)
# Those of them that run under the policy, too.
_REPEATING = (1, 3)
_POLICY = "tf.Policy(deterministic=True)"
# Elements from which on kernels share out even the cheapest work; see ParallelFor.
SHARED = 20_001
# Draws in search of a large call, and of one with a large output.
_TRIES = 20
_OUTPUT_TRIES = 4


class ThreadsCheck:
    """Compares large calls of one op."""

    def __init__(self, worker: Worker, effort: Effort, result: Result, start: int):
        self._worker, self._effort = worker, effort
        self._result, self._start = result, start

    def run(self) -> None:
        result, wanted = self._result, self._effort.threads
        largest, refusal = -1, ""
        for i in range(wanted + _TRIES):
            # A large output is wanted once too, if a draw has one: a lost piece shows there.
            enough = result.large or i >= wanted + _OUTPUT_TRIES
            if result.threads >= wanted and enough:
                return
            try:
                case = hints.draw(result.signature, self._start + i, draws.BIG)
                # As much known as any op asks for.
                built = [
                    graphs.build(result.signature, [case], graphs.KNOWN, threads=n)
                    for n in _THREADS
                ]
                built += [
                    {**graph, "repeats": True}
                    for n, graph in zip(_THREADS, built)
                    if n in _REPEATING
                ]
                answers = self._worker.ask("run", graphs=built)
            except Unsuitable as reason:
                refusal = refusal or str(reason)
                continue
            except Died as death:
                result.died("threads", death, case)
                continue
            repeating = answers[len(_THREADS) :]
            answers = answers[: len(_THREADS)]
            errors = [_error(a) for a in answers]
            for error in errors:
                if error is not None and error[0] in OURS:
                    text = f"{error[0]}: {first_line(error[1])}"
                    result.find("threads", text, case)
                    break
            if any(errors):
                error = next(e for e in errors if e)
                refusal = f"{error[0]}: {first_line(error[1])}"
                continue
            largest = max(largest, self._compare(case, [a["runs"][0] for a in answers]))
            self._repeats(case, repeating)
        result.why["threads"] = _why(largest, refusal)

    def _compare(self, case: Case, runs: list[dict[str, Any]]) -> int:
        """Compares the runs of a call if it is large; the elements of its largest tensor."""
        result = self._result
        values = [run["values"] for run in runs]
        given = max(_sizes(case), default=0)
        made = max([math.prod(v[1]) for v in values[0]], default=0)
        if max(given, made) < SHARED:
            return max(given, made)
        result.threads += 1
        result.large += made >= SHARED
        if not allowed.repeats(result.signature, case):
            return max(given, made)
        for n, other in zip(_THREADS[1:], values[1:]):
            if sameness.same(values[0], other):
                continue
            if result.excuse(allowed.find(case.op, allowed.REPEAT)):
                continue
            apart = sameness.difference(values[0], other)
            if case.op in rounding.PRODUCTS and apart <= rounding.bound(values[0]):
                continue
            words = f"one thread and {n} differ by up to {apart:.3g}"
            result.find("threads", words, case)
        return max(given, made)

    def _repeats(self, case: Case, answers: list[dict[str, Any]]) -> None:
        """Compares the runs under the policy, if it allows the call."""
        result = self._result
        errors = [_error(a) for a in answers]
        if all(e and "deterministic: true" in e[1] for e in errors):
            return
        for error in filter(None, errors):
            words = f"{_POLICY}: {error[0]}: {first_line(error[1])}"
            result.find("threads", words, case)
            return
        if allowed.find(case.op, allowed.REPEAT) or not allowed.repeats(
            result.signature, case
        ):
            words = f"{_POLICY} allows it, and it does not give the same twice"
            result.find("threads", words, case)
            return
        one, other = (a["runs"][0]["values"] for a in answers)
        if not sameness.same(one, other):
            apart = sameness.difference(one, other)
            words = f"one thread and {_REPEATING[1]} differ by up to {apart:.3g} under {_POLICY}"
            result.find("threads", words, case)


def _error(answer: dict[str, Any]) -> tuple[str, str] | None:
    """The error of a graph or of its first run."""
    return answer.get("error") or answer["runs"][0].get("error")


def _sizes(case: Case) -> list[int]:
    """The elements of the call's inputs; what is drawn for the handle of a library's op is none."""
    sizes = []
    for arg, value in zip(Signature(case.op).inputs, case.inputs):
        if case.state is None or arg.type != sig.RESOURCE:
            items = value if isinstance(value, list) else [value]
            sizes += [array.size for array in items]
    return sizes


def _why(largest: int, refusal: str) -> str:
    if largest < 0:
        return f"no large call was accepted ({refusal})"
    return (
        f"no call had {SHARED - 1:,} elements, in or out, the largest {largest:,}; "
        "a hint that draws more where d.large gives one"
    )
