# SPDX-License-Identifier: Apache-2.0
"""Calls that share a resource, one after the other in a session: make, write, write, read."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import (
    allowed,
    graphs,
    handles,
    hints,
    sameness,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import OURS, Effort, Result
from tensorwright.tools.opcheck.processes import Died, Worker

# Calls in a sequence, the checked op's among them.
_LENGTH = (3, 9)


class SequenceCheck:
    """Runs sequences in several workers; whoever reads memory that he may not gives other values in each."""

    def __init__(
        self, workers: list[Worker], effort: Effort, result: Result, start: int
    ):
        self._workers, self._result, self._start = workers, result, start
        self._count = max(effort.valid // 3, 4)

    def run(self) -> None:
        for i in range(self._count):
            try:
                base, calls = self._draw(self._start + i)
            except Unsuitable as reason:
                self._result.why["sequence"] = f"no sequence could be drawn ({reason})"
                continue
            graph = graphs.sequence(base, calls)
            answers = []
            for worker in self._workers:
                try:
                    answers.append(worker.ask("sequence", graph=graph))
                except Died as death:
                    words = _words(calls)
                    self._result.died("sequence", death, base, words, calls=calls)
                    break
            else:
                self._judge(base, calls, answers)

    def _draw(self, seed: int) -> tuple[Case, list[Case]]:
        """A call that has the maker, and the sequence with it in two places."""
        signature = self._result.signature
        base = hints.draw(signature, seed)
        assert base.state is not None
        maker = handles.maker_of(signature)
        assert maker is not None
        rng = np.random.RandomState(seed % (1 << 32))
        made = base.state.maker
        calls = handles.steps(maker, made, base, rng, rng.randint(*_LENGTH))
        for _ in range(2):
            again = handles.step(signature, made, base, rng)
            calls.insert(rng.randint(len(calls) + 1), again)
        return base, calls

    def _judge(self, base: Case, calls: list[Case], answers: list[Any]) -> None:
        first = answers[0]
        if "error" in first:
            name, text = first["error"]
            self._result.why["sequence"] = f"no sequence ran ({name}: {text[:160]})"
            return
        self._result.sequences += 1
        for k, call in enumerate(calls):
            words = f"call {k + 1}, {call.op}, of {_words(calls)}"
            results = [answer["runs"][k] for answer in answers if "runs" in answer]
            error = results[0].get("error")
            if error is not None and error[0] in OURS:
                said = f"{error[0]}: {error[1]}"
                self._find(f"{words}: {said}", said, base, calls)
                return
            if error is None:
                for static, value in zip(first["static"][k], results[0]["values"]):
                    if not sameness.compatible(static, value[1]):
                        said = f"promised {static}, got {list(value[1])}"
                        self._find(f"{words}: {said}", said, base, calls)
            if not all(_same(results[0], other) for other in results[1:]):
                if not self._result.excuse(allowed.find(call.op, allowed.REPEAT)):
                    said = "not the same in other processes, from whose memory it reads what it did not write"
                    self._find(f"{words}: {said}", said, base, calls)
                return

    def _find(self, text: str, said: str, base: Case, calls: list[Case]) -> None:
        self._result.find("sequence", text, base, cause=said, calls=calls)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if "error" in one or "error" in other:
        return one.get("error", [""])[0] == other.get("error", [""])[0]
    return len(one["values"]) == len(other["values"]) and all(
        a[0] in (sig.RESOURCE, sig.VARIANT) or sameness.same([a], [b])
        for a, b in zip(one["values"], other["values"])
    )


def _words(calls: list[Case]) -> str:
    return " ".join(call.op for call in calls)
