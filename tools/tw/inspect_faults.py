# SPDX-License-Identifier: Apache-2.0
"""Why a graph would not load or run here: names, edges, attrs, ops, functions and constants that do not fit together."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator
from typing import Any

from tensorwright.python.framework import versions
from tensorwright.tools.tw import (
    doctor_graph,
    graph_bodies,
    inspect_calls,
    inspect_graph,
    inspect_needs,
    inspect_sizes,
)
from tensorwright.tools.tw.inspect_graph import BROKEN, NOTE, Finding, Inspected
from tensorwright.tools.tw.inspect_needs import Place

# As the importer has it: core/graph/tensor_id.cc.
_NODE_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
# Functions call each other no deeper: core/common_runtime/function_calls.h.
_MOST_DEEP = 100
# So many findings of a kind are told one by one.
_MOST_OF_A_KIND = 100
_FIELDS = {
    "string": "s",
    "int": "i",
    "float": "f",
    "bool": "b",
    **{kind: kind for kind in ("type", "shape", "tensor", "func")},
}
_FEEDBACK = {
    "Merge": ("NextIteration", "RefNextIteration"),
    "RefMerge": ("NextIteration", "RefNextIteration"),
}


class _Grouped:
    """Findings with the same words, as one with all their nodes."""

    def __init__(self, kind: str, level: str = BROKEN):
        self._kind, self._level = kind, level
        self._places: dict[str, list[Place]] = {}

    def add(self, text: str, node: Any, body: graph_bodies.Body) -> None:
        place = Place(node.name, node.op, body.function)
        self._places.setdefault(text, []).append(place)

    def findings(self) -> Iterator[Finding]:
        """Each text with its nodes: "... : 2 nodes (a, b)"."""
        found = list(self._places.items())
        for text, places in found[:_MOST_OF_A_KIND]:
            words = f"{text}: {inspect_graph.nodes_text(places)}"
            yield Finding(self._level, self._kind, words, places)
        if len(found) > _MOST_OF_A_KIND:
            rest = [p for _, places in found[_MOST_OF_A_KIND:] for p in places]
            more = len(found) - _MOST_OF_A_KIND
            yield Finding(
                self._level, self._kind, f"{more} more findings like these", rest
            )


def findings(it: Inspected) -> Iterator[Finding]:
    """All of them; none for a graph that can be imported and whose ops have kernels here."""
    yield from _versions(it)
    yield from _functions(it)
    yield from _ops(it)
    for body in it.bodies:
        yield from _names(body)
        yield from _cycles(body)
    yield from _edges(it)
    yield from _attrs(it)
    yield from _constants(it)
    yield from _signatures(it)


def _versions(it: Inspected) -> Iterator[Finding]:
    mine = versions.GRAPH_DEF_VERSION
    wants = it.graph.versions.min_consumer
    if wants > mine:
        text = f"the graph wants a TensorFlow that reads graphs of version {wants}; here it is {mine}"
        yield Finding(BROKEN, "version", text)
    if mine in it.graph.versions.bad_consumers:
        yield Finding(BROKEN, "version", f"the graph forbids readers of version {mine}")


def _functions(it: Inspected) -> Iterator[Finding]:
    for circle in it.calls.circles:
        way = " -> ".join(map(inspect_graph.short, (*circle[:6], circle[0])))
        more = f" (by way of {len(circle)} functions)" if len(circle) > 6 else ""
        text = f"functions call themselves, which is refused: {way}{more}"
        yield Finding(BROKEN, "recursion", text, [Place("", "", f) for f in circle])
    if it.calls.depth is not None and it.calls.depth > _MOST_DEEP:
        text = f"functions call each other {it.calls.depth:,} deep; at most {_MOST_DEEP} are allowed"
        yield Finding(BROKEN, "recursion", text)
    counted = collections.Counter(body.function for body in it.bodies[1:])
    for name, count in counted.items():
        said = inspect_graph.short(name)
        if name in it.known:
            text = f"a function is called {said}, as an op of this library is: nodes of that op would run the function"
            yield Finding(BROKEN, "function name", text, [Place("", "", name)])
        if count > 1:
            text = f"{count} functions are called {said}"
            yield Finding(BROKEN, "function name", text, [Place("", "", name)])


# ---- Ops.


def _ops(it: Inspected) -> Iterator[Finding]:
    unknown = it.unknown_ops
    for item in unknown[:_MOST_OF_A_KIND]:
        similar = item["similar"]
        hint = f"; similar: {', '.join(similar)}" if similar else ""
        nodes = inspect_graph.nodes_text(item["places"])
        name = inspect_graph.short(item["op"]) or "(without a name)"
        text = (
            f"op {name} is not registered here, used by {nodes}: {item['origin']}{hint}"
        )
        yield Finding(BROKEN, "unknown op", text, item["places"])
    rest = unknown[_MOST_OF_A_KIND:]
    if rest:
        places = [place for item in rest for place in item["places"]]
        text = f"{len(rest)} more ops are not registered here"
        yield Finding(BROKEN, "unknown op", text, places)
    kernels = _Grouped("kernel")
    removed, old = _Grouped("deprecated op"), _Grouped("deprecated op", NOTE)
    for body in it.bodies:
        for node in body.nodes:
            data = it.known.get(node.op)
            if data is None or node.op in it.functions:
                continue
            if why := doctor_graph.lacks_kernel(node, data):
                kernels.add(f"there is no {why.removeprefix('a ')}", node, body)
            definition = graph_bodies.op_def(data["op_def"])
            if definition.HasField("deprecation"):
                since = definition.deprecation.version
                explained = definition.deprecation.explanation
                text = f"op {node.op} was removed in graphs of version {since}"
                # The importer compares with the version of the graph's producer.
                if it.producer >= since:
                    more = f", and this one is of {it.producer}: it is refused. {explained}"
                    removed.add(text + more, node, body)
                else:
                    old.add(f"{text}. {explained}", node, body)
    for grouped in (kernels, removed, old):
        yield from grouped.findings()


# ---- Names and edges.


def _names(body: graph_bodies.Body) -> Iterator[Finding]:
    grouped = _Grouped("name")
    seen: set[str] = set()
    for node in body.nodes:
        # Names that begin with "_" are for what this library adds.
        is_ours = node.name.startswith("_") and bool(body.function)
        if not _NODE_NAME.fullmatch(node.name) and not is_ours:
            grouped.add("a name that no node can have", node, body)
        if node.name in seen:
            grouped.add("several nodes have one name", node, body)
        seen.add(node.name)
    yield from grouped.findings()


def _cycles(body: graph_bodies.Body) -> Iterator[Finding]:
    edges: dict[str, list[str]] = {}
    for node in body.nodes:
        feedback = _FEEDBACK.get(node.op, ())
        edges[node.name] = [
            name
            for name, _ in map(graph_bodies.split_input, node.input)
            if name in body.by_name and body.by_name[name].op not in feedback
        ]
    for group in inspect_calls.groups(edges):
        if len(group) == 1 and group[0] not in edges[group[0]]:
            continue
        places = [Place(n, body.by_name[n].op, body.function) for n in group]
        text = f"nodes wait for each other in a circle that is no loop: {inspect_graph.nodes_text(places)}"
        yield Finding(BROKEN, "cycle", text, places)


def _edges(it: Inspected) -> Iterator[Finding]:
    grouped = _Grouped("input")
    for body in it.bodies:
        args = set(body.args)
        for node in body.nodes:
            late = False
            for text in node.input:
                name, port = graph_bodies.split_input(text)
                late = late or port < 0
                said = inspect_graph.short(text)
                if name not in body.by_name and name not in args:
                    grouped.add(f"input {said!r} is no node that is there", node, body)
                elif port >= 0 and late:
                    grouped.add(
                        "a control input stands before other inputs", node, body
                    )
                elif not body.function and port >= _outputs(it, body.by_name[name]):
                    grouped.add(f"input {said!r} is no output of that node", node, body)
            if words := _wrong_number(it, node):
                grouped.add(words, node, body)
    yield from grouped.findings()


def _definition(it: Inspected, op: str) -> Any | None:
    """The OpDef of an op, or the signature of a function; None if there is neither."""
    if op in it.functions:
        return it.functions[op].signature
    data = it.known.get(op)
    return None if data is None else graph_bodies.op_def(data["op_def"])


def _counted(args: Any, node: Any) -> int | None:
    places = graph_bodies.places_of_args(args, node)
    if places is None:
        return None
    return max((p.stop for p in places.values()), default=0)


def _outputs(it: Inspected, node: Any) -> float:
    definition = _definition(it, node.op)
    count = None if definition is None else _counted(definition.output_arg, node)
    return float("inf") if count is None else count


def _wrong_number(it: Inspected, node: Any) -> str:
    definition = _definition(it, node.op)
    count = None if definition is None else _counted(definition.input_arg, node)
    given = sum(1 for text in node.input if not text.startswith("^"))
    if count is None or count == given:
        return ""
    return f"op {inspect_graph.short(node.op)} takes {count} input{'' if count == 1 else 's'} here, got {given}"


# ---- Attrs.


def _attrs(it: Inspected) -> Iterator[Finding]:
    grouped = _Grouped("attr")
    dropped = _defaults_of_producer(it)
    for body in it.bodies:
        for node in body.nodes:
            if node.op in it.functions or node.op not in it.known:
                continue
            definition = graph_bodies.op_def(it.known[node.op]["op_def"])
            declared = {attr.name: attr for attr in definition.attr}
            for name, value in node.attr.items():
                # Exporters' own notes begin so.
                if name in declared or name.startswith("_"):
                    continue
                default = dropped.get((node.op, name))
                if default is None or default != value.SerializeToString():
                    said = inspect_graph.short(name)
                    grouped.add(f"op {node.op} has no attr {said!r} here", node, body)
            for name, attr in declared.items():
                if words := _wrong_attr(node, attr):
                    grouped.add(f"op {node.op}, attr {name!r}: {words}", node, body)
    yield from grouped.findings()


def _defaults_of_producer(it: Inspected) -> dict[tuple[str, str], bytes]:
    """(op, attr) -> the default that the producer's ops have, with which an importer drops an attr that it does not know."""
    if it.meta is None:
        return {}
    return {
        (op.name, attr.name): attr.default_value.SerializeToString()
        for op in it.meta.meta_info_def.stripped_op_list.op
        for attr in op.attr
        if attr.HasField("default_value")
    }


def _wrong_attr(node: Any, attr: Any) -> str:
    """Words about a wrong attr of a node; "" if it is right."""
    if attr.name not in node.attr:
        return "" if attr.HasField("default_value") else "it is missing"
    value = node.attr[attr.name]
    which = value.WhichOneof("value")
    if which == "placeholder":
        return ""  # The caller of the function says what it is.
    is_list = attr.type.startswith("list(")
    field = "list" if is_list else _FIELDS[attr.type]
    if which != field:
        return f"it must be a {attr.type}, got {which or 'nothing'}"
    if attr.type in ("type", "list(type)"):
        return _wrong_types(value.list.type if is_list else [value.type], attr)
    if attr.has_minimum:
        number = (
            len(getattr(value.list, _FIELDS[attr.type[5:-1]])) if is_list else value.i
        )
        if number < attr.minimum:
            what = "elements" if is_list else ""
            return f"it must be at least {attr.minimum}, got {number} {what}".rstrip()
    return ""


def _wrong_types(numbers: Any, attr: Any) -> str:
    allowed = attr.allowed_values.list.type
    for number in numbers:
        name = doctor_graph.dtype_name(number)
        if number == 0 or name.startswith("type "):
            return f"{number} is no dtype"
        if allowed and number not in allowed:
            return f"{name} is none of the types that it may be"
    return ""


# ---- Constants and signatures.


def _constants(it: Inspected) -> Iterator[Finding]:
    for constant in it.constants:
        if not constant.fault:
            continue
        place = Place(constant.node, "Const", constant.function)
        shape = inspect_sizes.shape_text(constant.shape)
        text = f"the constant of {inspect_graph.place_text(place)}, {constant.dtype} {shape}: {constant.fault}"
        yield Finding(BROKEN, "constant", text, [place])


def _signatures(it: Inspected) -> Iterator[Finding]:
    for purpose in it.purposes:
        if purpose.missing:
            names = inspect_graph.listed(map(inspect_graph.short, purpose.missing))
            what = f"signature {inspect_graph.short(purpose.name)!r}"
            if purpose.name == inspect_needs.LOADING:
                what = "what is to be run after loading"
            text = f"{what} names nodes that are not there: {names}"
            yield Finding(BROKEN, "signature", text)
