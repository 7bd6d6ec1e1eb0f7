# SPDX-License-Identifier: Apache-2.0
"""Comparison: the draws of one op, computed by both libraries, and the results."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tensorwright.python.framework import gradient_registry

# The module that registers all gradients, used for that alone.
from tensorwright.python.ops import gradients as _gradients  # noqa: F401
from tensorwright.tools.difftest import (
    chosen,
    compare,
    difference as diff,
    explained,
    referee,
    special,
    table,
    unreached,
)
from tensorwright.tools.difftest.difference import Difference
from tensorwright.tools.difftest.process_pair import ProcessPair
from tensorwright.tools.difftest.referee import SecondLook
from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    malformed,
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
# Ops whose values may be further apart.  Seconds since 1970: on a busy machine the two read the clock a minute apart, and
# the tolerance of a double is 0.2 of them.
_SLACK = {"Timestamp": 500.0}
# Draws for each that is wanted, at most: those of types that one of the two has no kernel for are not compared.
_TRIES = 16
# Calls that are not drawn, for the ops that have such.
_SPECIAL = 3
# Draws for an op that nothing was computed of, or no gradient compared.
_MORE = 40
# TensorFlow would take too long to make a node with a list of so many inputs or outputs.
_LONGEST_LIST = 1 << 20
# TensorFlow lacks a kernel: of a node around the op, such as the assignment or the read of a variable, or of an op
# that lost an attr which the kernel asks for.
_NO_KERNEL = re.compile(
    r"InvalidArgumentError: No OpKernel was registered to support Op '\w+' used by "
    r"\{\{node (?!op\}|gradients/)"
    r"|InvalidArgumentError: OpKernel '\w+' has constraint on attr '\w+' not in NodeDef"
    r"|InternalError: Unsupported dtype: qu?int\d+\s+\[\[\{\{node after_"
)
# Ops of whose outputs only the first few are differentiated: those after them are gradients themselves.
_DIFFERENTIATED_OUTPUTS = {"SparseSoftmaxCrossEntropyWithLogits": 1}


@dataclasses.dataclass
class Row:
    """The results of one op.

    A draw counts once: a difference that is not explained outweighs everything that agrees.
    """

    op: str
    draws: int = 0
    computed: int = 0  # By both.
    gradients: int = 0  # Compared: arrays, which both have.
    no_paths: int = 0  # Neither has a gradient for anything.
    refused: int = 0  # By both, with the same class of error.
    refused_otherwise: int = 0  # By both, with different classes.
    gradients_refused: int = 0  # By both.
    explained: int = 0
    seconded: int = 0  # Agreed at a second look.
    disagreed: int = 0
    differentiable: bool = False  # A gradient is registered here.
    note: str = ""
    disagreements: list[Difference] = dataclasses.field(default_factory=list)
    second_looks: list[SecondLook] = dataclasses.field(default_factory=list)
    reasons: collections.Counter = dataclasses.field(
        default_factory=collections.Counter
    )
    # The places in explained.TABLE of the explanations that were needed.
    explanations: set[int] = dataclasses.field(default_factory=set)


class Comparison:
    """One op's draws."""

    def __init__(self, op: str, lane: ProcessPair, verbose: bool = False):
        self.signature, self.lane = Signature(op), lane
        self.row = Row(op)
        location = gradient_registry.lookup_location(op)
        self.row.differentiable = location is not None and location.function is not None
        self.verbose = verbose
        its_name = special.RENAMED.get(op, op)
        attrs = lane.peer_attrs(its_name)
        self.known = attrs is not None
        self.unknown_attrs = frozenset(set(self.signature.attrs) - (attrs or set()))
        self.their_kernels = lane.peer_kernels(its_name) if self.known else []

    def run(self, starts: Iterable[int], wanted: int) -> Row:
        """Compares `wanted` draws from each of the starting seeds on, and more while nothing was to be seen."""
        if not self.known:
            self.row.note = "TensorFlow 2.21 has no such op"
            return self.row
        self._kernels()
        starts = list(starts)
        for start in starts:
            self._run_from(start, wanted)
            for seed in range(start, start + _SPECIAL):
                self._compare_special(seed)
        self._compare_batch(chosen.calls(self.row.op))
        self._complete(starts[0])
        return self.row

    def run_one(self, seed: int) -> Row:
        """Makes one draw, and prints its results here and there."""
        for size in (draws.SMALL, draws.SMOOTH):
            for case in self._draw([seed], size):
                self._compare_batch([case], gradients=size == draws.SMOOTH)
        self._compare_special(seed)
        return self.row

    def _run_from(self, start: int, wanted: int) -> None:
        end, goal = start + _TRIES * wanted, self.row.draws + wanted
        while self.row.draws < goal and start < end:
            batch = range(start, start + min(_BATCH, goal - self.row.draws))
            start = batch.stop
            cases = list(self._draw(batch))
            if not cases and self.row.note:
                return
            self._compare_batch(cases)

    def _complete(self, start: int) -> None:
        """Draws again until both have computed a call and a gradient, which random draws may miss."""
        if unreached.COMPUTED in unreached.failing(self.row):
            self._compare_batch(
                [c for c in self._draw(range(start, start + _MORE)) if not _words(c)]
            )
        # Smooth draws have dtypes for finite differences, for which not each op has a kernel.
        for size in (draws.SMOOTH, draws.SMALL):
            for case in self._draw(range(start, start + _MORE), size):
                if unreached.GRADIENT not in unreached.failing(self.row):
                    return
                if not _words(case):
                    self._compare_batch([case], gradients=True)

    # Kernels. ------------------------------------------------------------------------------------------------

    def _kernels(self) -> None:
        """Compares the dtypes of CPU kernels, one type attr at a time."""
        for attr, data in self.signature.attrs.items():
            if data.type != "type":
                continue
            allowed = set(self.signature.allowed_types(attr))
            mine = _types(self.signature.kernels, attr, allowed)
            its = _types(self.their_kernels, attr, allowed)
            for enum in sorted(its - mine):
                text = f"no CPU kernel for {attr} in {sig.type_name(enum)}"
                d = Difference(self.row.op, diff.KERNELS, text, enum=enum)
                if not self._explained(d):
                    self.row.disagreed += 1
                    self.row.disagreements.append(d)

    def _draw(self, seeds: Iterable[int], size: str = draws.SMALL) -> Iterator[Case]:
        types = {output.type for output in self.signature.outputs}
        if types == {sig.VARIANT}:
            self.row.note = "what is in a variant cannot be fetched"
            return
        for seed in seeds:
            try:
                case = hints.draw(self.signature, seed, size)
            except Unsuitable as reason:
                self.row.note = str(reason)
                continue
            if seed % _SPOILT == 0:
                case, words = malformed.spoil(self.signature, case, seed)
                case.words = words  # type: ignore[attr-defined]
            args = (*self.signature.inputs, *self.signature.outputs)
            lists = [a.number_attr for a in args if a.number_attr]
            too_long = any(case.attrs[name] >= _LONGEST_LIST for name in lists)
            if not (too_long or special.deadly(case) or special.pointless(case)):
                yield case

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

    def _compare_batch(self, cases: list[Case], gradients: bool = False) -> None:
        cases = [c for c in cases if self._has_kernels(c)]
        if not cases:
            return
        mine, its = [], []
        for case in cases:
            wanted = gradients or case.seed % 3 == 0
            wanted &= case.op not in special.VALUES_ONLY
            wanted &= case.op not in special.RENAMED
            mine.append(self._graph(case, wanted, frozenset()))
            theirs = self._graph(case, wanted, self.unknown_attrs)
            its.append(special.stand_in(case, theirs))
        ours, theirs = self.lane.both(mine, its)
        for case, a, b, graph in zip(cases, ours, theirs, its):
            if "died" in b and not (_words(case) and _error(a)):
                # An earlier call, made wrong, may have spoilt the process that this one died in.
                b = self.lane.peer_anew(graph)
            if _NO_KERNEL.match(_said(_error(b))):
                continue
            self.row.draws += 1
            if self.verbose:
                table.show(case, a, b)
            self._judge(self._differences(case, a, b), graph)

    def _graph(self, case: Case, gradients: bool, without: frozenset[str]) -> Any:
        knowledge = (graphs.UNKNOWN, graphs.KNOWN)[case.seed // 2 % 2]
        graph = graphs.build(
            self.signature, [case], knowledge, gradients, without_attrs=without
        )
        if gradients:
            graph["fetches"] = graph["fetches"][: _DIFFERENTIATED_OUTPUTS.get(case.op)]
            graph = special.invariant(case, graph)
        return graph

    def _compare_special(self, seed: int) -> None:
        """Calls that are not drawn."""
        for mine, its in special.requests(self.row.op, seed):
            (a,), (b,) = self.lane.both([mine], [its])
            self.row.draws += 1
            what = mine.get("program", "array")
            if self.verbose:
                print(what, a, b)
            found = list(self._differences(Case(self.row.op, seed, {}, [], []), a, b))
            used = [x.get("ops", [self.row.op]) for x in (a, b)]
            used = [] if what.startswith("data_") else used
            if not found and not all(self.row.op in u for u in used):
                text = f"the program has no {self.row.op}"
                found.append(Difference(self.row.op, diff.VALUE, text, seed))
            for d in found:
                d.words = f"of {what}"
            self._judge(found, its)

    # Differences. --------------------------------------------------------------------------------------------

    def _differences(self, case: Case, a: dict, b: dict) -> Iterator[Difference]:
        """Yields all differences between the answers; counts the comparisons."""

        def differs(kind: str, text: str, **what: Any) -> Difference:
            return Difference(
                self.row.op, kind, text, case.seed, case, _words(case), **what
            )

        ours, theirs = _error(a), _error(b)
        said = {"ours": _said(ours), "theirs": _said(theirs)}
        if "died" in a:
            yield differs(diff.DIED, f"we died: {a['died']}", **said)
            return
        if "died" in b:
            text = f"TensorFlow died: {b['died']}"
            yield differs(diff.PEER_DIED, text, **said)
            return
        text = compare.errors(ours, theirs)
        if ours and theirs:
            self.row.refused += not text
            self.row.refused_otherwise += bool(text)
        if text:
            kind = diff.ERROR_CLASS if ours and theirs else diff.REFUSAL
            yield differs(kind, text, **said)
        if ours or theirs:
            return
        self.row.computed += 1
        run, other = a["runs"][0], b["runs"][0]
        one, two = run["values"], other["values"]
        outputs = [compare.array(v) for v in one], [compare.array(v) for v in two]
        repeats = allowed.repeats(self.signature, case)
        repeats = repeats and not special.drawn_anew(case)
        slack = _SLACK.get(case.op, 1.0)
        for gap in compare.values(one, two, slack=slack):
            if gap.arrays.far is not None and not repeats:
                continue
            yield differs(diff.VALUE, gap.text, **_of(gap), outputs=outputs)
        shapes = zip(a["static"], b["static"])
        for i, (mine, its) in enumerate(shapes):
            if case.op in special.VALUES_ONLY:
                break
            if not compare.promises(mine, its):
                actual = list(one[i][1])
                text = f"output {i}: we infer {mine}, TensorFlow {its}, it is {actual}"
                yield differs(
                    diff.SHAPE, text, output=i, ours=mine, theirs=its, actual=actual
                )
        yield from self._gradients(run, other, outputs, differs)

    def _gradients(self, run: dict, other: dict, outputs: Any, differs: Any) -> Any:
        ours, theirs = run.get("grad_error"), other.get("grad_error")
        text = compare.errors(ours, theirs)
        if text:
            said = {"ours": _said(ours), "theirs": _said(theirs)}
            yield differs(diff.GRADIENT_ERROR, text, **said)
        if ours or theirs:
            self.row.gradients_refused += bool(ours and theirs)
            return
        if "grads" not in run:
            return
        one, two = run["grads"], other["grads"]
        if _upstreams_differ(*outputs):
            return
        both = [a for a, b in zip(one, two) if a is not None and b is not None]
        self.row.gradients += any(0 not in a[1] for a in both)
        self.row.no_paths += bool(one) and all(g is None for g in (*one, *two))
        for gap in compare.values(one, two, "gradient by", _GRADIENT_SLACK):
            yield differs(diff.GRADIENT, gap.text, **_of(gap), outputs=outputs)

    # Judgements. ---------------------------------------------------------------------------------------------

    def _judge(self, found: Iterable[Difference], graph: dict[str, Any]) -> None:
        """Counts a draw by the worst that was found of it."""
        explained_, seconded, bad = 0, 0, []
        for d in found:
            if self._explained(d):
                explained_ += 1
            elif self._agrees_after_all(d, graph):
                seconded += 1
            else:
                bad.append(d)
        self.row.disagreements += bad
        if bad:
            self.row.disagreed += 1
        elif explained_:
            self.row.explained += 1
        elif seconded:
            self.row.seconded += 1

    def _explained(self, d: Difference) -> bool:
        places = explained.explanations(d)
        if places:
            why = "; and ".join(explained.TABLE[i].why for i in places)
            self.row.reasons.update([why])
            self.row.explanations |= {*places}
        return bool(places)

    def _agrees_after_all(self, d: Difference, graph: dict[str, Any]) -> bool:
        """A second look: at rounding with a referee, at refusals with the shapes known."""
        look = None
        if d.kind in diff.OF_ARRAYS and "program" not in graph:
            slack = 1.0 if d.kind == diff.VALUE else _GRADIENT_SLACK
            look = referee.look(self.lane, self.signature, d, graph, slack)
        elif d.kind in (diff.REFUSAL, diff.ERROR_CLASS) and d.ours and d.case.inputs:
            # We ask the shape function in each run, TensorFlow only where a node is added.
            known = graphs.build(
                self.signature, [d.case], graphs.KNOWN, without_attrs=self.unknown_attrs
            )
            answer = self.lane.peer_alone(known)
            error = None if "died" in answer else _error(answer)
            if error and d.ours.startswith(f"{error[0]}: "):
                who = "TensorFlow refuses it too, with the shapes known"
                look = SecondLook(d.op, d.seed, d.kind, who, -1, -1, True)
        if look is None or not look.accepted:
            if look is not None:
                d.text += f"; {look}"
            return False
        self.row.second_looks.append(look)
        return True


def _upstreams_differ(ours: list[Any], theirs: list[Any]) -> bool:
    """Was upstream of gradients something else?  It is 0 where an output is infinite or no number."""
    return any(
        a is not None
        and b is not None
        and a.dtype.kind in "fc"
        and a.shape == b.shape
        and (np.isfinite(a) != np.isfinite(b)).any()
        for a, b in zip(ours, theirs)
    )


def _of(gap: compare.Gap) -> dict[str, Any]:
    return {"output": gap.index, "enum": gap.enum, "arrays": gap.arrays}


def _words(case: Case) -> str:
    return getattr(case, "words", "")


def _types(kernels: list[dict], attr: str, allowed: set[int]) -> set[int]:
    out: set[int] = set()
    for kernel in kernels:
        out |= set(kernel[attr]) & allowed if attr in kernel else allowed
    return out


def _error(answer: dict) -> Any:
    if "died" in answer:
        return "Died", answer["died"]
    return answer.get("error") or answer["runs"][0].get("error")


def _said(error: Any) -> str:
    return f"{error[0]}: {error[1]}" if error else ""
