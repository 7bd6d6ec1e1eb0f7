# SPDX-License-Identifier: Apache-2.0
"""The page of `tw trace`: the recorded events as data, and the HTML around them."""

from __future__ import annotations

import json
import linecache
import os
import pathlib
import platform
import time
from typing import Any

from tensorwright.tools.tw import graph_layout

_PAGE = pathlib.Path(__file__).parent / "page"
_SCRIPT = ("trace.js", "trace_graph.js", "trace_panel.js", "trace_time.js")
_NODE_HEIGHT = 44
# Lines shown around one of a chain.
_CONTEXT = 4
# The most frames shown of a stack, from the program's side; deeper ones say little.
_MAX_FRAMES = 12
# Letters of a node's label.
_LABEL = 28

_DATA_TYPES = {"float32": "f32", "float64": "f64", "float16": "f16"}


def page(runs: list[Any], total: int, command: str) -> str:
    """The HTML of `runs`; `total` runs were made, by `command`."""
    text = (_PAGE / "trace.html").read_text()
    text = text.replace("/*STYLE*/", (_PAGE / "trace.css").read_text())
    script = "".join((_PAGE / file).read_text() for file in _SCRIPT)
    text = text.replace("/*SCRIPT*/", script)
    # Neither "</script>" nor "<!--<script>" in a name may be seen as HTML: JSON writes "<" otherwise, too.
    data = json.dumps(describe(runs, total, command), separators=(",", ":"))
    return text.replace("/*DATA*/", data.replace("<", "\\u003c"))


def describe(runs: list[Any], total: int, command: str) -> dict[str, Any]:
    """All that the page shows."""
    plans: list[dict[str, Any]] = []
    numbers: dict[int, int] = {}  # id of a plan's first run -> index
    sources = _Sources()
    described = []
    for run in runs:
        first = run.first or run
        if id(first) not in numbers:
            numbers[id(first)] = len(plans)
            plans.append(_plan(first, sources))
        number = numbers[id(first)]
        described.append(_run(run, number, plans[number]))
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
        "nodeHeight": _NODE_HEIGHT,
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


def _plan(run: Any, sources: _Sources) -> dict[str, Any]:
    """The graph that the runs of a plan execute, placed for drawing."""
    nodes, index, edges = [], {}, []
    definitions = [n for g in run.metadata.partition_graphs for n in g.node]
    for definition in definitions:
        index[definition.name] = len(nodes)
        nodes.append(_node(run.graph, definition, sources))
    for target, definition in enumerate(definitions):
        for name in definition.input:
            control = name.startswith("^")
            source, _, port = name.removeprefix("^").partition(":")
            if source in index:
                edges.append((index[source], target, control, int(port or 0)))
    # The op's name stands beside its share of the time.
    widths = [
        max(96, 30 + 7.3 * len(n["short"]), 68 + 6.2 * len(n["op"])) for n in nodes
    ]
    placed = graph_layout.layout(widths, _NODE_HEIGHT, [e[:2] for e in edges])
    for node, x, y, w in zip(nodes, placed.x, placed.y, widths, strict=True):
        node.update(x=round(x, 1), y=round(y, 1), w=round(w, 1))
    return {
        "fetches": run.fetches,
        "feeds": run.feeds,
        "graphSize": len(run.graph.get_operations()),
        "nodes": nodes,
        "edges": [
            {
                "from": u,
                "to": v,
                "control": control,
                "port": port,
                "route": [[round(a, 1), round(b, 1)] for a, b in route],
            }
            for (u, v, control, port), route in zip(edges, placed.routes, strict=True)
        ],
        "width": placed.width,
        "height": placed.height,
    }


def _node(graph: Any, definition: Any, sources: _Sources) -> dict[str, Any]:
    sources.add_type(definition.op)
    node = {
        "name": definition.name,
        "short": _short(definition.name),
        "op": definition.op,
        "device": definition.device.rpartition("/")[2].removeprefix("device:"),
        "stack": [],
        "calls": None,
        "attrs": {},
        "outputs": [],
    }
    try:
        op = graph.get_operation_by_name(definition.name)
    except KeyError:
        return node  # The plan's own: a Send, a fused node.
    node["stack"] = _stack(op, sources)
    node["attrs"] = {key: str(value)[:200] for key, value in op._attr_summaries()}
    node["outputs"] = [_tensor_text(t) for t in op.outputs]
    from tensorwright.python.explain import source_chain

    called = source_chain.explain(op).calls if op.type.startswith("PyFunc") else None
    if called:
        node["calls"] = sources.link("calls", called)
    return node


def _short(name: str) -> str:
    """A name with as many of its scopes as fit, the innermost first: "MatMul" alone may be anybody's."""
    if len(name) <= _LABEL:
        return name
    parts = name.split("/")
    while len(parts) > 1:
        del parts[0]
        label = "/".join(["…", *parts])
        if len(label) <= _LABEL:
            return label
    return f"…{name[1 - _LABEL :]}"


def _tensor_text(tensor: Any) -> str:
    dtype = tensor.dtype.base_dtype.name
    shape = tensor.get_shape()
    dims = (
        "?" if shape.ndims is None else ",".join(str(d or "?") for d in shape.as_list())
    )
    return f"{_DATA_TYPES.get(dtype, dtype)}[{dims}]"


def _stack(op: Any, sources: _Sources) -> list[dict[str, Any]]:
    """The program's frames that led to an op, outermost first."""
    from tensorwright.python.explain import source_chain

    frames = source_chain.user_frames(op)[-_MAX_FRAMES:]
    return [sources.link("python", place) for place in frames]


def _run(run: Any, plan: int, described: dict[str, Any]) -> dict[str, Any]:
    """When each node of a run was executed: microseconds from the run's start."""
    index = {node["name"]: i for i, node in enumerate(described["nodes"])}
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
            events.append(
                [
                    index[n.node_name],
                    round((n.all_start_nanos - run.start) / 1000, 2),
                    round(n.op_end_rel_nanos / 1000, 2),
                    thread,
                    bytes_,
                    [_shape_text(o.tensor_description) for o in n.output],
                ]
            )
    events.sort(key=lambda e: e[1])
    return {"plan": plan, "wall": run.wall / 1000, "events": events}


def _shape_text(description: Any) -> str:
    from tensorwright.python.framework import dtypes

    dtype = dtypes.as_dtype(description.dtype).base_dtype.name
    dims = ",".join(str(d.size) for d in description.shape.dim)
    return f"{_DATA_TYPES.get(dtype, dtype)}[{dims}]"
