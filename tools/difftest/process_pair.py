# SPDX-License-Identifier: Apache-2.0
"""The pair of processes, ours and TensorFlow's, that compute the compared calls."""

from __future__ import annotations

import pathlib
from typing import Any

from tensorwright.tools.opcheck.processes import OURS, THEIRS, Worker

_MEMORY = 3 << 30
# The workers run these programs, too.
_PROGRAMS = str(pathlib.Path(__file__).resolve().with_name("programs.py"))


class ProcessPair:
    """A pair of workers that computes the calls of one op after the other, and knows TensorFlow's registrations."""

    def __init__(self, peer: str, spare: bool = True):
        loads = (_PROGRAMS,)
        self.ours = Worker(OURS, loads=loads, memory=_MEMORY, timeout=20)
        self.theirs = Worker(
            THEIRS, peer, loads=loads, memory=2 * _MEMORY, timeout=20, spare=spare
        )
        self._attrs: dict[str, set[str]] | None = None

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()

    def both(self, mine: list, its: list) -> tuple[list, list]:
        """The answers of the two; a graph that killed its worker has {"died": how}."""
        for worker, asked in ((self.ours, mine), (self.theirs, its)):
            if asked:
                worker.post("run_each", graphs=asked)
        return self.ours.run_each(mine), self.theirs.run_each(its)

    def peer_alone(self, graph: dict[str, Any]) -> dict[str, Any]:
        """TensorFlow's answer."""
        return self.both([], [graph])[1][0]

    def peer_anew(self, graph: dict[str, Any]) -> dict[str, Any]:
        """The answer of a TensorFlow that has computed nothing else."""
        self.theirs.close()
        return self.peer_alone(graph)

    def peer_attrs(self, op: str) -> set[str] | None:
        """The attrs that TensorFlow's op has; None where it has no such op."""
        if self._attrs is None:
            from tensorwright.core.framework import op_def_pb2

            defs = [op_def_pb2.OpDef.FromString(d) for d in self.theirs.ask("ops")]
            self._attrs = {d.name: {a.name for a in d.attr} for d in defs}
        return self._attrs.get(op)

    def peer_kernels(self, op: str) -> list[dict[str, list[int]]]:
        """Per CPU kernel of TensorFlow's: type attr -> the dtypes it takes."""
        return self.theirs.ask("kernels", op=op)
