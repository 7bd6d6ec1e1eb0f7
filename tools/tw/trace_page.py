# SPDX-License-Identifier: Apache-2.0
"""The page of `tw trace`: the recorded events as data, and the HTML around them."""

from __future__ import annotations

import itertools
import json
import linecache
import os
import platform
import time
from collections.abc import Sequence
from typing import Any

from tensorwright.tools.tw import page_file, trace_stages

_SCRIPT = (
    *page_file.BASE,
    "trace.js",
    *page_file.DRAWING,
    "trace_panel.js",
    "trace_compare.js",
    *page_file.EVENTS,
    "trace_time.js",
)
# Lines shown around one of a chain.
_CONTEXT = 4
# The most frames shown of a stack, from the program's side; deeper ones say little.
_MAX_FRAMES = 12
# A stage with more nodes is told, not drawn, and no stage tells more changes.
_MOST_DRAWN = 3000
_MOST_CHANGES = 500

_DATA_TYPES = {"float32": "f32", "float64": "f64", "float16": "f16"}


def page(
    runs: list[Any], total: int, command: str, others: Sequence[dict[str, Any]] = ()
) -> str:
    """The HTML of `runs`; `total` runs were made, by `command`.  `others`: as trace_runs.runs_of_page returns."""
    return html({**describe(runs, total, command), "others": list(others)})


def html(described: dict[str, Any]) -> str:
    """The page that shows what `describe` returned."""
    return page_file.html("trace.html", ["trace.css"], _SCRIPT, described)


def describe(runs: list[Any], total: int, command: str) -> dict[str, Any]:
    """All that the page shows."""
    plans: list[dict[str, Any]] = []
    numbers: dict[int, int] = {}  # id of a plan's first run -> index
    sources = _Sources()
    tables = _Tables(sources)
    described = []
    for run in runs:
        first = run.first or run
        if id(first) not in numbers:
            numbers[id(first)] = len(plans)
            plans.append(_plan(first, tables))
        number = numbers[id(first)]
        described.append(_run(run, number, plans[number], tables))
    return {
        "command": command,
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, "
        f"Python {platform.python_version()}",
        "total": total,
        "plans": plans,
        "runs": described,
        "types": sources.types,
        "sources": sources.texts,
        **tables.lists,
    }


class _Sources:
    """Collects the chain behind each op type, and the source text around every line it names."""

    def __init__(self):
        self.types: dict[str, Any] = {}
        self.texts: dict[str, list[str]] = {}

    def add_type(self, op_type: str) -> None:
        from tensorwright.python.explain import source_chain

        if op_type in self.types:
            return
        try:
            chain = source_chain.chain_of_op(op_type)
        except KeyError:
            self.types[op_type] = {"chain": [], "kernels": []}
            return
        links = [("wrapper", chain.wrapper), ("op", chain.op)]
        links += [("shape fn", chain.shape_function), ("gradient", chain.gradient)]
        self.types[op_type] = {
            "chain": [self.link(kind, place) for kind, place in links if place],
            "kernels": [
                {
                    **self.link("kernel", k.place),
                    "device": k.device,
                    "types": k.constraints,
                    "library": k.library,
                }
                for k in chain.kernels
            ],
        }

    def link(self, kind: str, place: Any) -> dict[str, Any]:
        self.add_text(place.file, place.line)
        return {
            "kind": kind,
            "name": place.name,
            "file": place.file,
            "line": place.line,
        }

    def add_text(self, file: str, line: int) -> None:
        """The lines around one, where the file is at hand."""
        key = f"{file}:{line}"
        if key in self.texts:
            return
        lines = linecache.getlines(_find(file))
        first = max(line - 1 - _CONTEXT, 0)
        self.texts[key] = [text.rstrip("\n") for text in lines[first : line + _CONTEXT]]
        self.texts[key].insert(0, str(first + 1))


def _find(file: str) -> str:
    """The path of a file that is named relative to the package or the tree."""
    import tensorwright

    for folder in (os.path.dirname(tensorwright.__file__), os.getcwd()):
        path = os.path.join(folder, file)
        if os.path.exists(path):
            return path
    return file


def _plan(run: Any, tables: _Tables) -> dict[str, Any]:
    """The graph that the runs of a plan execute, and what each pass did to it."""
    nodes = (n for g in run.metadata.partition_graphs for n in g.node)
    definitions = trace_stages.program_nodes(nodes, run.feeds)
    stages = []
    for (_, before), (name, after) in itertools.pairwise(run.stages):
        found = trace_stages.changes(before, after)
        drawn = list(after.node) if len(after.node) <= _MOST_DRAWN else []
        stages.append(
            {
                "pass": name,
                "before": len(before.node),
                "after": len(after.node),
                "changed": len(found),
                "changes": [_change(run, c, tables) for c in found[:_MOST_CHANGES]],
                **_graph(run, drawn, tables),
            }
        )
    return {
        "fetches": run.fetches,
        "feeds": run.feeds,
        "graphSize": len(run.graph.get_operations()),
        "values": bool(run.values),
        "stages": stages,
        **_graph(run, definitions, tables),
    }


def _graph(run: Any, definitions: list[Any], tables: _Tables) -> dict[str, Any]:
    """Nodes as [name, op, device, stack, info], the last four in tables; edges flat: from, to, port or -1 of control."""
    nodes = [_node(run.graph, definition, tables) for definition in definitions]
    return {"nodes": nodes, "edges": page_file.edges(definitions)}


def _change(run: Any, change: Any, tables: _Tables) -> list[Any]:
    """[sign, name, op, words, origins: [name, stack]]; an origin without a line of the program is left out."""
    tables.sources.add_type(change.op)
    origins = []
    for name in change.origins:
        stack = tables.stack_of(run.graph, name)
        if stack:
            origins.append([name, stack])
    return [change.sign, change.name, change.op, change.text, origins]


def _node(graph: Any, definition: Any, tables: _Tables) -> list[Any]:
    name, kind = definition.name, definition.op
    if kind == "_Arg":
        kind = _type_of(graph, name) or kind
    tables.sources.add_type(kind)
    device = definition.device.rpartition("/")[2].removeprefix("device:")
    return [
        name,
        tables.number("ops", kind),
        tables.number("devices", device),
        tables.stack_of(graph, name),
        tables.info_of(graph, definition),
    ]


def _type_of(graph: Any, name: str) -> str | None:
    """The op of the program's node of that name."""
    try:
        return graph.get_operation_by_name(name).type
    except (KeyError, ValueError):
        return None


class _Tables(page_file.Tables):
    """Texts that many nodes share, each once."""

    def __init__(self, sources: _Sources) -> None:
        super().__init__(["ops", "devices", "stacks", "infos", "shapes"])
        self.sources = sources
        # The first stack is that of what the plan made.
        self.lists["stacks"].append([])
        self._stacks: dict[tuple[int, str], int] = {}

    def stack_of(self, graph: Any, name: str) -> int:
        """The place of the program's frames that led to a node; 0 for one that the plan made."""
        from tensorwright.python.explain import source_chain

        key = (id(graph), name)
        if key not in self._stacks:
            try:
                op = graph.get_operation_by_name(name)
            except (KeyError, ValueError):
                self._stacks[key] = 0
            else:
                places = tuple(source_chain.user_frames(op)[-_MAX_FRAMES:])
                links: list[Any] = []
                if not self.has("stacks", places):
                    links = [self.sources.link("python", place) for place in places]
                self._stacks[key] = self.number("stacks", links, places)
        return self._stacks[key]

    def info_of(self, graph: Any, definition: Any) -> int:
        """The place of a node's attrs, static outputs, parts and Python function."""
        info: dict[str, Any] = {"attrs": {}, "outputs": [], "calls": None}
        info["parts"] = trace_stages.stands_for(definition)
        try:
            op = graph.get_operation_by_name(definition.name)
        except (KeyError, ValueError):
            op = None  # The plan's own: a Send, a fused node.
        if op is not None:
            attrs = op._attr_summaries()
            info["attrs"] = {key: str(value)[:200] for key, value in attrs}
            info["outputs"] = [_tensor_text(t) for t in op.outputs]
            info["calls"] = self._called(op)
        return self.number("infos", info, json.dumps(info))

    def _called(self, op: Any) -> dict[str, Any] | None:
        from tensorwright.python.explain import source_chain

        if not op.type.startswith("PyFunc"):
            return None
        called = source_chain.explain(op).calls
        return self.sources.link("calls", called) if called else None


def _tensor_text(tensor: Any) -> str:
    dtype = tensor.dtype.base_dtype.name
    shape = tensor.get_shape()
    dims = (
        "?" if shape.ndims is None else ",".join(str(d or "?") for d in shape.as_list())
    )
    return f"{_DATA_TYPES.get(dtype, dtype)}[{dims}]"


def _run(run: Any, plan: int, described: dict[str, Any], tables: _Tables) -> Any:
    """When each node of a run was executed: [node, start, duration, thread, bytes, outputs], times in microseconds."""
    index = {node[0]: i for i, node in enumerate(described["nodes"])}
    threads: dict[int, int] = {}
    events = []
    for stats in run.metadata.step_stats.dev_stats:
        for n in stats.node_stats:
            if n.node_name not in index:
                continue
            thread = threads.setdefault(n.thread_id, len(threads))
            bytes_ = sum(
                o.tensor_description.allocation_description.requested_bytes
                for o in n.output
            )
            outputs = [_shape_text(o.tensor_description) for o in n.output]
            events.append(
                [
                    index[n.node_name],
                    round((n.all_start_nanos - run.start) / 1000, 2),
                    round(n.op_end_rel_nanos / 1000, 2),
                    thread,
                    bytes_,
                    [tables.number("shapes", text) for text in outputs],
                ]
            )
    events.sort(key=lambda e: e[1])
    return {
        "plan": plan,
        "wall": run.wall / 1000,
        "events": events,
        "values": run.values,
    }


def _shape_text(description: Any) -> str:
    from tensorwright.python.framework import dtypes

    dtype = dtypes.as_dtype(description.dtype).base_dtype.name
    dims = ",".join(str(d.size) for d in description.shape.dim)
    return f"{_DATA_TYPES.get(dtype, dtype)}[{dims}]"
