# SPDX-License-Identifier: Apache-2.0
"""Calls in a process whose tensors stand between pages that nobody may touch."""

from __future__ import annotations

import ctypes

import numpy as np

from tensorwright.tools.opcheck import draws, graphs, hints
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker

# Buffers are aligned to so many bytes: an input of a multiple of them ends where its pages do.
_ALIGNMENT = 64
# Calls in each place, and draws in search of them.
_CALLS = 12
_TRIES = 200
# The environment variable of the allocator (core/common_runtime/guarded_allocator.h), and the places of buffers.
_VARIABLE, PLACES = "TENSORWRIGHT_GUARD_PAGES", ("end", "begin")
# The C library's check of its heap, where a kernel's own memory is: it ends the process that has written behind a block,
# and fills blocks that are new, or free, with a number that is another one in each place.
_HEAP = "libc_malloc_debug.so.0"
_FILLED = {"end": "165", "begin": "90"}


def workers(loads: tuple[str, ...], timeout: float) -> dict[str, Worker]:
    """A worker for each place; they start when they are asked."""
    found = {}
    for place in PLACES:
        variables = {_VARIABLE: place, "MALLOC_PERTURB_": _FILLED[place]}
        if has_heap_check():
            variables.update({"LD_PRELOAD": _HEAP, "MALLOC_CHECK_": "3"})
        found[place] = Worker(loads=loads, timeout=timeout, variables=variables)
    return found


def has_heap_check() -> bool:
    """Is the C library's check of its heap here?"""
    try:
        ctypes.CDLL(_HEAP)
    except OSError:
        return False
    return True


class BoundsCheck:
    """Runs calls, half of them with an input that ends at a page, by each of `workers`."""

    def __init__(self, workers: dict[str, Worker], result: Result, start: int):
        self._workers, self._result, self._start = workers, result, start

    def run(self) -> None:
        cases = self._cases()
        for worker in self._workers.values():
            for case in cases:
                graph = graphs.build(self._result.signature, [case], graphs.CONSTANT)
                try:
                    # A constant result would be computed from memory of the compiler's.
                    graph["as_is"] = True
                    answer = worker.ask("run", graphs=[graph])[0]
                except Died as death:
                    self._result.died("bounds", death, case)
                    break
                error = answer.get("error") or answer["runs"][0].get("error")
                if error:
                    words = f"no call was accepted ({error[0]}: {error[1][:160]})"
                    self._result.why["bounds"] = words
                else:
                    self._result.bounds += 1

    def _cases(self) -> list[Case]:
        fitting: list[Case] = []
        others: list[Case] = []
        for i in range(_TRIES):
            try:
                case = hints.draw(self._result.signature, self._start + i, draws.SMALL)
            except Unsuitable as reason:
                self._result.why["bounds"] = f"no call could be drawn ({reason})"
                continue
            (fitting if _ends_at_a_page(case) else others).append(case)
            if len(fitting) >= _CALLS // 2 and len(others) >= _CALLS // 2:
                break
        return fitting[: _CALLS // 2] + others[: _CALLS // 2]


def _ends_at_a_page(case: Case) -> bool:
    arrays: list[np.ndarray] = [array for array, _ in case.flat()]
    return any(a.nbytes > 0 and a.nbytes % _ALIGNMENT == 0 for a in arrays)
