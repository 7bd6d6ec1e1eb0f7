# SPDX-License-Identifier: Apache-2.0
"""How long a huge call of an op takes."""

from __future__ import annotations

from tensorwright.tools.opcheck import draws, graphs, hints, signature as sig
from tensorwright.tools.opcheck.draws import Unsuitable
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker


def measure(worker: Worker, result: Result, start: int, bandwidth: float) -> None:
    """Notes the time of a huge call in the result, beside what copying reaches, in bytes a second."""
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
            answer = worker.ask("run", graphs=[graph])[0]
            if "error" in answer or "error" in answer["runs"][0]:
                continue
            values = answer["runs"][0]["values"]
            outputs = sum(len(v[2]) for v in values if v[0] != sig.STRING)
            took = worker.ask("seconds", graph=graph, budget=0.5)
        except Died:
            continue
        if "seconds" in took:
            result.speed = took["seconds"], inputs + outputs, bandwidth
        return
