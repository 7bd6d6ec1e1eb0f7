# SPDX-License-Identifier: Apache-2.0
"""The page of `tw inspect`: the tables of the report and a drawing of the graph, in one file that asks no network.

Everything that comes from the model is data, which the page's scripts show as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tensorwright.tools.tw import (
    doctor_graph,
    inspect_graph,
    inspect_needs,
    inspect_report,
    inspect_sizes,
    page_file,
)

_SCRIPT = (
    *page_file.BASE,
    "inspect.js",
    *page_file.DRAWING,
    "inspect_panel.js",
    *page_file.EVENTS,
    "inspect_begin.js",
)
# Nodes and bodies beyond these are told, not drawn.
_MOST_NODES = 200_000
_MOST_BODIES = 500
_MOST_ROWS = 400
_MOST_LINKS = 12
# A drawing has room for no longer names, nor for scopes in more scopes.
_LONGEST_NAME = 300
_MOST_SCOPES = 30
_LONGEST_ATTR = 200


def page(subject: inspect_report.Subject, report: dict[str, Any]) -> str:
    """The HTML of a report that inspect_report.described made of `subject`."""
    tables = page_file.Tables(["ops", "devices", "stacks", "infos"])
    tables.lists["stacks"].append([])
    drawing = _Drawing(tables)
    graphs = [
        _graph(number, it, described, drawing)
        for number, (it, described) in enumerate(
            zip(subject.graphs, report["graphs"], strict=True)
        )
    ]
    data = {
        "path": report["path"],
        "kind": report["kind"],
        "bytes": report["bytes"],
        "checkpoint": _checkpoint(report["checkpoint"]),
        "graphs": graphs,
        "bodies": drawing.bodies,
        "types": {},
        **tables.lists,
    }
    return page_file.html("inspect.html", ["trace.css", "inspect.css"], _SCRIPT, data)


class _Drawing:
    """The bodies that the page draws, and the place of each node in them."""

    def __init__(self, tables: page_file.Tables):
        self.bodies: list[dict[str, Any]] = []
        self._tables = tables
        self._left = _MOST_NODES
        # (number of the graph, function) -> number of the body; and with a node's name -> [body, node].
        self.numbers: dict[tuple[int, str], int] = {}
        self._nodes: dict[tuple[int, str, str], list[int]] = {}

    def add(
        self, graph: int, it: inspect_graph.Inspected, body: Any, marks: _Marks
    ) -> None:
        """Draws a body if there is room for it."""
        if len(self.bodies) >= _MOST_BODIES or len(body.nodes) > self._left:
            return
        self._left -= len(body.nodes)
        number = len(self.bodies)
        self.numbers[graph, body.function] = number
        nodes = []
        for i, node in enumerate(body.nodes):
            nodes.append(self._node(it, body, node, marks))
            self._nodes[graph, body.function, node.name] = [number, i]
        self.bodies.append(
            {
                "graph": graph,
                "function": body.function,
                "nodes": nodes,
                "edges": page_file.edges(body.nodes),
            }
        )

    def _node(
        self, it: inspect_graph.Inspected, body: Any, node: Any, marks: _Marks
    ) -> list[Any]:
        """[name, op, device, stack, info], the last four as places in tables."""
        data = None if node.op in it.functions else it.known.get(node.op)
        called = it.calls.library.named_by(node)[0]
        info = {
            "attrs": {
                name: attr_text(value) for name, value in sorted(node.attr.items())
            },
            "outputs": [],
            "kinds": list(inspect_needs.capabilities_of(data)),
            "inner": marks.kinds_of(called),
            "level": marks.level_of(body.function, node.name, called),
            "calls": called[:_MOST_LINKS],
        }
        return [
            _drawn_name(node.name),
            self._tables.number("ops", node.op[:_LONGEST_NAME]),
            self._tables.number("devices", node.device[:_LONGEST_NAME]),
            0,
            self._tables.number("infos", info, json.dumps(info)),
        ]

    def links(self, graph: int, nodes: Iterable[dict[str, str]]) -> list[list[Any]]:
        """[text, body, node] of nodes; the last two are -1 for one that is not drawn."""
        found = []
        for node in nodes:
            place = inspect_needs.Place(**node)
            at = self._nodes.get((graph, place.function, place.node), [-1, -1])
            if not place.node:
                at = [self.numbers.get((graph, place.function), -1), -1]
            text = inspect_graph.place_text(place) if place.node else place.function
            found.append([inspect_graph.short(text), *at])
        return found


class _Marks:
    """How the nodes of a graph are marked: by the worst finding about them, or about a function that they call."""

    def __init__(self, it: inspect_graph.Inspected, risks: list[dict[str, Any]]):
        self._levels: dict[tuple[str, str], str] = {}
        in_function: dict[str, set[str]] = {}
        # The worst comes last, and stays.
        for risk in reversed(risks):
            for node in risk["nodes"]:
                self._levels[node["function"], node["node"]] = risk["level"]
                in_function.setdefault(node["function"], set()).add(risk["level"])
        kinds: dict[str, set[str]] = {}
        for kind, places in it.places.items():
            for place in places:
                kinds.setdefault(place.function, set()).add(kind)
        self._of_function = it.calls.with_callees(in_function)
        self._kinds = it.calls.with_callees(kinds)

    def level_of(self, function: str, node: str, called: list[str]) -> str:
        """A level, or ""."""
        found = {level for name in called for level in self._of_function[name]}
        found.add(self._levels.get((function, node), ""))
        return next((level for level in inspect_graph.LEVELS if level in found), "")

    def kinds_of(self, called: list[str]) -> list[str]:
        """The capabilities of the nodes of functions."""
        found = {kind for name in called for kind in self._kinds[name]}
        return [kind for kind in inspect_needs.CAPABILITIES if kind in found]


def _drawn_name(name: str) -> str:
    """A name for the drawing, which may be cut: a stranger's may be of any length, in any number of scopes."""
    parts = name[:_LONGEST_NAME].split("/")
    kept, rest = parts[:_MOST_SCOPES], parts[_MOST_SCOPES:]
    return "/".join(kept) + "".join(f":{part}" for part in rest)


def _graph(
    number: int,
    it: inspect_graph.Inspected,
    described: dict[str, Any],
    drawing: _Drawing,
) -> dict[str, Any]:
    marks = _Marks(it, described["risks"])
    for body in it.bodies:
        drawing.add(number, it, body, marks)
    undrawn = sum((number, b.function) not in drawing.numbers for b in it.bodies)
    return {
        **{
            key: described[key]
            for key in ("tags", "made_by", "nodes", "function_nodes")
        },
        "functions": len(described["functions"]),
        "signatures": len(described["signatures"]),
        "undrawn": undrawn,
        "risks": [
            {
                **risk,
                "nodes": len(risk["nodes"]),
                "links": drawing.links(number, risk["nodes"][:_MOST_LINKS]),
            }
            for risk in described["risks"]
        ],
        "policy": described["policy"],
        "tables": _tables(number, described, drawing),
    }


def _tables(
    graph: int, described: dict[str, Any], drawing: _Drawing
) -> list[dict[str, Any]]:
    """{title, heads, rows: [[link or null, text, ...]], more} of each table of the report."""

    def link(node: dict[str, str]) -> list[Any]:
        return drawing.links(graph, [node])[0]

    def kind(item: dict[str, Any]) -> str:
        return f"{item['dtype']} {inspect_sizes.shape_text(item['shape'])}"

    size = inspect_sizes.size_text
    ops = [
        [
            None,
            o["op"][:_LONGEST_NAME],
            f"{o['count']:,}",
            ", ".join((*o["touches"], *o["needs"])),
        ]
        for o in described["ops"]
    ]
    files = [
        [link(f["node"]), f["file"] or "(named when it runs)", ", ".join(f["touches"])]
        for f in described["files"]
    ]
    constants = [
        [link(c["node"]), kind(c), size(c["bytes"]), c["fault"]]
        for c in described["constants"][:_MOST_ROWS]
    ]
    variables = [
        [link(v["node"]), kind(v), size(v["bytes"]), v["in_checkpoint"]]
        for v in described["variables"][:_MOST_ROWS]
    ]
    signatures = [
        [
            None,
            f"{s['name']}, {side}",
            t["key"],
            f"{t['dtype']} {t['shape']}",
            t["tensor"],
        ]
        for s in described["signatures"]
        for side in ("inputs", "outputs")
        for t in s[side]
    ]
    assets = [
        [None, a["file"], a["tensor"], "" if a["exists"] else "not there"]
        for a in described["assets"]
    ]
    made = (
        ("files", "Files", ["Node", "File", "Touches"], files, len(files)),
        ("ops", "Ops", ["Op", "#Nodes", "Touches and needs"], ops, len(ops)),
        (
            "sizes",
            "Variables",
            ["Node", "Type", "#Size", "In checkpoint"],
            variables,
            len(described["variables"]),
        ),
        (
            "sizes",
            "Constants",
            ["Node", "Type", "#Size", "Fault"],
            constants,
            len(described["constants"]),
        ),
        (
            "model",
            "Signatures",
            ["Signature", "Key", "Type", "Tensor"],
            signatures,
            len(signatures),
        ),
        ("model", "Assets", ["File", "Tensor", ""], assets, len(assets)),
    )
    return [
        {
            "tab": tab,
            "title": title,
            "heads": heads,
            "rows": rows[:_MOST_ROWS],
            "all": count,
        }
        for tab, title, heads, rows, count in made
    ]


def _checkpoint(values: dict[str, Any] | None) -> dict[str, Any] | None:
    if values is None or "tensors" not in values:
        return values
    rows = [
        [
            None,
            tensor["name"],
            f"{tensor['dtype']} {inspect_sizes.shape_text(tensor['shape'])}",
            inspect_sizes.size_text(tensor["bytes"]),
        ]
        for tensor in values["tensors"][:_MOST_ROWS]
    ]
    return {
        "path": values["path"],
        "bytes": values["bytes"],
        "rows": rows,
        "all": len(values["tensors"]),
    }


def attr_text(value: Any) -> str:
    """An AttrValue in a few words: `float32`, `[1, 2]`, `float32 [3, 3]` of a tensor."""
    which = value.WhichOneof("value")
    if which == "list":
        items = value.list
        found = [
            _item(field, item)
            for field in ("s", "i", "f", "b", "type", "shape", "tensor", "func")
            for item in getattr(items, field)[:20]
        ]
        count = sum(len(found) for _, found in items.ListFields())
        more = f", ... {count} in all" if count > len(found) else ""
        text = f"[{', '.join(found)}{more}]"
    else:
        text = "" if which is None else _item(which, getattr(value, which))
    return text if len(text) <= _LONGEST_ATTR else f"{text[:_LONGEST_ATTR]}..."


def _item(field: str, value: Any) -> str:
    if field == "s":
        return repr(value[:_LONGEST_ATTR].decode("utf-8", "backslashreplace"))
    if field == "type":
        return doctor_graph.dtype_name(value)
    if field == "shape":
        return inspect_sizes.shape_text(inspect_sizes.shape_of(value))
    if field == "tensor":
        shape = inspect_sizes.shape_text(inspect_sizes.shape_of(value.tensor_shape))
        return f"{doctor_graph.dtype_name(value.dtype)} {shape}"
    return value.name if field == "func" else str(value)
