# SPDX-License-Identifier: Apache-2.0
"""The progress line of a cluster, and what is said beside it."""

from __future__ import annotations

import collections
import time
from collections.abc import Sequence
from typing import TextIO

from tensorwright.cluster._ray.records import TaskRecord

# Seconds over which the speed is measured, and between lines where they cannot be overwritten.
_WINDOW = 10.0
_LINES = 5.0


class Progress:
    """Writes `step 420/800  loss 0.1234  35.2 steps/s  2 of 2 workers  1 restart` in place, and events above it."""

    def __init__(self, output: TextIO | None):
        self._output = output
        self._in_place = output is not None and output.isatty()
        self._begun = False
        self._written = 0.0
        self._steps: collections.deque[tuple[float, int]] = collections.deque()
        self.line = ""

    def say(self, event: str) -> None:
        """Writes a line of its own."""
        self.end_line()
        self._write(f"cluster: {event}\n")

    def show(self, records: Sequence[TaskRecord]) -> None:
        """Writes the line anew; where that cannot be in place, every few seconds and if it says something else."""
        line = self._describe(records)
        if line == self.line:
            return
        self.line = line
        if self._in_place:
            self._write(f"\r\x1b[K{line}")
            self._begun = True
        elif time.monotonic() - self._written >= _LINES:
            self._written = time.monotonic()
            self._write(f"cluster: {line}\n")

    def end_line(self) -> None:
        """Ends the progress line, so that the next text begins a line."""
        if self._begun:
            self._write("\n")
            self._begun = False

    def _write(self, text: str) -> None:
        if self._output is not None:
            self._output.write(text)
            self._output.flush()

    def _speed(self, step: int) -> float | None:
        now = time.monotonic()
        if self._steps and step < self._steps[-1][1]:
            self._steps.clear()  # A checkpoint was restored.
        self._steps.append((now, step))
        while now - self._steps[0][0] > _WINDOW:
            self._steps.popleft()
        begun, first = self._steps[0]
        return (step - first) / (now - begun) if now > begun else None

    def _describe(self, records: Sequence[TaskRecord]) -> str:
        """The line: step and total are the furthest worker's, the loss the chief's or any other's."""
        workers = [record for record in records if record.job == "worker"]
        parts = []
        reports = [record.report for record in workers if "step" in record.report]
        if reports:
            ahead = max(reports, key=lambda report: report["step"])
            total = ahead.get("total")
            step = f"step {ahead['step']}" + (f"/{total}" if total else "")
            parts.append(step)
            losses = [report["loss"] for report in reports if "loss" in report]
            if losses:
                parts.append(f"loss {losses[0]:.4g}")
            speed = self._speed(ahead["step"])
            if speed is not None:
                parts.append(f"{speed:.1f} steps/s")
        alive = sum(record.state in ("running", "done") for record in workers)
        parts.append(f"{alive} of {len(workers)} workers")
        restarts = sum(record.restarts for record in records)
        if restarts:
            parts.append(f"{restarts} restart{'s' if restarts > 1 else ''}")
        return "  ".join(parts)
