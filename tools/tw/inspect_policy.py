# SPDX-License-Identifier: Apache-2.0
"""The smallest tf.Policy that allows a graph, as a line of Python."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

from tensorwright.tools.tw import graph_bodies, inspect_needs, inspect_sizes
from tensorwright.tools.tw.inspect_graph import Inspected

_FILES = {"files read": "read", "files written": "write"}


@dataclasses.dataclass
class Smallest:
    """A policy that allows a graph, or a part of it, and nothing more.

    Attributes:
        arguments: those of tf.Policy.sandbox.
        refused: why no such policy allows it; "" if this one does.
        anywhere: capabilities to open files in `arguments` that name no folder, because names come when the graph runs.
    """

    arguments: dict[str, Any]
    refused: str = ""
    anywhere: list[str] = dataclasses.field(default_factory=list)

    @property
    def code(self) -> str:
        """`tf.Policy.sandbox(allow=["blocking"], read=["/models/1"])`."""
        given = (
            f"{name}={json.dumps(value, ensure_ascii=False)}"
            for name, value in self.arguments.items()
        )
        return f"tf.Policy.sandbox({', '.join(given)})"


def for_all(it: Inspected) -> Smallest:
    """The policy whose `check` accepts the whole graph."""
    return _smallest(it, it.graph, it.places)


def for_use(it: Inspected) -> Smallest | None:
    """The policy for loading a model and running its signatures; None where that is nothing less than all of it."""
    if not it.purposes or all(not purpose.nodes for purpose in it.purposes):
        return None
    wanted = {
        kind: [place for place in places if it.purposes_of(place)]
        for kind, places in it.places.items()
    }
    kinds = {kind: places for kind, places in wanted.items() if places}
    nodes = {name for purpose in it.purposes for name in purpose.nodes}
    functions = {name for purpose in it.purposes for name in purpose.functions}
    part = type(it.graph)(versions=it.graph.versions)
    part.node.extend(node for node in it.graph.node if node.name in nodes)
    library = it.graph.library
    part.library.function.extend(
        f for f in library.function if f.signature.name in functions
    )
    part.library.gradient.extend(library.gradient)
    return _smallest(it, part, kinds)


def _smallest(
    it: Inspected, graph: Any, kinds: dict[str, list[inspect_needs.Place]]
) -> Smallest:
    from tensorwright.python.client import policy
    from tensorwright.python.framework import errors

    places = [place for found in kinds.values() for place in found]
    # An op that is allowed by its name opens no file for that.
    quiet = sorted({place.op for place in places} & it.quiet_ops)
    kinds = {k for k, found in kinds.items() if any(p.op not in quiet for p in found)}
    made = Smallest({"allow": [k for k in inspect_needs.CAPABILITIES if k in kinds]})
    if quiet:
        made.arguments["allow_ops"] = quiet
    at = {(place.function, place.node) for place in places}
    for kind, argument in _FILES.items():
        if kind not in kinds:
            continue
        folders = _folders(it, kind, at)
        if folders is None:
            made.anywhere.append(kind)
            continue
        made.arguments["allow"].remove(kind)
        made.arguments[argument] = folders
    made.arguments.update(_limits(it))
    try:
        policy.Policy.sandbox(**made.arguments).check(graph)
    except (errors.OpError, ValueError) as error:
        made.refused = getattr(error, "message", None) or str(error)
    return made


def _folders(it: Inspected, kind: str, at: set[tuple[str, str]]) -> list[str] | None:
    """The folders and files that nodes open; None if some are named only when the graph runs."""
    found: dict[str, None] = {}
    for use in it.uses:
        if kind not in use.touches or (use.function, use.node.name) not in at:
            continue
        if not use.file or graph_bodies.is_checkpoint(use.node.op):
            own = _own_folder(it) if kind == "files read" else None
            if own is not None:
                found[own] = None
                continue
        if not use.file:
            return None
        folder = use.has_parts or kind == "files written"
        found[_folder(use.file) if folder else use.file] = None
    # A folder has all that is in it.
    return [p for p in found if not any(o != p and _is_inside(p, o) for o in found)]


def _own_folder(it: Inspected) -> str | None:
    """The folder from which a loader reads variables and assets."""
    if it.path.is_dir():
        return os.path.abspath(it.path)
    if it.meta is not None and it.checkpoint is not None:
        return os.path.dirname(os.path.abspath(it.checkpoint.path))
    return None


def _folder(file: str) -> str:
    """The folder of a file or, before the first part with a "*", of a pattern."""
    folder = os.path.dirname(file)
    while any(c in folder for c in "*?["):
        folder = os.path.dirname(folder)
    return folder or "."


def _is_inside(file: str, folder: str) -> bool:
    return os.path.abspath(file).startswith(os.path.join(os.path.abspath(folder), ""))


def _limits(it: Inspected) -> dict[str, int]:
    """The limits of the sandbox that the graph goes beyond by its text alone, as large as it needs them."""
    from tensorwright.python.client import policy

    sandbox = policy.Policy.sandbox().to_proto()
    constants = sum(c.size for c in it.constants)
    sizes = [c.size for c in it.constants] + [v.size or 0 for v in it.variables]
    alive = constants + sum(v.size or 0 for v in it.variables)
    wanted = {
        "max_nodes": it.node_count,
        # As the policy counts: a text takes at least the size of its object.
        "max_constant_bytes": constants + _text_objects(it),
        "max_tensor_bytes": max(sizes, default=0),
        "max_memory_bytes": 2 * alive if alive > sandbox.max_memory_bytes else 0,
        "max_function_depth": it.calls.depth or 0,
    }
    return {k: v for k, v in wanted.items() if getattr(sandbox, k) < v < 1 << 62}


def _text_objects(it: Inspected) -> int:
    """The bytes of the objects of the texts in constants."""
    object_bytes = 32
    return sum(
        object_bytes * (inspect_sizes.elements(c.shape) or 0)
        for c in it.constants
        if c.dtype == "string" and c.shape is not None
    )
