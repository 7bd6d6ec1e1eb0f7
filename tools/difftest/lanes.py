# SPDX-License-Identifier: Apache-2.0
"""The processes that compute: pairs of ours and TensorFlow's, and one that says what TensorFlow registers."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from tensorwright.tools.opcheck.processes import OURS, THEIRS, Worker

_MEMORY = 3 << 30


class Lane:
    """A pair of workers that compares one op after the other."""

    def __init__(self, peer: str):
        self.ours = Worker(OURS, memory=_MEMORY, timeout=20)
        self.theirs = Worker(THEIRS, peer, memory=2 * _MEMORY, timeout=20, spare=True)

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()

    def both(self, mine: list, its: list) -> tuple[list, list]:
        """The answers of the two; a graph that killed its worker has {"died": how}."""
        for worker, asked in ((self.ours, mine), (self.theirs, its)):
            if asked:
                worker.post("run_each", graphs=asked)
        return self.ours.run_each(mine), self.theirs.run_each(its)

    def ours_alone(self, graph: dict) -> dict:
        return self.both([graph], [])[0][0]


@dataclasses.dataclass
class Peer:
    """What TensorFlow registers: an op's attrs, and its CPU kernels."""

    attrs: dict[str, set[str]]
    worker: Worker
    lock: Any = dataclasses.field(default_factory=threading.Lock)

    def kernels(self, op: str) -> list[dict[str, list[int]]]:
        with self.lock:
            return self.worker.ask("kernels", op=op)


def ask_peer(python: str) -> Peer:
    from tensorwright.core.framework import op_def_pb2

    worker = Worker(THEIRS, python, timeout=120)
    defs = [op_def_pb2.OpDef.FromString(d) for d in worker.ask("ops")]
    return Peer({d.name: {a.name for a in d.attr} for d in defs}, worker)
