# SPDX-License-Identifier: Apache-2.0
"""The report of `tw inspect` as text: what matters most comes first, and nothing in it can drive a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tensorwright.tools.tw import inspect_graph, inspect_needs, inspect_sizes

# Rows of a table, unless all are wanted.
_MOST_ROWS = 10
# Smaller constants are only counted.
_SMALLEST_CONSTANT = 1000
_MOST_OF_A_KIND = 5
_LEVELS = {
    "outside": "reaches outside of the graph",
    "broken": "will not load or run here",
    "costly": "may cost much memory or time",
    "note": "worth knowing",
}


def show(report: dict[str, Any], is_all: bool = False) -> None:
    """Prints a report; `is_all`: every row of every table."""
    for line in lines(report, is_all):
        print(printable(line))


def printable(line: str) -> str:
    """A line in which what a terminal would obey, or cannot show, is written as an escape."""
    text = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in line
    )
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def lines(report: dict[str, Any], is_all: bool = False) -> Iterator[str]:
    """The lines of a report."""
    size = "" if report["bytes"] is None else f", {_size(report['bytes'])}"
    form = " in text" if report["is_text"] else ""
    yield f"{report['path']}: {report['kind']}{form}{size}"
    graphs = report["graphs"]
    for i, graph in enumerate(graphs):
        if len(graphs) > 1:
            yield ""
            yield f"graph {i + 1} of {len(graphs)}, tags {' '.join(graph['tags']) or '(none)'}"
        yield from _graph(graph, is_all)
    values = report["checkpoint"]
    if values is not None and "tensors" in values:
        yield from _checkpoint(values, bool(graphs), is_all)


def _graph(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    made = f"made by {graph['made_by']}"
    functions = graph["functions"]
    counts = [inspect_graph.counted(graph["nodes"], "node")]
    if functions:
        calls = f", calls {graph['call_depth']:,} deep" if graph["call_depth"] else ""
        inside = inspect_graph.counted(graph["function_nodes"], "node")
        counts.append(
            f"{inspect_graph.counted(len(functions), 'function')} of {inside}{calls}"
        )
    kinds = sum(not op["is_function"] for op in graph["ops"])
    counts.append(inspect_graph.counted(kinds, "op"))
    for key in ("constants", "variables"):
        found = graph[key]
        if found:
            total = _size(sum(item["bytes"] or 0 for item in found))
            counts.append(f"{inspect_graph.counted(len(found), key[:-1])} of {total}")
    yield f"  {made}"
    yield f"  {', '.join(counts)}"
    yield from _risks(graph["risks"], is_all)
    yield from _policies(graph)
    yield from _capabilities(graph, is_all)
    yield from _files(graph, is_all)
    yield from _signatures(graph, is_all)
    yield from _assets(graph, is_all)
    yield from _variables(graph, is_all)
    yield from _constants(graph, is_all)
    yield from _ops(graph, is_all)


def _section(title: str) -> list[str]:
    return ["", title]


def _size(size: int | None) -> str:
    return inspect_sizes.size_text(size)


def _cut(rows: list[Any], is_all: bool, most: int = _MOST_ROWS) -> list[Any]:
    # One row more takes no more room than the line that says so.
    return rows if is_all or len(rows) <= most + 1 else rows[:most]


def _more(rows: list[Any], shown: list[Any]) -> list[str]:
    left = len(rows) - len(shown)
    return [f"  and {left:,} more: --all prints them"] if left else []


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    rows = list(rows)
    if not rows:
        return
    wide = [min(max(len(row[i]) for row in rows), 48) for i in range(len(rows[0]))]
    for row in rows:
        texts = (f"{text:{w}}" for text, w in zip(row, wide, strict=True))
        yield f"  {'  '.join(texts)}".rstrip()


def _node(node: dict[str, str]) -> str:
    return inspect_graph.place_text(inspect_needs.Place(**node))


def _risks(risks: list[dict[str, Any]], is_all: bool) -> Iterator[str]:
    if not risks:
        yield from _section("no risk was found")
        return
    for level, title in _LEVELS.items():
        mine = [risk for risk in risks if risk["level"] == level]
        if not mine:
            continue
        yield from _section(f"{title} ({level})")
        kinds: dict[str, list[str]] = {}
        for risk in mine:
            kinds.setdefault(risk["kind"], []).append(risk["text"])
        for kind, texts in kinds.items():
            shown = _cut(texts, is_all, _MOST_OF_A_KIND)
            yield from (f"  - {text}" for text in shown)
            if len(shown) < len(texts):
                yield f"    and more about: {kind}; --all prints them"


def _policies(graph: dict[str, Any]) -> Iterator[str]:
    whole, use = graph["policy"]["all"], graph["policy"]["use"]
    yield from _section("the smallest policy that allows it")
    if use is not None and use["arguments"] != whole["arguments"]:
        signatures = " and run its signatures" if graph["signatures"] else ""
        yield from _policy(use, f"to load it{signatures}: ")
        yield from _policy(whole, "for every node of it: ")
    else:
        yield from _policy(whole, "")


def _policy(made: dict[str, Any], what: str) -> Iterator[str]:
    if made["refused"]:
        yield f"  {what}none: {made['refused']}"
        return
    yield f"  {what}{made['code']}"
    for kind in made["anywhere"]:
        argument = {"files read": "read", "files written": "write"}[kind]
        yield (
            f"    names of files come when it runs: {argument}=[FOLDER] in place of "
            f'"{kind}" keeps it to a folder'
        )


def _capabilities(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    found = graph["capabilities"]
    if not found:
        yield from _section("it touches nothing outside of the graph and needs nothing")
        return
    yield from _section("what its nodes touch and need")
    rows = []
    for kind, nodes in found.items():
        ops: dict[str, list[str]] = {}
        for node in nodes:
            ops.setdefault(node["op"], []).append(_node(node))
        by_count = sorted(ops.items(), key=lambda item: -len(item[1]))
        texts = [
            f"{op} {len(names)}" if len(names) > 1 else f"{op} ({names[0]})"
            for op, names in by_count
        ]
        text = inspect_graph.listed(texts, len(texts) if is_all else 6)
        rows.append((kind, inspect_graph.counted(len(nodes), "node"), text))
    yield from _table(rows)


def _files(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    found = graph["files"]
    if not found:
        return
    yield from _section("files that it opens")
    rows: dict[tuple[str, str], list[str]] = {}
    for use in found:
        does = "writes" if "files written" in use["touches"] else "reads"
        name = use["file"] or "(named when it runs)"
        rows.setdefault((does, name), []).append(
            f"{use['node']['op']} {_node(use['node'])}"
        )
    pairs = sorted(rows.items(), key=lambda row: row[0][1].startswith("("))
    shown = _cut(pairs, is_all)
    yield from _table((d, n, inspect_graph.listed(by, 2)) for (d, n), by in shown)
    yield from _more(pairs, shown)


def _signatures(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    found = graph["signatures"]
    if not found:
        return
    yield from _section("signatures")
    shown = _cut(found, is_all)
    for signature in shown:
        kinds = ", ".join(signature["capabilities"]) or "nothing"
        method = f" ({signature['method']})" if signature["method"] else ""
        yield f"  {inspect_graph.short(signature['name'])}{method}: touches and needs {kinds}"
        for side in ("inputs", "outputs"):
            tensors = signature[side]
            for tensor in _cut(tensors, is_all):
                kind = f"{tensor['dtype']} {tensor['shape']}".strip()
                yield f"    {side[:-1]:6} {tensor['key']}  {kind}  {tensor['tensor']}".rstrip()
            yield from _more(tensors, _cut(tensors, is_all))
    yield from _more(found, shown)


def _assets(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    found = graph["assets"]
    if not found:
        return
    yield from _section("assets")
    shown = _cut(found, is_all)
    yield from _table(
        (a["file"], a["tensor"], "" if a["exists"] else "not there") for a in shown
    )
    yield from _more(found, shown)


def _variables(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    found = graph["variables"]
    if not found:
        return
    answers = [v["in_checkpoint"] for v in found]
    if "" in answers:
        said = ""
    elif set(answers) == {"yes"}:
        said = "; the checkpoint has each of them, with equal dtype and shape"
    else:
        said = f"; the checkpoint has {answers.count('yes')} of {len(found)} with equal dtype and shape"
    yield from _section(f"variables, the largest first{said}")
    # Those that the checkpoint has otherwise come first.
    found = sorted(found, key=lambda v: v["in_checkpoint"] in ("", "yes"))
    shown = _cut(found, is_all)
    rows = []
    for variable in shown:
        answer = variable["in_checkpoint"]
        told = (
            ""
            if answer in ("", "yes")
            else f"the checkpoint {'lacks it' if answer == 'missing' else answer}"
        )
        kind = f"{variable['dtype']} {inspect_sizes.shape_text(variable['shape'])}"
        rows.append((_node(variable["node"]), kind, _size(variable["bytes"]), told))
    yield from _table(rows)
    yield from _more(found, shown)
    other = graph["not_in_graph"]
    if other:
        names = inspect_graph.listed(map(inspect_graph.short, other))
        yield f"  {inspect_graph.counted(len(other), 'tensor')} of the checkpoint belong to no variable: {names}"


def _constants(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    found = [
        constant
        for constant in graph["constants"]
        if is_all or constant["fault"] or constant["bytes"] >= _SMALLEST_CONSTANT
    ]
    if not found:
        return
    yield from _section("constants, the largest first")
    shown = _cut(found, is_all)
    yield from _table(
        (
            _node(constant["node"]),
            f"{constant['dtype']} {inspect_sizes.shape_text(constant['shape'])}",
            _size(constant["bytes"]),
            constant["fault"],
        )
        for constant in shown
    )
    yield from _more(found, shown)


def _ops(graph: dict[str, Any], is_all: bool) -> Iterator[str]:
    yield from _section("ops")
    touching = [op for op in graph["ops"] if op["touches"] or op["needs"]]
    rows = []
    shown = _cut(touching, is_all, 20)
    for op in shown:
        touches, needs = ", ".join(op["touches"]), ", ".join(op["needs"])
        words = [f"touches {touches}"] if touches else []
        words += [f"needs {needs}"] if needs else []
        words += [f"of the library {op['library']}"] if op["library"] else []
        rows.append((op["op"], f"{op['count']:,}", "; ".join(words)))
    yield from _table(rows)
    yield from _more(touching, shown)
    rest = [op for op in graph["ops"] if op not in touching and not op["is_function"]]
    for title, is_known in (
        ("touch and need nothing", True),
        ("are not known here", False),
    ):
        mine = [op for op in rest if op["is_known"] == is_known]
        texts = [f"{inspect_graph.short(op['op'])} {op['count']:,}" for op in mine]
        if texts:
            listed = inspect_graph.listed(texts, len(texts) if is_all else 40)
            yield f"  {title}: {listed}"


def _checkpoint(values: dict[str, Any], has_graph: bool, is_all: bool) -> Iterator[str]:
    tensors = values["tensors"]
    total = (
        f"{inspect_graph.counted(len(tensors), 'tensor')} of {_size(values['bytes'])}"
    )
    yield from _section(f"checkpoint {values['path']}: {total}")
    if has_graph:
        return
    yield "  it holds values alone: nothing of it runs"
    found = sorted(tensors, key=lambda t: -(t["bytes"] or 0))
    shown = _cut(found, is_all)
    yield from _table(
        (
            t["name"],
            f"{t['dtype']} {inspect_sizes.shape_text(t['shape'])}",
            _size(t["bytes"]),
        )
        for t in shown
    )
    yield from _more(found, shown)
