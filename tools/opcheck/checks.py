# SPDX-License-Identifier: Apache-2.0
"""The checks of opcheck on one op; see check_op.

Everything runs in worker processes (processes.py), so that an op that kills its process is a finding.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from tensorwright.tools.opcheck import (
    allowed,
    bounds_check,
    graphs,
    handles,
    hints,
    kept_calls,
    kept_refusals,
    kept_shapes,
    malformed,
    promises,
    sameness,
    sanitize_check,
    signature as sig,
    speed,
    touches_check,
)
from tensorwright.tools.opcheck.bounds_check import BoundsCheck
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.gradient_check import GradientCheck
from tensorwright.tools.opcheck.leak_check import LeakCheck
from tensorwright.tools.opcheck.nan_check import NanCheck
from tensorwright.tools.opcheck.outcome import (  # noqa: F401
    OURS,
    QUICK,
    Effort,
    Finding,
    Result,
    Stuck,
    first_line,
)
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.sanitize_check import SanitizeCheck
from tensorwright.tools.opcheck.sanitizers import Sanitized
from tensorwright.tools.opcheck.sequence_check import SequenceCheck
from tensorwright.tools.opcheck.signature import Signature
from tensorwright.tools.opcheck.threads_check import ThreadsCheck
from tensorwright.tools.opcheck.touches_check import TouchesCheck

# The address space that a call may take on top of the process's own.
_MEMORY = 3 << 30
# Seconds that a call made wrong may take, where its kernel can be ended.
_MALFORMED_SECONDS = 8
# How much of the shapes is known, from nothing to all.
_KNOWLEDGE = (graphs.UNKNOWN, graphs.PARTIAL, graphs.KNOWN)
# Draws in search of one that a promise needs.
_TRIES = 20
# The same for a dtype, of which there are many.
_DTYPE_TRIES = 8
# After so many valid calls that ended their process no other is made, since each takes a new one.
_DEATHS = 8


class Checker:
    """Checks ops in processes of its own, kept from op to op.  `close` ends them."""

    def __init__(
        self,
        effort: Effort = Effort(),
        loads: tuple[str, ...] = (),
        own: frozenset[str] = frozenset(),
        sanitized: Sequence[Sanitized] = (),
    ):
        """`loads`: op libraries and Python files for the processes; `own`: the ops that these add; `sanitized`: their
        libraries once more, built with sanitizers."""
        self._effort, self._own = effort, own
        limit = effort.timeout
        self._worker = Worker(loads=loads, timeout=limit or 30)
        self._limited = Worker(loads=loads, memory=_MEMORY, timeout=limit or 20)
        self._guarded = bounds_check.workers(loads, limit or 20)
        self._sealed = touches_check.worker(loads, limit or 30)
        python = tuple(file for file in loads if file.endswith(".py"))
        self._sanitized = sanitize_check.workers(sanitized, python, limit or 30)
        self._bandwidth: float | None = None
        self._kept, self._kept_calls = kept_refusals.read(), kept_calls.read()
        self._kept_shapes = kept_shapes.read()

    def close(self) -> None:
        self._worker.close()
        self._limited.close()
        self._sealed.close()
        for worker in self._guarded.values():
            worker.close()
        for _, worker in self._sanitized:
            worker.close()

    def check(self, name: str, seed: int = 0) -> Result:
        result = Result(Signature(name), own=name in self._own)
        start = seed + _first_draw(name)
        try:
            self._valid(result, start)
            if result.valid:
                if handles.maker_of(result.signature) is None:
                    GradientCheck(self._worker, self._effort, result, start).run()
                    NanCheck(self._worker, result, start).run(self._effort.nan_dtypes)
                else:
                    self._without_values(result)
                    several = [self._worker, *self._guarded.values()]
                    SequenceCheck(several, self._effort, result, start).run()
                ThreadsCheck(self._worker, self._effort, result, start).run()
                TouchesCheck(self._sealed, self._effort.touches, result, start).run()
                if result.own:
                    LeakCheck(self._worker, result, start).run()
                    BoundsCheck(self._guarded, result, start).run()
            self._malformed(result, start)
            if result.own:
                for sanitized, worker in self._sanitized:
                    result.sanitizers += sanitized.kinds
                    SanitizeCheck(sanitized, worker, self._effort, result, start).run()
        except Stuck:
            return result
        if seed == 0 and name in self._kept:
            kept_refusals.check(result, self._kept[name], self._limited, start)
        if seed == 0 and name in self._kept_calls:
            kept_calls.check(result, self._kept_calls[name], self._worker, start)
        if seed == 0:
            self._said(result)
        for text in promises.unkept(result):
            result.find("promise", text)
        for exemption in allowed.all_of(name):
            # A few other draws may do without it.
            needed = exemption.rare or seed != 0 or exemption in result.excused
            if exemption.check == allowed.UNDEFINED:
                needed |= "undefined" not in result.sanitizers
            if not needed:
                file = exemption.place if result.own else "allowed.py"
                words = f"{file} exempts it from {exemption}, which is not needed"
                result.find("promise", words)
        if self._effort.speed and result.valid:
            self._time(result, start)
        return result

    def _without_values(self, result: Result) -> None:
        """Says why calls with the handle of a library's own are not differentiated, nor given a NaN."""
        why = "the resource of its handle is another one in each run"
        result.no_gradient = result.why["nan"] = why

    def _time(self, result: Result, start: int) -> None:
        if self._bandwidth is None:
            self._bandwidth = self._worker.ask("bandwidth")
        speed.measure(self._worker, result, start, self._bandwidth)

    def check_alone(self, name: str, which: str) -> Result:
        """Runs one check of those of `check`: "gradient", "nan", "threads", "touches", "dtypes", "shapes" or "kept";
        the others' results stay unknown."""
        result, start = Result(Signature(name)), _first_draw(name)
        with contextlib.suppress(Stuck):
            self._check_one(result, name, start, which)
        return result

    def _check_one(self, result: Result, name: str, start: int, which: str) -> None:
        if which == "gradient":
            GradientCheck(self._worker, self._effort, result, start).run()
        elif which == "nan":
            NanCheck(self._worker, result, start).run(self._effort.nan_dtypes)
        elif which == "threads":
            ThreadsCheck(self._worker, self._effort, result, start).run()
        elif which == "touches":
            TouchesCheck(self._sealed, self._effort.touches, result, start).run()
        elif which == "shapes":
            self._said(result)
        elif which == "dtypes":
            kept_calls.check(
                result, self._kept_calls.get(name, []), self._worker, start
            )
        elif name in self._kept:
            kept_refusals.check_refusals(result, self._kept[name], self._limited, start)

    def keep(self, name: str) -> kept_refusals.Kept:
        """Returns the line of kept_refusals.txt for the op as it is now."""
        result = Result(Signature(name))
        self._valid(result, _first_draw(name))
        return kept_refusals.learn(result, self._limited, _first_draw(name))

    def keep_calls(self, name: str) -> list[str]:
        """Returns the dtypes in which the op computes the same as in the widest."""
        return kept_calls.learn(Signature(name), self._worker, _first_draw(name))

    def keep_shapes(self, name: str) -> dict[int, str]:
        """Returns the results of its shape function, if calls tell little of it."""
        return kept_shapes.learn(Signature(name), self._worker)

    def _said(self, result: Result) -> None:
        line = self._kept_shapes.get(result.signature.name, {})
        kept_shapes.check(result, line, self._worker)

    # Valid calls: shapes, and the same values however much was known. ----------------------------------------

    def _valid(self, result: Result, start: int) -> None:
        if {output.type for output in result.signature.outputs} == {sig.VARIANT}:
            result.unsuitable = "what is in a variant cannot be fetched"
            return
        self._valid_in_each_dtype(result, start)
        tries = 0
        while result.valid < self._effort.valid and tries < 3 * self._effort.valid:
            if tries == _TRIES and not (result.valid or result.refused):
                return
            self._call(result, start + tries, {})
            tries += 1
            if sum(f.check == "valid" for f in result.findings) >= _DEATHS:
                return

    def _valid_in_each_dtype(self, result: Result, start: int) -> None:
        """Calls of each dtype, of several type attrs at a time where a kernel takes them."""
        signature = result.signature
        hopeless: set[tuple[str, int]] = set()
        tries, jointly = 0, True
        while wanted := promises.dtypes(signature) - result.dtypes - hopeless:
            types = promises.together(signature, wanted)
            if not jointly:
                types = dict([min(types.items())])
            for _ in range(_DTYPE_TRIES):
                self._call(result, start + tries, types)
                tries += 1
                if not result.dtypes.isdisjoint(types.items()):
                    break
            else:
                # The registration does not always say which values two attrs may have together.
                if len(types) == 1:
                    hopeless.update(types.items())
                jointly = False
            if not result.valid and tries > _TRIES:
                return

    def _call(self, result: Result, seed: int, types: dict[str, int]) -> None:
        """Makes one call, with its shapes known more and less."""
        fixed = {
            attr: enum if result.signature.attrs[attr].type == "type" else [enum]
            for attr, enum in types.items()
        }
        try:
            case = hints.draw(result.signature, seed, **fixed)
        except Unsuitable as reason:
            result.unsuitable = str(reason)
            return
        built = [graphs.build(result.signature, [case], k) for k in _KNOWLEDGE]
        try:
            answers = self._worker.ask("run", graphs=built)
        except Died as death:
            result.died("valid", death, case)
            return
        self._compare_knowledge(result, case, answers)

    def _compare_knowledge(self, result: Result, case: Case, answers: list) -> None:
        """Judges the answers to a call of which more and more was known, all at the end."""
        errors = [a.get("error") or a["runs"][0].get("error") for a in answers]
        for error, shapes in zip(errors, _KNOWLEDGE):
            if error is not None and error[0] in OURS:
                text = f"{error[0]}: {first_line(error[1])}"
                result.find("valid", text, case, shapes=shapes)
                return
        if any(errors):
            error = next(e for e in errors if e)
            text = f"{error[0]}: {first_line(error[1])}"
            only_known = errors[-1] is None
            if only_known and result.excuse(
                allowed.find(case.op, allowed.UNKNOWN_SHAPES)
            ):
                answers = [a for a, e in zip(answers, errors) if e is None]
            else:
                result.refused += 1
                if len(result.refusals) < 3 and text not in result.refusals:
                    result.refusals.append(text)
                if not all(errors):
                    passed = "unknown" if errors[0] is None else "known"
                    words = f"accepted when its input shapes are {passed}, refused otherwise: {text}"
                    result.find("shape", words, case)
                return
        result.valid += 1
        for attr in promises.type_attrs(result.signature):
            value = case.attrs[attr]
            enums = value if isinstance(value, list) else [value]
            result.dtypes.update((attr, enum) for enum in enums)
        for k, answer in enumerate(answers, len(_KNOWLEDGE) - len(answers)):
            self._compare_answer(result, case, answer, answers, _KNOWLEDGE[k])

    def _compare_answer(
        self,
        result: Result,
        case: Case,
        answer: dict[str, Any],
        answers: list,
        shapes: str,
    ) -> None:
        for i, (static, value) in enumerate(_own_outputs(answer, case)):
            if static is None:
                result.unpromised += 1
            else:
                result.shapes += 1
            if answer is answers[-1] and (static is None or None in static):
                result.unknown_shapes += 1
                result.unknown_ranks += static is None
            if not sameness.compatible(static, value[1]):
                words = f"the shape function promised {static}, the kernel gave {list(value[1])}"
                text = f"output {i}: {words}"
                result.find("shape", text, case, shapes=shapes)
        if not allowed.repeats(result.signature, case):
            return
        first = answers[0]["runs"][0]["values"]
        if not sameness.same(first, answer["runs"][0]["values"]):
            if not result.excuse(allowed.find(case.op, allowed.REPEAT)):
                text = "the same call gave two results"
                result.find("repeat", text, case, shapes=shapes)

    # Malformed calls. ----------------------------------------------------------------------------------------

    def _malformed(self, result: Result, start: int) -> None:
        knowledge = (graphs.UNKNOWN, graphs.KNOWN, graphs.UNKNOWN, graphs.PARTIAL)
        for i in range(self._effort.malformed):
            try:
                base = hints.draw(result.signature, start + i % 50)
            except Unsuitable as reason:
                result.why["malformed"] = f"no call could be drawn ({reason})"
                continue
            case, words = malformed.spoil(result.signature, base, start + i)
            if case.state is not None and i % 4 == 0:
                # A variable takes the place of its resource.
                case.state = None
                words += ", the handle of a variable"
            graph = graphs.build(
                result.signature, [case], knowledge[i % len(knowledge)]
            )
            # A call may wait for ever, or have more results than a message takes.
            graph |= {"seconds": _MALFORMED_SECONDS, "shapes_only": True}
            result.malformed += 1
            try:
                answer = self._limited.ask("run", graphs=[graph])[0]
            except Died as death:
                result.died("malformed", death, case, words)
                if sum(f.check == "malformed" for f in result.findings) >= 8:
                    return
                continue
            error = answer.get("error") or answer["runs"][0].get("error")
            if error is not None:
                result.malformed_refused += 1
                if error[0] in OURS:
                    said = f"{error[0]}: {first_line(error[1])}"
                    text = f"{words}: {said}"
                    result.find("malformed", text, case, cause=said)
                continue
            for k, (static, value) in enumerate(_own_outputs(answer, case)):
                if sameness.compatible(static, value[1]):
                    continue
                if result.excuse(allowed.find(case.op, allowed.SHAPE_UNASKED)):
                    continue
                said = f"output {k}: promised {static}, got {list(value[1])}"
                result.find("shape", f"{words}: {said}", case, cause=said)


def _first_draw(name: str) -> int:
    """Each op has draws of its own, the same in every run."""
    return sum(ord(c) * 7919 * (i + 1) for i, c in enumerate(name))


def _own_outputs(answer: dict[str, Any], case: Case) -> list[Any]:
    """(promised shape, value) of the op's outputs; not of the variables it changes."""
    refs = 0 if case.state is not None else Signature(case.op).variables()
    pairs = list(zip(answer["static"], answer["runs"][0]["values"]))
    return pairs[: len(pairs) - refs]
