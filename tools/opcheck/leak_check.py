# SPDX-License-Identifier: Apache-2.0
"""Counts the memory that a thousand calls of an op leave behind."""

from __future__ import annotations

from tensorwright.tools.opcheck import allowed, draws, graphs, handles, hints
from tensorwright.tools.opcheck.draws import Unsuitable
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker

_CALLS = 1000
# The same of calls with a session each.
_SESSIONS = 100
# Bytes a call, in each part of the calls: less is the noise of Python's own objects.
_MIN_BYTES = 16
# Draws in search of one that the op accepts.
_TRIES = 8


def lost(parts: list[tuple[int, int]]) -> float:
    """The bytes that each call loses: of (calls, bytes) of each part the least, since a leak goes on and a cache ends."""
    return min((size / calls for calls, size in parts), default=0.0)


class LeakCheck:
    """Makes one call again and again in the worker, and looks at how the memory in use grows."""

    def __init__(self, worker: Worker, result: Result, start: int):
        self._worker, self._result, self._start = worker, result, start

    def run(self) -> None:
        result = self._result
        for i in range(_TRIES):
            try:
                case = hints.draw(result.signature, self._start + i, draws.SMALL)
                graph = graphs.build(result.signature, [case], graphs.KNOWN)
                # A resource may grow, as long as it ends with its session.
                anew = case.state is not None or handles.is_maker(case.op)
                calls = _SESSIONS if anew else _CALLS
                answer = self._worker.ask("growth", graph=graph, calls=calls, anew=anew)
            except Unsuitable as reason:
                result.why["leak"] = f"no call could be drawn ({reason})"
                continue
            except Died as death:
                result.died("leak", death, case)
                return
            if "error" in answer:
                name, text = answer["error"]
                result.why["leak"] = f"no call was accepted ({name}: {text[:160]})"
                continue
            result.leaks = sum(calls for calls, _ in answer["parts"])
            bytes_a_call = lost(answer["parts"])
            if bytes_a_call >= _MIN_BYTES:
                if not result.excuse(allowed.find(case.op, allowed.LEAK)):
                    words = f"{result.leaks} calls left {bytes_a_call:.0f} bytes each behind"
                    result.find("leak", words, case)
            return
