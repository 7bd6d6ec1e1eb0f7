# SPDX-License-Identifier: Apache-2.0
"""Timeline: the StepStats of a traced run as a trace for chrome://tracing or Perfetto."""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import TYPE_CHECKING, Any

from tensorwright.python.client.chrome_trace import (
    ChromeTraceFormatter as _ChromeTraceFormatter,
)

if TYPE_CHECKING:
    from tensorwright.core.framework.step_stats_pb2 import StepStats
    from tensorwright.python.framework import ops

AllocationMaximum = collections.namedtuple(
    "AllocationMaximum", ("timestamp", "num_bytes", "tensors")
)
StepStatsAnalysis = collections.namedtuple(
    "StepStatsAnalysis", ("chrome_trace", "allocator_maximums")
)

# A tensor dies this many microseconds after its last use, so that it lives even if the op took no time.
_MOMENT = 1e-3

_LABEL = re.compile(r"(?P<name>.*) = (?P<op>.*)\((?P<inputs>.*)\)", re.DOTALL)


@dataclasses.dataclass
class _Event:
    """One execution of a node; times in microseconds."""

    name: str
    op: str
    inputs: list[str]
    device: str
    pid: int
    tid: int
    start: float
    duration: float
    outputs: Any

    @property
    def end(self) -> float:
        return self.start + self.duration


class _ChromeTrace(_ChromeTraceFormatter):
    """The trace of a step."""

    def __init__(self):
        super().__init__()
        self._flows = 0

    def region(self, event: _Event) -> None:
        args = {"name": event.name, "op": event.op}
        args.update((f"input{i}", name) for i, name in enumerate(event.inputs))
        self.emit_region(
            event.start, event.duration, event.pid, event.tid, "Op", event.op, args
        )

    def flow(self, source: _Event, target: _Event) -> None:
        self._flows += 1
        name, flow = source.name, self._flows
        self.emit_flow_start(name, source.end, source.pid, source.tid, flow)
        self.emit_flow_end(name, target.start, target.pid, target.tid, flow)

    def snapshot(
        self, name: str, pid: int, number: int, when: float, what: str
    ) -> None:
        made = {"tensor_description": what}
        self.emit_obj_snapshot("Tensor", name, when, pid, 0, number, made)

    def counter(self, name: str, pid: int, when: float, values: dict[str, int]) -> None:
        self.emit_counters("Memory", name, pid, when, values)


def _microseconds(nanos: int, micros: int) -> float:
    """The finer of the two where a StepStats has it."""
    return nanos / 1000 if nanos else float(micros)


class Timeline:
    """Shows a run that was traced.

    Example:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        session.run(loss, options=options, run_metadata=metadata)
        trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
        with open("timeline.json", "w") as file:
            file.write(trace)
    """

    def __init__(self, step_stats: StepStats, graph: ops.Graph | None = None):
        """`graph` is accepted for compatibility: the stats name inputs themselves."""
        del graph
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self,
        show_dataflow: bool = True,
        show_memory: bool = False,
        op_time: str = "schedule",
    ) -> str:
        """The trace as JSON.

        Args:
            show_dataflow: draws an arrow from each op to those that use its outputs.
            show_memory: shows each tensor's life, and how many bytes are alive.
            op_time: "schedule" or "gpu", what a kernel's call took; "all", until its
                outputs were there.
        """
        return self._trace(
            show_dataflow, show_memory, op_time
        ).chrome_trace.format_to_string()

    def analyze_step_stats(
        self,
        show_dataflow: bool = True,
        show_memory: bool = True,
        op_time: str = "schedule",
    ) -> StepStatsAnalysis:
        """The trace, and for each device when most bytes of tensors were alive."""
        return self._trace(show_dataflow, show_memory, op_time)

    def _trace(
        self, show_dataflow: bool, show_memory: bool, op_time: str
    ) -> StepStatsAnalysis:
        if op_time not in ("schedule", "gpu", "all"):
            raise ValueError(f"op_time must be schedule, gpu or all, got {op_time!r}")
        trace = _ChromeTrace()
        events = self._events(trace, op_time)
        for event in events:
            trace.region(event)
        if show_dataflow:
            _add_flows(trace, events)
        return StepStatsAnalysis(trace, _add_memory(trace, events, show_memory))

    def _events(self, trace: _ChromeTrace, op_time: str) -> list[_Event]:
        events = []
        for pid, stats in enumerate(self._step_stats.dev_stats):
            trace.emit_pid(f"{stats.device} Compute", pid)
            threads = sorted({n.thread_id for n in stats.node_stats})
            for tid, thread in enumerate(threads):
                trace.emit_tid(f"thread {thread}", pid, tid)
            for node in stats.node_stats:
                found = _LABEL.fullmatch(node.timeline_label)
                inputs = found["inputs"].split(", ") if found else []
                if op_time == "all":
                    nanos, micros = node.all_end_rel_nanos, node.all_end_rel_micros
                else:
                    nanos, micros = node.op_end_rel_nanos, node.op_end_rel_micros
                events.append(
                    _Event(
                        node.node_name,
                        found["op"] if found else node.node_name,
                        [name for name in inputs if name],
                        stats.device,
                        pid,
                        threads.index(node.thread_id),
                        _microseconds(node.all_start_nanos, node.all_start_micros),
                        _microseconds(nanos, micros),
                        node.output,
                    )
                )
        return sorted(events, key=lambda e: e.start)


def _producers(events: list[_Event]) -> list[tuple[_Event, _Event]]:
    """(producer, consumer) for each input, a loop's body by iteration."""
    latest: dict[str, _Event] = {}
    pairs = []
    for event in events:
        for name in event.inputs:
            name = name.removeprefix("^").partition(":")[0]
            if name in latest:
                pairs.append((latest[name], event))
        latest[event.name] = event
    return pairs


def _add_flows(trace: _ChromeTrace, events: list[_Event]) -> None:
    for producer, consumer in _producers(events):
        trace.flow(producer, consumer)


def _add_memory(
    trace: _ChromeTrace, events: list[_Event], show: bool
) -> dict[str, AllocationMaximum]:
    """Counts the bytes of tensors from when they are made until their last use."""
    last_use = {id(e): e.end for e in events}
    for producer, consumer in _producers(events):
        last_use[id(producer)] = max(last_use[id(producer)], consumer.end)
    maximums = {}
    first_pid = 1 + max((e.pid for e in events), default=-1)
    devices = sorted({e.device for e in events})
    for pid, device in enumerate(devices, first_pid):
        if show:
            trace.emit_pid(f"{device} Tensors", pid)
        changes = []
        tensors = [(e, out) for e in events if e.device == device for out in e.outputs]
        for number, (event, out) in enumerate(tensors):
            what = out.tensor_description
            size = what.allocation_description.requested_bytes
            name = f"{event.name}:{out.slot}"
            changes.append((event.start, size, name))
            changes.append((last_use[id(event)] + _MOMENT, -size, name))
            if show:
                trace.emit_obj_create("Tensor", name, event.start, pid, 0, number)
                trace.snapshot(name, pid, number, event.end, str(what))
                trace.emit_obj_delete(
                    "Tensor", name, last_use[id(event)], pid, 0, number
                )
        maximums[device] = _count(trace if show else None, pid, changes)
    return maximums


def _count(trace: _ChromeTrace | None, pid: int, changes: list) -> AllocationMaximum:
    total, alive = 0, set()
    most = AllocationMaximum(0, 0, set())
    # At equal times, sizes sort first: frees (negative) are counted before allocations.
    for when, size, name in sorted(changes):
        total += size
        (alive.add if size > 0 else alive.discard)(name)
        if total > most.num_bytes:
            most = AllocationMaximum(when, total, set(alive))
        if trace is not None:
            trace.counter("Bytes of tensors", pid, when, {"bytes": total})
    return most
