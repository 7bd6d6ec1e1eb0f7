# SPDX-License-Identifier: Apache-2.0
"""Comparison: the draws of one op, computed by both libraries, and what came of them."""

from __future__ import annotations

import collections
import copy
import dataclasses
from typing import Any

from tensorwright.tools.difftest import compare, explained
from tensorwright.tools.difftest.lanes import Lane, Peer
from tensorwright.tools.opcheck import (
    graphs,
    hints,
    malformed,
    report,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.signature import Signature

# Draws that go to the workers in one request.
_BATCH = 20
# One draw in so many is a malformed one.
_SPOILT = 5
# How much further apart gradients may be, which are several ops' work.
_GRADIENT_SLACK = 8.0
# Draws for each that is wanted, at most: those of types that one of the two has no kernel for are not compared.
_TRIES = 16


@dataclasses.dataclass
class Difference:
    kind: str
    text: str
    seed: int


@dataclasses.dataclass
class Row:
    """What came of one op."""

    op: str
    compared: int = 0
    computed: int = 0
    refused: int = 0
    differed: int = 0
    explained: int = 0
    seconded: int = 0  # Agreed at a second look.
    gradients: int = 0
    note: str = ""
    differences: list[Difference] = dataclasses.field(default_factory=list)
    reasons: collections.Counter = dataclasses.field(
        default_factory=collections.Counter
    )


class Comparison:
    """One op's draws."""

    def __init__(self, op: str, peer: Peer, lane: Lane, verbose: bool = False):
        self.signature, self.peer, self.lane = Signature(op), peer, lane
        self.row = Row(op)
        self.verbose = verbose
        self.their_kernels = peer.kernels(op)
        ours = {a for a in self.signature.attrs}
        self.unknown_attrs = frozenset(ours - peer.attrs[op])

    def run(self, start: int, wanted: int) -> Row:
        """Compares `wanted` draws, of the seeds from `start` on."""
        self._kernels()
        end = start + (1 if self.verbose else _TRIES * wanted)
        while self.row.compared < wanted and start < end:
            batch = range(start, start + min(_BATCH, wanted - self.row.compared))
            start = batch.stop
            cases = [c for s in batch if (c := self._draw(s))]
            if not cases and self.row.note:
                return self.row
            self._compare_batch(cases)
        return self.row

    # Kernels. ------------------------------------------------------------------------------------------------

    def _kernels(self) -> None:
        """Compares the dtypes of CPU kernels, one type attr at a time."""
        for attr, data in self.signature.attrs.items():
            if data.type != "type":
                continue
            allowed = set(self.signature.allowed_types(attr))
            mine = _types(self.signature.kernels, attr, allowed)
            its = _types(self.their_kernels, attr, allowed)
            if its - mine:
                names = ", ".join(sorted(map(sig.type_name, its - mine)))
                self._differ("kernels", f"no CPU kernel for {attr} in {names}", 0)

    def _draw(self, seed: int) -> Case | None:
        try:
            case = hints.draw(self.signature, seed)
        except Unsuitable as reason:
            self.row.note = str(reason)
            return None
        if seed % _SPOILT == 0:
            case, words = malformed.spoil(self.signature, case, seed)
            case.words = words  # type: ignore[attr-defined]
        return case

    def _has_kernels(self, case: Case) -> bool:
        """Have both libraries a kernel for the types of the call?"""
        types = {
            n: v
            for n, v in case.attrs.items()
            if self.signature.attrs[n].type == "type"
        }
        fits = lambda kernels: any(  # noqa: E731
            all(types.get(a) in ok for a, ok in k.items() if a in types)
            for k in kernels
        )
        return fits(self.signature.kernels) and fits(self.their_kernels)

    # Calls. --------------------------------------------------------------------------------------------------

    def _compare_batch(self, cases: list[Case]) -> None:
        cases = [c for c in cases if self._has_kernels(c)]
        mine, its = [], []
        for case in cases:
            knowledge = (graphs.UNKNOWN, graphs.KNOWN)[case.seed // 2 % 2]
            for graphs_of, without in ((mine, frozenset()), (its, self.unknown_attrs)):
                graphs_of.append(
                    graphs.build(
                        self.signature,
                        [case],
                        knowledge,
                        gradients=case.seed % 3 == 0,
                        without_attrs=without,
                    )
                )
        if not cases:
            return
        ours, theirs = self.lane.both(mine, its)
        for case, a, b in zip(cases, ours, theirs):
            self._compare(case, a, b)

    def _compare(self, case: Case, a: dict, b: dict) -> None:
        self.row.compared += 1
        if self.verbose:
            _show(case, a, b)
        kind, text = self._difference(case, a, b)
        if text and self._agree_after_all(case, kind, a, b):
            self.row.seconded += 1
            text = ""
        if text:
            words = getattr(case, "words", "")
            self._differ(
                kind, f"{text}{'  <- ' + words if words else ''}", case.seed, case
            )

    def _difference(self, case: Case, a: dict, b: dict) -> tuple[str, str]:
        if "died" in a:
            return "died", f"we died: {a['died']}"
        if "died" in b:
            return "peer died", f"TensorFlow died: {b['died']}"
        ours, theirs = _error(a), _error(b)
        text = compare.errors(ours, theirs)
        if text:
            return ("error class" if ours and theirs else "refusal"), text
        if ours is not None:
            self.row.refused += 1
            return "", ""
        run, other = a["runs"][0], b["runs"][0]
        self.row.computed += 1
        text = compare.values(run["values"], other["values"])
        if text:
            return "value", text
        text = compare.static_shapes(a["static"], b["static"], run["values"])
        if text:
            return "shape function", text
        text = compare.errors(run.get("grad_error"), other.get("grad_error"))
        if text:
            return "gradient error", text
        if "grads" in run:
            self.row.gradients += 1
            text = compare.values(
                run["grads"], other["grads"], "gradient by", _GRADIENT_SLACK
            )
            if text:
                return "gradient", text
        return "", ""

    def _agree_after_all(self, case: Case, kind: str, a: dict, b: dict) -> bool:
        """A second look: at rounding with a wider dtype, at refusals with the shapes known."""
        if kind in ("value", "gradient"):
            key = "values" if kind == "value" else "grads"
            wide = _widened(self.signature, case)
            if wide is None or not self._has_kernels(wide):
                return False
            graph = graphs.build(self.signature, [wide], gradients=kind == "gradient")
            answer = self.lane.ours_alone(graph)
            if "runs" not in answer or key not in answer["runs"][0]:
                return False
            one, two = a["runs"][0][key], b["runs"][0][key]
            slack = 1.0 if kind == "value" else _GRADIENT_SLACK
            return compare.nearer(one, two, answer["runs"][0][key], slack)
        if kind == "refusal" and _error(a) is not None:
            # We ask the shape function in each run, TensorFlow only where a node is added.
            graph = graphs.build(
                self.signature, [case], graphs.KNOWN, without_attrs=self.unknown_attrs
            )
            _, (answer,) = self.lane.both([], [graph])
            return "died" in answer or _error(answer) is not None
        return False

    def _differ(
        self, kind: str, text: str, seed: int, case: Case | None = None
    ) -> None:
        difference = Difference(kind, text, seed)
        attrs = case.attrs if case else {}
        reason = explained.reason(self.row.op, kind, text, attrs)
        if reason:
            self.row.explained += 1
            self.row.reasons[reason] += 1
            return
        self.row.differed += 1
        self.row.differences.append(difference)


def _types(kernels: list[dict], attr: str, allowed: set[int]) -> set[int]:
    out: set[int] = set()
    for kernel in kernels:
        out |= set(kernel[attr]) & allowed if attr in kernel else allowed
    return out


_WIDER = {
    sig.HALF: sig.FLOAT,
    sig.BFLOAT16: sig.FLOAT,
    sig.FLOAT: sig.DOUBLE,
    sig.COMPLEX64: sig.COMPLEX128,
}


def _widened(signature: Signature, case: Case) -> Case | None:
    """The call in the next wider dtypes; None where its types are fixed or integers."""
    wide = copy.deepcopy(case)
    changed = False
    for name, attr in signature.attrs.items():
        if attr.type == "type" and case.attrs[name] in _WIDER:
            wide.attrs[name] = _WIDER[case.attrs[name]]
            malformed.retype(signature, wide, name, wide.attrs[name])
            changed = True
    return wide if changed else None


def _error(answer: dict) -> Any:
    if "died" in answer:
        return "died", answer["died"]
    return answer.get("error") or answer["runs"][0].get("error")


def _show(case: Case, a: dict, b: dict) -> None:
    print("\n".join(report.describe(case)), getattr(case, "words", ""))
    for name, answer in (("ours", a), ("theirs", b)):
        print(f"-- {name}")
        if "runs" not in answer:
            print(answer)
            continue
        print("inferred", answer["static"])
        for key, found in answer["runs"][0].items():
            print(key, "" if "error" not in key else found)
            for item in found if "error" not in key else ():
                if item is None:
                    print("  none")
                    continue
                value = item[2] if item[0] == sig.STRING else None
                if value is None:
                    array = graphs.wire.decode(item, sig.numpy_type(item[0]))
                    value = str(array).replace("\n", " ")[:600]
                print(" ", sig.type_name(item[0]), list(item[1]), value)
