# SPDX-License-Identifier: Apache-2.0
"""`tw trace program.py`: runs a program and shows where the time of its runs went.

Writes two files: NAME.trace.json, a timeline for chrome://tracing or ui.perfetto.dev,
and NAME.trace.html, a page for any browser that draws the executed graph, folded by name
scopes, the time of each op, what each graph pass rewrote and, on a click, the lines from
the program to the kernel.

With --values every tensor of a run is fetched, so that the page shows its shape, least
and greatest number, NaNs and first elements, and where two runs begin to differ; then no
pass joins ops.  --against OTHER.trace.html compares with the runs of another trace.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import pathlib
import sys
import time
from collections.abc import Sequence
from typing import Any

from tensorwright.tools.tw import (
    program,
    suggest,
    trace_runs,
    trace_stages,
    trace_values,
)


@dataclasses.dataclass
class Run:
    """One call of Session.run.

    Attributes:
        graph: the session's `Graph`.
        fetches: the names of the fetches.
        feeds: the names of the tensors that are fed, in the plan's order.
        start: the time of the call, in nanoseconds since the epoch.
        wall: the duration in nanoseconds, with Python's work around the run.
        first: the run for which the session compiled the plan.
        metadata: the run's RunMetadata; that of the first has the plan's graphs.
        stages: of the first run, the graphs between the passes.
        values: by name of a tensor, what trace_values.described says; empty without --values.
    """

    graph: Any
    fetches: list[str]
    feeds: list[str]
    start: int
    wall: int
    first: Run | None
    metadata: Any
    stages: list[tuple[str, Any]] = dataclasses.field(default_factory=list)
    values: dict[str, list[Any]] = dataclasses.field(default_factory=dict)


class Recorder:
    """Traces the runs of every session while it is installed."""

    def __init__(self, limit: int, values: bool = False):
        self.runs: list[Run] = []
        self.total = 0
        # The number of traced runs that did not fail.
        self.ended = 0
        self._limit = limit
        self._values = values
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
        try:
            feeds = trace_stages.fed_tensors(graph, feed_dict or ())
        except (TypeError, ValueError, KeyError):
            # The run says what is wrong with its feeds.
            return original(session, fetches, feed_dict, options, run_metadata)
        key = (graph, graph.version, tuple(names), tuple(feeds))
        first = self._firsts.get(key)
        traced = config_pb2.RunOptions()
        if options is not None:
            traced.CopyFrom(options)
        traced.trace_level = config_pb2.RunOptions.FULL_TRACE
        traced.output_partition_graphs |= first is None
        metadata = config_pb2.RunMetadata()
        extra = trace_values.tensors_of(graph, names, feeds) if self._values else []
        values: dict[str, list[Any]] = {}
        wanted = [fetches, extra] if extra else fetches
        start, wall = time.time_ns(), 0
        self._busy = True
        try:
            result = original(session, wanted, feed_dict, traced, metadata)
            wall = time.time_ns() - start
            self.ended += 1
            if extra:
                result, fetched = result
                described = map(trace_values.described, fetched)
                values = dict(zip((t.name for t in extra), described, strict=True))
            return result
        finally:
            self._busy = False
            run = Run(graph, names, feeds, start, wall, first, metadata, values=values)
            if first is None and metadata.partition_graphs:
                self._firsts[key] = run
                run.stages = trace_stages.stages_of(session, wanted, feed_dict or ())
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
    parser.add_argument(
        "--values", action="store_true", help="fetch and show every tensor"
    )
    parser.add_argument(
        "--against", metavar="PAGE", help="compare with the runs of this .trace.html"
    )
    parser.add_argument("script", nargs="?")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    parser.set_defaults(do=_trace)


def _trace(args: argparse.Namespace) -> int:
    if program.is_missing("trace", args.script):
        return 2
    others: list[dict[str, Any]] = []
    if args.against:
        try:
            others = trace_runs.runs_of_page(pathlib.Path(args.against))
        except (OSError, ValueError) as error:
            text = suggest.no_such_file(error) if isinstance(error, OSError) else error
            print(f"tw trace: --against: {text}", file=sys.stderr)
            return 2
    recorder = Recorder(args.runs, args.values)
    try:
        with recorder:
            program.run(args.script, args.args)
    finally:
        # A program that fails has something to show too.
        prefix = args.out or pathlib.Path(args.script).stem
        report(recorder, prefix, " ".join(sys.argv), others)
    return 0


def report(
    recorder: Recorder,
    prefix: str,
    command: str,
    others: Sequence[dict[str, Any]] = (),
) -> None:
    """Writes both files, and prints their contents in short; `others` are runs of another trace to compare with."""
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
    page.write_text(trace_page.page(runs, recorder.total, command, others))
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
