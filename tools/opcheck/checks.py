# SPDX-License-Identifier: Apache-2.0
"""What opcheck tries on one op; see check_op.

Everything runs in worker processes (processes.py), so that an op that kills its process is a finding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import gradient_registry

# The module that registers all gradients, used for that alone.
from tensorwright.python.ops import gradients as _gradients  # noqa: F401
from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    malformed,
    sameness,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import QUICK, Effort, Finding, Result  # noqa: F401
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.signature import Signature

# Address space that a call may take on top of what the process has.
_MEMORY = 3 << 30
# Errors that speak of a bug of ours, not of the input.
_OURS = ("InternalError", "UnknownError", "SystemError", "TypeError")


class Checker:
    """Checks ops in processes of its own, kept from op to op.  `close` ends them."""

    def __init__(self, effort: Effort = Effort(), loads: tuple[str, ...] = ()):
        self._effort = effort
        self._worker = Worker(loads=loads)
        self._limited = Worker(loads=loads, memory=_MEMORY, timeout=20)
        self._bandwidth: float | None = None

    def close(self) -> None:
        self._worker.close()
        self._limited.close()

    def check(self, name: str, seed: int = 0) -> Result:
        signature = Signature(name)
        result = Result(signature)
        # Each op has draws of its own, the same in every run.
        start = seed + sum(ord(c) * 7919 * (i + 1) for i, c in enumerate(name))
        self._valid(result, start)
        if result.valid:
            self._gradients(result, start)
            self._threads(result, start)
        self._malformed(result, start)
        if self._effort.speed and result.valid:
            self._speed(result, start)
        return result

    # Valid calls: shapes, and the same values however much was known. ----------------------------------------

    def _valid(self, result: Result, start: int) -> None:
        tries = 0
        while result.valid < self._effort.valid and tries < 3 * self._effort.valid:
            seed = start + tries
            tries += 1
            try:
                case = hints.draw(result.signature, seed)
            except Unsuitable as reason:
                result.unsuitable = str(reason)
                if tries == 20 and not (result.valid or result.refused):
                    return
                continue
            knowledge = (graphs.UNKNOWN, graphs.PARTIAL, graphs.KNOWN)
            if result.signature.name in allowed.SHAPES_KNOWN:
                knowledge = (graphs.KNOWN,)
            try:
                built = [graphs.build(result.signature, [case], k) for k in knowledge]
                answers = self._worker.ask("run", graphs=built)
            except Died as death:
                self._died(result, "valid", death, case)
                continue
            self._compare_knowledge(result, case, answers)

    def _compare_knowledge(self, result: Result, case: Case, answers: list) -> None:
        runs = [a.get("error") or a["runs"][0].get("error") for a in answers]
        for error in runs:
            if error is not None and error[0] in _OURS:
                self._find(result, "valid", f"{error[0]}: {_line(error[1])}", case)
                return
        if any(runs):
            result.refused += 1
            error = next(e for e in runs if e)
            text = f"{error[0]}: {_line(error[1])}"
            if len(result.refusals) < 3 and text not in result.refusals:
                result.refusals.append(text)
            if not all(runs):
                passed = "unknown" if runs[0] is None else "known"
                self._find(
                    result,
                    "shape",
                    f"accepted when its input shapes are {passed}, refused otherwise: {text}",
                    case,
                )
            return
        result.valid += 1
        first = answers[0]["runs"][0]["values"]
        for number, answer in enumerate(answers):
            values = answer["runs"][0]["values"]
            for i, (static, value) in enumerate(_own_outputs(answer, case)):
                result.shapes += 1
                if number == len(answers) - 1 and (static is None or None in static):
                    result.unknown_shapes += 1
                if not sameness.compatible(static, value[1]):
                    self._find(
                        result,
                        "shape",
                        f"output {i}: the shape function promised {static}, the kernel gave {list(value[1])}",
                        case,
                    )
            if allowed.repeats(result.signature, case) and not sameness.same(
                first, values
            ):
                self._find(result, "repeat", "the same call gave two results", case)

    # Gradients. ----------------------------------------------------------------------------------------------

    def _gradients(self, result: Result, start: int) -> None:
        name = result.signature.name
        location = gradient_registry.lookup_location(name)
        if location is None or location.function is None:
            result.no_gradient = (
                "none registered" if location is None else "not differentiable"
            )
            return
        when, why = allowed.NOT_A_DERIVATIVE.get(name, ("", ""))
        if when == "all":
            result.no_gradient = why
            return
        for i in range(self._effort.gradients):
            try:
                case = hints.draw(result.signature, start + i, draws.SMOOTH)
            except Unsuitable:
                continue
            graph = graphs.build(result.signature, [case], gradients=True)
            types = {t for _, t in case.flat() if t in sig.FLOATS or t in sig.COMPLEXES}
            if not graph["xs"] or types & {sig.HALF, sig.BFLOAT16}:
                continue
            if when == "complex" and types & set(sig.COMPLEXES):
                continue
            outputs = [f for f in graph["fetches"] if f.startswith("op:")]
            graph["fetches"] = outputs[: allowed.DIFFERENTIABLE_OUTPUTS.get(name)]
            double = not types & {sig.FLOAT, sig.COMPLEX64}
            try:
                answer = self._worker.ask(
                    "derivative", graph=graph, step=1e-6 if double else 1e-3
                )
            except Died as death:
                self._died(result, "gradient", death, case)
                continue
            if "error" in answer:
                if self._refused(result, case):
                    continue
                text = f"{answer['error'][0]}: {_line(answer['error'][1])}"
                self._find(result, "gradient", text, case)
                continue
            self._compare_gradients(result, case, graph, answer, double)
        if not result.gradients:
            result.no_gradient = "no draw with floats"

    def _refused(self, result: Result, case: Case) -> bool:
        """Whether the op itself, without its gradient, does not take the draw."""
        try:
            graph = graphs.build(result.signature, [case])
            answer = self._worker.ask("run", graphs=[graph])[0]
        except Died:
            return False
        error = answer.get("error") or answer["runs"][0].get("error")
        return error is not None and error[0] not in _OURS

    def _compare_gradients(self, result, case, graph, answer, double) -> None:
        tolerance = 1e-5 if double else 2e-2
        for x, analytic, numeric, scale, is_none in answer["pairs"]:
            result.gradients += 1
            if is_none and graph["xs"][x] in allowed.NO_PATH.get(case.op, ""):
                continue
            if abs(analytic - numeric) <= tolerance * (scale + 1e-2):
                continue
            if not np.isfinite(numeric) or not np.isfinite(analytic):
                if not np.isfinite(numeric):
                    continue
            says = "no gradient" if is_none else f"the gradient says {analytic:.6g}"
            self._find(
                result,
                "gradient",
                f"by {graph['xs'][x]}: {says}, finite differences say {numeric:.6g}",
                case,
            )

    # Thread counts. ------------------------------------------------------------------------------------------

    def _threads(self, result: Result, start: int) -> None:
        for i in range(self._effort.threads):
            try:
                case = hints.draw(result.signature, start + i, draws.BIG)
                built = [
                    graphs.build(result.signature, [case], threads=n) for n in (1, 2)
                ]
                answers = self._worker.ask("run", graphs=built)
            except Unsuitable:
                continue
            except Died as death:
                self._died(result, "threads", death, case)
                continue
            errors = [a.get("error") or a["runs"][0].get("error") for a in answers]
            ours = [e for e in errors if e is not None and e[0] in _OURS]
            if ours:
                text = f"{ours[0][0]}: {_line(ours[0][1])}"
                self._find(result, "threads", text, case)
            if any(errors):
                continue
            result.threads += 1
            one, two = (a["runs"][0]["values"] for a in answers)
            if allowed.repeats(result.signature, case) and not sameness.same(one, two):
                self._find(
                    result,
                    "threads",
                    f"one thread and two differ by up to {sameness.difference(one, two):.3g}",
                    case,
                )

    # Malformed calls. ----------------------------------------------------------------------------------------

    def _malformed(self, result: Result, start: int) -> None:
        knowledge = (graphs.UNKNOWN, graphs.KNOWN, graphs.UNKNOWN, graphs.PARTIAL)
        for i in range(self._effort.malformed):
            try:
                base = hints.draw(result.signature, start + i % 50)
            except Unsuitable:
                continue
            case, words = malformed.spoil(result.signature, base, start + i)
            graph = graphs.build(
                result.signature, [case], knowledge[i % len(knowledge)]
            )
            result.malformed += 1
            try:
                answer = self._limited.ask("run", graphs=[graph])[0]
            except Died as death:
                self._died(result, "malformed", death, case, words)
                if sum(f.check == "malformed" for f in result.findings) >= 8:
                    return
                continue
            error = answer.get("error") or answer["runs"][0].get("error")
            if error is not None:
                result.malformed_refused += 1
                if error[0] in _OURS:
                    text = f"{words}: {error[0]}: {_line(error[1])}"
                    self._find(result, "malformed", text, case)
                continue
            for k, (static, value) in enumerate(_own_outputs(answer, case)):
                if case.op in allowed.SHAPE_UNCHECKED:
                    continue
                if not sameness.compatible(static, value[1]):
                    text = (
                        f"{words}: output {k}: promised {static}, got {list(value[1])}"
                    )
                    self._find(result, "shape", text, case)

    # Speed. --------------------------------------------------------------------------------------------------

    def _speed(self, result: Result, start: int) -> None:
        for i in range(10):
            try:
                case = hints.draw(result.signature, start + i, draws.HUGE)
            except Unsuitable:
                continue
            inputs = sum(a.nbytes for a, t in case.flat() if t != sig.STRING)
            if inputs < 8 << 20 or inputs > 1 << 28 or result.signature.variables():
                continue
            graph = graphs.build(result.signature, [case])
            try:
                answer = self._worker.ask("run", graphs=[graph])[0]
                if "error" in answer or "error" in answer["runs"][0]:
                    continue
                values = answer["runs"][0]["values"]
                outputs = sum(len(v[2]) for v in values if v[0] != sig.STRING)
                took = self._worker.ask("seconds", graph=graph, budget=0.5)
            except Died:
                continue
            if self._bandwidth is None:
                self._bandwidth = self._worker.ask("bandwidth")
            if "seconds" in took:
                result.speed = took["seconds"], inputs + outputs, self._bandwidth
            return

    # -----------------------------------------------------------------------------------------------------------

    def _find(self, result: Result, check: str, text: str, case: Case) -> None:
        same = [f for f in result.findings if f.check == check]
        if len(same) < 8 and not any(f.text == text for f in same):
            result.findings.append(Finding(check, text, case.seed, case))

    def _died(self, result, check: str, death: Died, case: Case, words="") -> None:
        text = f"{words + ': ' if words else ''}the process died: {death.how}"
        self._find(result, check, "\n".join([text, *_last_words(death.said)]), case)


def _last_words(said: str) -> list[str]:
    """Of what a process printed: what a person wants to know of its end, the interpreter's own lines left out."""
    lines = [line for line in said.splitlines() if line.strip()]
    for i, line in enumerate(lines):
        if line.startswith(("Fatal Python error", "Current thread", "Thread 0x")):
            lines = lines[:i]
            break
    return [f"    it said: {line[:300]}" for line in lines[-4:]]


def _own_outputs(answer: dict[str, Any], case: Case) -> list[Any]:
    """(promised shape, value) of the op's outputs; not of the variables it changes."""
    refs = Signature(case.op).variables()
    pairs = list(zip(answer["static"], answer["runs"][0]["values"]))
    return pairs[: len(pairs) - refs]


def _line(text: str) -> str:
    return text.split("\n")[0][:160]
