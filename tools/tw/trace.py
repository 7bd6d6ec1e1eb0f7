# SPDX-License-Identifier: Apache-2.0
"""`tw trace program.py`: runs a program and shows where the time of its runs went.

Writes two files: NAME.trace.json, a timeline for chrome://tracing or ui.perfetto.dev,
and NAME.trace.html, a page for any browser that draws the executed graph, the plan, the
time of each op and, on a click, the lines from the program to the kernel.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import pathlib
import sys
import time
from typing import Any

from tensorwright.tools.tw import program


@dataclasses.dataclass
class Run:
    """One call of Session.run.

    Attributes:
        graph: the session's `Graph`.
        fetches: the names of the fetches.
        feeds: the names of the feeds.
        start: the time of the call, in nanoseconds since the epoch.
        wall: the duration in nanoseconds, with Python's work around the run.
        first: the run for which the session compiled the plan.
        metadata: the run's RunMetadata; that of the first has the plan's graphs.
    """

    graph: Any
    fetches: list[str]
    feeds: list[str]
    start: int
    wall: int
    first: Run | None
    metadata: Any


class Recorder:
    """Traces the runs of every session while it is installed."""

    def __init__(self, limit: int):
        self.runs: list[Run] = []
        self.total = 0
        # The number of traced runs that did not fail.
        self.ended = 0
        self._limit = limit
        self._firsts: dict[tuple, Run] = {}
        self._busy = False

    def __enter__(self) -> Recorder:
        from tensorwright.python.client import session

        self._class = session.BaseSession
        self._run, self._callable = self._class.run, self._class.make_callable
        recorder, original = self, self._run

        @functools.wraps(original)
        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            return recorder._traced(
                original, self, fetches, feed_dict, options, run_metadata
            )

        def make_callable(self, fetches, feed_list=None, accept_options=False):
            # A run as any other, so that it is seen.
            feed_list = list(feed_list or ())

            def call(*args, options=None, run_metadata=None):
                feeds = dict(zip(feed_list, args, strict=True))
                return self.run(fetches, feeds, options, run_metadata)

            return call

        self._class.run, self._class.make_callable = run, make_callable
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._class.run, self._class.make_callable = self._run, self._callable

    def _traced(self, original, session, fetches, feed_dict, options, run_metadata):
        from tensorwright.core.protobuf import config_pb2

        self.total += 1
        # A run inside a run (of a py_func) is part of that one's time.
        if len(self.runs) >= self._limit or self._busy:
            return original(session, fetches, feed_dict, options, run_metadata)
        graph = session.graph
        names = sorted(_names(graph, fetches))
        feeds = sorted(_names(graph, list(feed_dict or ())))
        key = (graph, graph.version, tuple(names), tuple(feeds))
        first = self._firsts.get(key)
        traced = config_pb2.RunOptions()
        if options is not None:
            traced.CopyFrom(options)
        traced.trace_level = config_pb2.RunOptions.FULL_TRACE
        traced.output_partition_graphs |= first is None
        metadata = config_pb2.RunMetadata()
        start = time.time_ns()
        self._busy = True
        try:
            result = original(session, fetches, feed_dict, traced, metadata)
            self.ended += 1
            return result
        finally:
            self._busy = False
            wall = time.time_ns() - start
            run = Run(graph, names, feeds, start, wall, first, metadata)
            if first is None and metadata.partition_graphs:
                self._firsts[key] = run
            self.runs.append(run)
            if run_metadata is not None:
                run_metadata.CopyFrom(metadata)


def _names(graph: Any, value: Any) -> set[str]:
    """Names of all graph elements in a structure of fetches or feeds."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return set().union(*(_names(graph, v) for v in value))
    try:
        return {graph.as_graph_element(value).name}
    except (TypeError, ValueError, KeyError):
        return {str(value)}


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "trace",
        help="run a program and show its timeline",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=100, help="trace this many runs")
    parser.add_argument("--out", help="start of the files' names; the program's name")
    parser.add_argument("script", nargs="?")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    parser.set_defaults(do=_trace)


def _trace(args: argparse.Namespace) -> int:
    if program.is_missing("trace", args.script):
        return 2
    recorder = Recorder(args.runs)
    try:
        with recorder:
            program.run(args.script, args.args)
    finally:
        # A program that fails has something to show too.
        report(recorder, args.out or pathlib.Path(args.script).stem, " ".join(sys.argv))
    return 0


def report(recorder: Recorder, prefix: str, command: str) -> None:
    """Writes both files, and prints their contents in short."""
    from tensorwright.tools.tw import trace_page

    sys.stdout.flush()  # The program's own output comes first.
    # A run that failed left no times, nor did one of constants alone.
    runs = [run for run in recorder.runs if run.metadata.step_stats.dev_stats]
    if not runs:
        why = "no run of a session came to its end"
        if recorder.ended:
            why = (
                f"{recorder.ended} runs had no op left to execute: all that they fetch "
                "follows from constants and was computed before; feed it"
            )
        print(f"tw trace: {why}", file=sys.stderr)
        return
    timeline = pathlib.Path(f"{prefix}.trace.json")
    timeline.write_text(chrome_trace(runs))
    page = pathlib.Path(f"{prefix}.trace.html")
    page.write_text(trace_page.page(runs, recorder.total, command))
    print(
        f"{len(runs)} of {recorder.total} runs traced\n"
        f"{page}  (open it in a browser)\n{timeline}  (for ui.perfetto.dev)",
        file=sys.stderr,
    )


def chrome_trace(runs: list[Run]) -> str:
    """All runs one after the other as a Chrome trace."""
    from tensorwright.core.framework import step_stats_pb2
    from tensorwright.python.client import timeline

    devices: dict[str, Any] = {}
    merged = step_stats_pb2.StepStats()
    for run in runs:
        for stats in run.metadata.step_stats.dev_stats:
            if stats.device not in devices:
                devices[stats.device] = merged.dev_stats.add(device=stats.device)
            devices[stats.device].node_stats.extend(stats.node_stats)
    return timeline.Timeline(merged).generate_chrome_trace_format()
