# SPDX-License-Identifier: Apache-2.0
"""The part of opcheck that differentiates: an op's registered gradient against finite differences.

Real and complex numbers each, in float64 where there is such a kernel, until each input that is a number has had a
derivative that a wrong gradient would have changed.  Then the gradient is computed once in every other dtype.  A gradient
function builds nodes from static shapes, so the input shapes are unknown in some of the graphs, known in others, and known
in part.
"""

from __future__ import annotations

import math
from typing import Any

from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    promises,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.finite_differences import Pair
from tensorwright.tools.opcheck.outcome import Effort, Result, first_line
from tensorwright.tools.opcheck.processes import Died, Worker

# Kind of number -> the dtypes to draw, the most exact first.
_KINDS = {
    "real": (sig.DOUBLE, sig.FLOAT),
    "complex": (sig.COMPLEX128, sig.COMPLEX64),
}
# The number of draws in search of a suitable one.
_TRIES = 40
# How much of the shapes the gradient function gets to know, in turn.
_KNOWLEDGE = (graphs.UNKNOWN, graphs.KNOWN, graphs.PARTIAL)
# After so many draws without any number of a kind, the op counts as having none.
_NONE = 6


class GradientCheck:
    """Differentiates one op; the results go into its Result."""

    def __init__(self, worker: Worker, effort: Effort, result: Result, start: int):
        self._worker, self._effort = worker, effort
        self._result, self._start = result, start
        self._name = result.signature.name
        # Exempted (kind of number, input) pairs, which need no derivative any more.
        self._settled: set[tuple[str, str]] = set()
        self._graphs = 0

    def run(self) -> None:
        if not promises.gradient(self._result.signature):
            self._result.no_gradient = promises.no_gradient(self._result.signature)
            return
        for kind in _KINDS:
            self._differentiate(kind)
        self._result.untold -= self._settled
        if not self._result.no_gradient:
            self._all_dtypes()

    # Against finite differences. -----------------------------------------------------------------------------

    def _differentiate(self, kind: str) -> None:
        done = without = 0
        for i in range(self._effort.gradients + _TRIES):
            if done >= self._effort.gradients and not self._open(kind):
                return
            if without == _NONE and not done:
                return
            case = self._draw(i, _KINDS[kind])
            if case is None:
                continue
            shapes, graph = self._graph(case)
            enums = {enum for *_, enum in graph["by"]}
            if not enums & set(_KINDS[kind]) or enums & {sig.HALF, sig.BFLOAT16}:
                without += 1
                continue
            self._graphs += 1
            pairs = self._pairs(case, shapes, self._without_exempt_outputs(graph))
            if pairs is None:
                if self._result.no_gradient:
                    return
                continue
            done += 1
            self._judge(kind, case, shapes, graph, pairs)
            self._try_exempt_outputs(graph)

    def _graph(self, case: Case) -> tuple[str, dict[str, Any]]:
        """How much of the shapes the next graph knows, and the graph."""
        shapes = _KNOWLEDGE[self._graphs % len(_KNOWLEDGE)]
        return shapes, graphs.derivative(self._result.signature, case, shapes)

    def _open(self, kind: str) -> bool:
        """Is there an input by which nothing telling was seen so far, or an exemption not yet needed?"""
        exempt = allowed.find(self._name, allowed.DERIVATIVE, kind)
        if exempt is not None:
            return exempt not in self._result.excused
        left = self._result.untold - self._result.told - self._settled
        return any(
            k == kind and allowed.find(self._name, allowed.FLAT, arg) is None
            for k, arg in left
        )

    def _draw(self, i: int, prefer: tuple[int, ...]) -> Case | None:
        try:
            return hints.draw(
                self._result.signature, self._start + i, draws.SMOOTH, prefer
            )
        except Unsuitable:
            return None

    def _pairs(
        self, case: Case, shapes: str, graph: dict[str, Any]
    ) -> list[Any] | None:
        """Returns the worker's findings; None if the call or its gradient failed, which is noted."""
        try:
            answer = self._worker.ask("derivative", graph=graph)
        except Died as death:
            self._result.died("gradient", death, case, shapes=shapes)
            return None
        if "error" not in answer:
            return answer["pairs"]
        name, text = answer["error"]
        for exemption in allowed.all_of(self._name, allowed.REFUSES):
            if exemption.of in text:
                self._result.excuse(exemption)
                self._result.no_gradient = exemption.why
                return None
        if self._op_refuses(case, shapes):
            self._result.gradients_refused += 1
        else:
            said = f"{name}: {first_line(text)}"
            words = f"when the input shapes are {_said(shapes)}: {said}"
            self._result.find("gradient", words, case, shapes=shapes, cause=said)
        return None

    def _op_refuses(self, case: Case, shapes: str) -> bool:
        """Whether the op itself, without its gradient, does not take the draw."""
        try:
            graph = graphs.build(self._result.signature, [case], shapes)
            answer = self._worker.ask("run", graphs=[graph])[0]
        except Died:
            return False
        return "error" in answer or "error" in answer["runs"][0]

    def _judge(
        self,
        kind: str,
        case: Case,
        shapes: str,
        graph: dict[str, Any],
        pairs: list,
    ) -> None:
        result = self._result
        for index, fields, problem in pairs:
            pair = Pair(*fields)
            x, _, arg, enum = graph["by"][index]
            if enum in _KINDS[kind]:
                result.untold.add((kind, arg))
                result.numbers.add(arg)
            if not pair.clear:
                result.unclear += 1
                continue
            result.gradients += 1
            if pair.verdict == "agree":
                if pair.telling:
                    result.told.add((kind, arg))
                continue
            if problem == "none":
                no_path = allowed.find(self._name, allowed.NO_PATH, arg)
                if result.excuse(no_path):
                    self._settled.add((kind, arg))
                    continue
            if result.excuse(allowed.find(self._name, allowed.DERIVATIVE, kind)):
                names = {a for *_, a, e in graph["by"] if e in _KINDS[kind]}
                self._settled.update((kind, a) for a in names)
                continue
            text = f"by {arg} ({x}): {_difference(pair, problem)}"
            result.find("gradient", text, case, shapes=shapes)

    def _without_exempt_outputs(self, graph: dict[str, Any]) -> dict[str, Any]:
        exempt = {f"op:{e.of}" for e in allowed.all_of(self._name, allowed.OUTPUT)}
        ys = [f for f in graph["fetches"] if f not in exempt]
        return {**graph, "fetches": ys}

    def _try_exempt_outputs(self, graph: dict[str, Any]) -> None:
        """An exempt output whose gradient is right needs no exemption."""
        for exemption in allowed.all_of(self._name, allowed.OUTPUT):
            if exemption in self._result.excused:
                continue
            alone = {**graph, "fetches": [f"op:{exemption.of}"]}
            try:
                answer = self._worker.ask("derivative", graph=alone)
            except Died:
                continue
            pairs = answer.get("pairs", [])
            if "error" in answer or any(p[0] == "differ" for _, p, _ in pairs):
                self._result.excuse(exemption)

    # In every dtype. -----------------------------------------------------------------------------------------

    def _all_dtypes(self) -> None:
        """Computes the gradient in each dtype of the inputs that are numbers."""
        signature = self._result.signature
        attrs = set()
        for name in self._result.numbers:
            arg = next((a for a in signature.inputs if a.name == name), None)
            if arg is None or arg.type == sig.RESOURCE:
                # A scenario's own, or a variable's: of the dtype that the op has.
                attrs.update(promises.type_attrs(signature))
            else:
                attrs.add(arg.type_attr or arg.type_list_attr)
        wanted = {
            enum
            for attr, enum in promises.dtypes(signature) & self._result.dtypes
            if attr in attrs and enum in (*sig.FLOATS, *sig.COMPLEXES)
        }
        self._result.number_dtypes |= wanted
        for enum in sorted(wanted):
            for i in range(_TRIES):
                if enum in self._result.gradient_dtypes:
                    break
                case = self._draw(i, (enum,))
                if case is None:
                    continue
                shapes, graph = self._graph(case)
                if any(t == enum for *_, t in graph["by"]):
                    self._graphs += 1
                    whole = self._without_exempt_outputs(graph)
                    self._compute(case, shapes, whole, enum)

    def _compute(
        self, case: Case, shapes: str, graph: dict[str, Any], enum: int
    ) -> None:
        try:
            answer = self._worker.ask("gradients", graph=graph)
        except Died as death:
            self._result.died("gradient", death, case, shapes=shapes)
            return
        if "error" in answer:
            if not self._op_refuses(case, shapes):
                name, text = answer["error"]
                what = sig.type_name(enum)
                exempt = allowed.find(self._name, allowed.GRADIENT_DTYPE, what)
                if self._result.excuse(exempt):
                    self._result.gradient_dtypes.add(enum)
                    return
                said = f"{name}: {first_line(text)}"
                words = f"in {what}, when the input shapes are {_said(shapes)}: {said}"
                self._result.find("gradient", words, case, shapes=shapes, cause=said)
                self._result.gradient_dtypes.add(enum)
            return
        self._result.gradient_dtypes.add(enum)
        for index, problem in answer["problems"]:
            arg = graph["by"][index][2]
            words = f"in {sig.type_name(enum)}, by {arg}: the gradient is {problem}"
            self._result.find("gradient", words, case, shapes=shapes)


def _said(shapes: str) -> str:
    return "known in part" if shapes == graphs.PARTIAL else shapes


def _difference(pair: Pair, problem: str) -> str:
    """The two derivatives in words; those that are no numbers are left out."""
    said = f"the gradient says {pair.analytic:.6g}"
    if problem:
        said = f"the gradient is {problem}"
    elif not math.isfinite(pair.analytic):
        said = "the gradient is not finite"
    if math.isfinite(pair.numeric):
        said += f", finite differences {pair.numeric:.6g}"
        if math.isfinite(pair.tolerance):
            said += f" +- {pair.tolerance:.1g}"
    return said
