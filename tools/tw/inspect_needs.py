# SPDX-License-Identifier: Apache-2.0
"""The capabilities of a graph's nodes, by the registrations of their ops, and which nodes loading it and its signatures need."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from tensorwright.tools.tw import graph_bodies, inspect_calls, ops

CAPABILITIES = (*ops.TOUCH_KINDS, *ops.NEED_KINDS)
# Signatures by which exporters tell loaders what to run.
_INIT_SIGNATURE = "__saved_model_init_op"
_INTERNAL = "__saved_model"
_INIT_COLLECTIONS = ("saved_model_main_op", "legacy_init_op")
# No signature has that name: it stands in the list of them.
LOADING = "(loading)"
# The needs of so many signatures are worked out one by one; those of the rest together.
_MOST_SIGNATURES = 100


def capabilities_of(data: dict[str, Any] | None) -> tuple[str, ...]:
    """The capabilities of an op, by its registration; none of one that is not registered."""
    return () if data is None else (*data["touches"], *data["needs"])


@dataclasses.dataclass
class Place:
    """A node, by its name and the function that it is in; "" is the graph."""

    node: str
    op: str
    function: str


def places(
    bodies: list[graph_bodies.Body], known: dict[str, Any], functions: Any
) -> dict[str, list[Place]]:
    """Capability -> the nodes whose op has it, in the graph and in its functions."""
    of_op = {
        name: capabilities_of(data)
        for name, data in known.items()
        if name not in functions
    }
    found: dict[str, list[Place]] = {}
    for body in bodies:
        for node in body.nodes:
            for kind in of_op.get(node.op, ()):
                found.setdefault(kind, []).append(
                    Place(node.name, node.op, body.function)
                )
    return {kind: found[kind] for kind in CAPABILITIES if kind in found}


# ---- Purposes.


@dataclasses.dataclass
class Purpose:
    """Something that a program does with a graph: load it, or run a signature.

    Attributes:
        name: LOADING, or the signature's.
        nodes: the names of the graph's nodes that it needs.
        functions: the functions that these may call.
        missing: names of tensors and nodes that are not in the graph.
    """

    name: str
    nodes: set[str]
    functions: set[str]
    missing: list[str]

    def has(self, place: Place) -> bool:
        """Does it need that node?"""
        if place.function:
            return place.function in self.functions
        return place.node in self.nodes


def purposes(
    meta: Any, graph: graph_bodies.Body, calls: inspect_calls.Calls
) -> list[Purpose]:
    """The purposes of a MetaGraphDef, loading first; none without one."""
    if meta is None:
        return []
    loading = [_purpose(LOADING, _init_nodes(meta), (), graph, calls)]
    keys = [k for k in sorted(meta.signature_def) if not k.startswith(_INTERNAL)]
    signatures = []
    for key in keys[:_MOST_SIGNATURES]:
        side = meta.signature_def[key]
        given = _tensors(side.inputs)
        signatures.append(_purpose(key, _tensors(side.outputs), given, graph, calls))
    rest = keys[_MOST_SIGNATURES:]
    if rest:
        wanted = [n for key in rest for n in _tensors(meta.signature_def[key].outputs)]
        signatures.append(_purpose(f"{len(rest)} more", wanted, (), graph, calls))
    return loading + signatures


def _init_nodes(meta: Any) -> list[str]:
    """The nodes that a loader runs."""
    found = [meta.saver_def.restore_op_name]
    for key in _INIT_COLLECTIONS:
        if key in meta.collection_def:
            found.extend(meta.collection_def[key].node_list.value)
    if _INIT_SIGNATURE in meta.signature_def:
        found.extend(_tensors(meta.signature_def[_INIT_SIGNATURE].outputs))
    return [name for name in found if name]


def _tensors(infos: Any) -> list[str]:
    """The names of the tensors of a signature's side."""
    found = []
    left = list(infos.values())
    while left:
        info = left.pop()
        kind = info.WhichOneof("encoding")
        if kind == "name":
            found.append(info.name)
        elif kind == "coo_sparse":
            sparse = info.coo_sparse
            found += [sparse.indices_tensor_name, sparse.values_tensor_name]
            found.append(sparse.dense_shape_tensor_name)
        elif kind == "composite_tensor":
            left.extend(info.composite_tensor.components)
    return found


def _purpose(
    name: str,
    wanted: Iterable[str],
    fed: Iterable[str],
    graph: graph_bodies.Body,
    calls: inspect_calls.Calls,
) -> Purpose:
    given = {graph_bodies.split_input(text)[0] for text in fed}
    roots = [graph_bodies.split_input(text)[0] for text in wanted]
    missing = sorted({n for n in (*roots, *given) if n not in graph.by_name})
    nodes: set[str] = set()
    left = list(roots)
    while left:
        at = left.pop()
        if at in nodes or at not in graph.by_name:
            continue
        nodes.add(at)
        # A tensor that is fed needs nothing.
        if at not in given:
            inputs = graph.by_name[at].input
            left.extend(graph_bodies.split_input(text)[0] for text in inputs)
    functions = calls.below(graph.by_name[n] for n in nodes if n not in given)
    return Purpose(name, nodes, functions, missing)
