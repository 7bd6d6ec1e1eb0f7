# SPDX-License-Identifier: Apache-2.0
"""Events in the format of chrome://tracing, a method for each kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.python.framework.type_aliases import JsonValue


class ChromeTraceFormatter:
    """Collects events.  Times are in microseconds, `pid` is a row's group and `tid` a row."""

    def __init__(self, show_memory: bool = False):
        self._show_memory = show_memory
        self._events: list[dict[str, Any]] = []
        self._metadata: list[dict[str, Any]] = []

    def emit_pid(self, name: str, pid: int) -> None:
        """Names a group of rows."""
        event = {"name": "process_name", "ph": "M", "pid": pid}
        self._metadata.append({**event, "args": {"name": name}})

    def emit_tid(self, name: str, pid: int, tid: int) -> None:
        """Names a row."""
        event = {"name": "thread_name", "ph": "M", "pid": pid, "tid": tid}
        self._metadata.append({**event, "args": {"name": name}})

    def emit_region(
        self,
        timestamp: float,
        duration: float,
        pid: int,
        tid: int,
        category: str,
        name: str,
        args: Mapping[str, JsonValue],
    ) -> None:
        """Something that took a while."""
        self._add("X", category, name, pid, tid, timestamp, dur=duration, args=args)

    def emit_obj_create(
        self, category: str, name: str, timestamp: float, pid: int, tid: int,
        object_id: int,
    ) -> None:  # fmt: skip
        """An object begins to be."""
        self._add("N", category, name, pid, tid, timestamp, id=object_id)

    def emit_obj_delete(
        self, category: str, name: str, timestamp: float, pid: int, tid: int,
        object_id: int,
    ) -> None:  # fmt: skip
        """An object is no more."""
        self._add("D", category, name, pid, tid, timestamp, id=object_id)

    def emit_obj_snapshot(
        self, category: str, name: str, timestamp: float, pid: int, tid: int,
        object_id: int, snapshot: JsonValue,
    ) -> None:  # fmt: skip
        """Records a snapshot of an object at a time."""
        args = {"snapshot": snapshot}
        self._add("O", category, name, pid, tid, timestamp, id=object_id, args=args)

    def emit_flow_start(
        self, name: str, timestamp: float, pid: int, tid: int, flow_id: int
    ) -> None:
        """An arrow begins here."""
        self._add("s", "DataFlow", name, pid, tid, timestamp, id=flow_id)

    def emit_flow_end(
        self, name: str, timestamp: float, pid: int, tid: int, flow_id: int
    ) -> None:
        """The arrow of that number ends here."""
        self._add("t", "DataFlow", name, pid, tid, timestamp, id=flow_id)

    def emit_counter(
        self, category: str, name: str, pid: int, timestamp: float, counter: str,
        value: float,
    ) -> None:  # fmt: skip
        """A number at a time."""
        self.emit_counters(category, name, pid, timestamp, {counter: value})

    def emit_counters(
        self, category: str, name: str, pid: int, timestamp: float,
        counters: Mapping[str, float],
    ) -> None:  # fmt: skip
        """Numbers at a time, drawn one above the other."""
        self._add("C", category, name, pid, 0, timestamp, args=counters)

    def format_to_string(self, pretty: bool = False) -> str:
        """The JSON of all events, names first."""
        events = [*self._metadata, *self._events]
        indent, colon = (4, ": ") if pretty else (None, ":")
        return json.dumps(
            {"traceEvents": events}, indent=indent, separators=(",", colon)
        )

    def _add(
        self, ph: str, category: str, name: str, pid: int, tid: int, timestamp: float,
        **more: Any,
    ) -> None:  # fmt: skip
        event = {"ph": ph, "cat": category, "name": name, "pid": pid, "tid": tid}
        self._events.append({**event, "ts": timestamp, **more})
