# SPDX-License-Identifier: Apache-2.0
"""Calls by threads that may reach nothing outside the graph but what the op's registration says (`.Touches(...)`).

A file that a kernel reads once, in the first call of a process, is not seen: the call is made without limits before.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from tensorwright.core.framework import graph_pb2
from tensorwright.python import _pywrap
from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    places,
    worker_seal,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import Result, last_words
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.worker_seal import NETWORK, PROCESSES, READS, WRITES

# Capability -> the kinds of system calls that it allows.  Whoever writes a file looks for it before; what an op sees of
# the process or the machine stands in files.
_ALLOWED = {
    "files read": {READS},
    "files written": {READS, WRITES},
    "network": {READS, NETWORK},
    "host": {READS, PROCESSES},
}
# Kinds of calls -> what an op claims that makes them.
CLAIMS = {
    READS: '.Touches("files read")',
    WRITES: '.Touches("files written")',
    NETWORK: '.Touches("network")',
    PROCESSES: '.Touches("host")',
}
# Draws in search of one that the op accepts.
_TRIES = 20
# A call has to reach outside each time, in so many further processes: abseil's locks ask once how many processors there are
# (a file), when two threads want one for the first time, in whatever kernel runs then.
_AGAIN = 2


def worker(loads: tuple[str, ...], timeout: float) -> Worker:
    """A worker for such calls; it starts when it is asked."""
    # With memory for each thread, the C library's allocator asks the system for the number of processors, and whether it
    # may give memory back: by files that it opens in whatever kernel runs then.
    return Worker(loads=loads, timeout=timeout, variables={"MALLOC_ARENA_MAX": "1"})


def claims(names: Iterable[str]) -> set[str]:
    """Returns all that the registrations of these ops say that they touch."""
    return set().union(*map(_claim, names))


@functools.cache
def _claim(name: str) -> frozenset[str]:
    return frozenset(_pywrap.op_registration(name)["touches"])


def forbidden(touched: set[str]) -> list[str]:
    """The kinds of system calls that ops which touch this do not make; none where they may make all."""
    if not touched <= _ALLOWED.keys():
        return []
    may = set().union(*(_ALLOWED[kind] for kind in touched))
    return [kind for kind in (READS, WRITES, NETWORK, PROCESSES) if kind not in may]


class TouchesCheck:
    """Makes calls of one op that `worker` has accepted before."""

    def __init__(self, worker: Worker, calls: int, result: Result, start: int):
        self._worker, self._calls = worker, calls
        self._result, self._start = result, start

    def run(self) -> None:
        result = self._result
        result.touched = sorted(claims({result.signature.name}))
        if not forbidden(set(result.touched)):
            return
        if not worker_seal.is_possible():
            result.why["touches"] = "system calls are known for x86-64 alone"
            return
        for i in range(self._calls + _TRIES):
            if result.touches >= self._calls or result.found("touches"):
                return
            try:
                # Large calls, for the threads that share the work.
                size = draws.SMALL if i % 2 else draws.BIG
                case = hints.draw(result.signature, self._start + i, size)
                graph = graphs.build(
                    result.signature, [case], graphs.UNKNOWN, threads=2
                )
                self._call(case, graph)
            except Unsuitable as reason:
                result.why["touches"] = f"no call could be drawn ({reason})"

    def _call(self, case: Case, graph: dict) -> None:
        """One call: at first without limits, since whoever refuses it looks for the lines of Python that made it."""
        result = self._result
        kinds = forbidden(claims(_ops(graph)))
        # A constant would be computed by the compiler of graphs.
        graph["as_is"] = True
        for last in [False] * _AGAIN + [True]:
            try:
                answer = self._worker.ask("run", graphs=[graph])[0]
                error = answer.get("error") or answer["runs"][0].get("error")
                if error:
                    words = f"no call was accepted ({error[0]}: {error[1][:160]})"
                    result.why["touches"] = words
                    return
                answer = self._worker.ask("sealed", graph=graph, forbidden=kinds)
            except Died as death:
                if death.how != "SIGSYS":
                    result.died("touches", death, case)
                    return
                if last:
                    self._find(case, death)
                continue
            if "error" in answer:
                result.why["touches"] = f"{answer['error'][0]}: {answer['error'][1]}"
            else:
                result.touches += 1
            return

    def _find(self, case: Case, death: Died) -> None:
        if self._result.excuse(allowed.find(case.op, allowed.TOUCHES)):
            self._result.touches += 1
            return
        touched = self._result.touched or []
        number = re.search(r"^    system call (\d+)", death.said, re.MULTILINE)
        if number:
            name = worker_seal.name_of(int(number[1]))
            kind = worker_seal.CALLS[name][1]
            # Whoever opens a file with other flags than those of reading writes it.
            if kind == READS and READS not in forbidden(set(touched)):
                kind = WRITES
            does = f"makes the system call {name}, which {kind}"
        else:
            # The thread took no signals, so that there is no report.
            kind = PROCESSES
            does = "starts a process, as std::system and posix_spawn do"
        text = (
            f"it {does}, and says that it touches {', '.join(touched) or 'nothing'}; "
            f"{CLAIMS[kind]} in its REGISTER_OP is the claim that allows it"
        )
        lines = [text, *places.lines(death.said), *last_words(death.said)]
        self._result.find("touches", "\n".join(lines), case)


def _ops(graph: dict) -> set[str]:
    """All ops of a graph and of its functions."""
    definition = graph_pb2.GraphDef.FromString(graph["def"])
    functions = definition.library.function
    nodes = [*definition.node, *(node for f in functions for node in f.node_def)]
    return {node.op for node in nodes} - {f.signature.name for f in functions}
