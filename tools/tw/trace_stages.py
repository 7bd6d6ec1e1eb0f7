# SPDX-License-Identifier: Apache-2.0
"""Finds how each graph pass rewrote a plan, node by node, for the page of `tw trace`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

Stages = list[tuple[str, Any]]


def stages_of(session: Any, fetches: Any, feeds: Iterable[Any]) -> Stages:
    """(pass, GraphDef) of a run: the graph before all passes, whose pass is "", and after each that changed it.

    Nothing is executed.  Empty for a session on a server.
    """
    from tensorwright.core.framework import graph_pb2
    from tensorwright.python.client import fetch_mapper, session as client

    graph = session.graph
    mapper = fetch_mapper.FetchMapper(graph, fetches)
    keys = fetch_mapper.resolve_feed_keys(graph, list(feeds))
    targets = client._targets(graph, mapper)
    stages: Stages = []
    fed = [key.name for key in keys]
    for name, data in session._core.plan_stages(keys, mapper.tensors, targets):
        read = graph_pb2.GraphDef.FromString(data)
        stage = graph_pb2.GraphDef(node=program_nodes(read.node, fed))
        if not stages or changes(stages[-1][1], stage):
            stages.append((name, stage))
    return stages


def fed_tensors(graph: Any, feeds: Iterable[Any]) -> list[str]:
    """The names of the tensors that a run feeds, in the order in which its plan numbers them."""
    from tensorwright.python.client import fetch_mapper

    return [t.name for t in fetch_mapper.resolve_feed_keys(graph, list(feeds))]


def program_nodes(nodes: Iterable[Any], fed: list[str]) -> list[Any]:
    """The nodes of a plan in the words of the program: a feed has the name of its node, and fetches are no nodes."""
    nodes = list(nodes)
    names = {}
    for node in nodes:
        if node.op == "_Arg" and node.attr["index"].i < len(fed):
            tensor = fed[node.attr["index"].i]
            # An output of an op that is not fed whole keeps the name of its tensor.
            names[node.name] = tensor.removesuffix(":0")
    found = []
    for node in nodes:
        if node.op == "_Retval":
            continue
        renamed = type(node)()
        renamed.CopyFrom(node)
        renamed.name = names.get(node.name, node.name)
        for i, name in enumerate(node.input):
            source = name.removeprefix("^").partition(":")[0]
            if source in names:
                renamed.input[i] = f"{'^' * name.startswith('^')}{names[source]}"
        found.append(renamed)
    return found


@dataclasses.dataclass
class Change:
    """A node that a pass removed ("-"), added ("+") or changed ("~").

    Attributes:
        sign: one of the three.
        name: the node's name.
        op: its op after the pass; that before it, if it is removed.
        text: words about the change.
        origins: the names of the nodes that it stands for: those in the program's graph that are gone.
    """

    sign: str
    name: str
    op: str
    text: str
    origins: list[str]


def changes(before: Any, after: Any) -> list[Change]:
    """Returns the changes between two GraphDefs, in the order of `after`; the removed nodes come first."""
    old = {node.name: node for node in before.node}
    new = {node.name: node for node in after.node}
    found = []
    for name, node in old.items():
        if name not in new:
            text = f"read {', '.join(node.input)}" if node.input else ""
            found.append(Change("-", name, node.op, text, [name]))
    for name, node in new.items():
        origins = stands_for(node) or [name]
        if name not in old:
            text = f"reads {', '.join(node.input)}" if node.input else ""
            found.append(Change("+", name, node.op, text, origins))
        elif text := _difference(old[name], node):
            found.append(Change("~", name, node.op, text, origins))
    return found


def stands_for(node: Any) -> list[str]:
    """The nodes that a fused node says it stands for."""
    return (
        [s.decode() for s in node.attr["names"].list.s] if "names" in node.attr else []
    )


def _difference(old: Any, new: Any) -> str:
    texts = []
    if old.op != new.op:
        texts.append(f"{old.op} became {new.op}")
    if list(old.input) != list(new.input):
        left, right = (
            ", ".join(old.input) or "nothing",
            ", ".join(new.input) or "nothing",
        )
        texts.append(f"reads {right}, before {left}")
    if old.op == new.op:
        attrs = [a for a in {**old.attr, **new.attr} if old.attr[a] != new.attr[a]]
        if attrs:
            texts.append(f"other {', '.join(sorted(attrs))}")
    return "; ".join(texts)
