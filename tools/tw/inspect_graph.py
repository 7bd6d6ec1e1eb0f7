# SPDX-License-Identifier: Apache-2.0
"""One graph of a file, with all that `tw inspect` works out about it, each once."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from collections.abc import Iterable
from typing import Any

from tensorwright.tools.tw import (
    doctor_graph,
    graph_bodies,
    graph_file,
    inspect_calls,
    inspect_needs,
    inspect_sizes,
)

# How bad a finding is, the worst first: it reaches outside of the graph, it does not load or run here, it may cost
# much memory or time, it is worth knowing.
OUTSIDE, BROKEN, COSTLY, NOTE = LEVELS = ("outside", "broken", "costly", "note")
_MOST_NAMES = 3
_LONGEST_NAME = 80


@dataclasses.dataclass
class Finding:
    """Something that a user has to know before the graph is run.

    Attributes:
        level: one of LEVELS.
        kind: what it is about, a word or two.
        text: a sentence.
        places: the nodes that it is about.
    """

    level: str
    kind: str
    text: str
    places: list[inspect_needs.Place] = dataclasses.field(default_factory=list)


def short(name: str) -> str:
    """A name that fits a sentence."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."


def counted(number: int, what: str) -> str:
    """`1 node`, `2,000 nodes`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def place_text(place: inspect_needs.Place) -> str:
    """`read`, or `read in function f`."""
    inside = f" in function {short(place.function)}" if place.function else ""
    return f"{short(place.node)}{inside}"


def listed(texts: Iterable[str], most: int = _MOST_NAMES) -> str:
    """`a, b, c and 2 more`."""
    texts = list(texts)
    shown = ", ".join(texts[:most])
    more = len(texts) - most
    return f"{shown} and {more} more" if more > 0 else shown


def nodes_text(places: list[inspect_needs.Place]) -> str:
    """`5 nodes (a, b in function f, c and 2 more)`."""
    return f"{counted(len(places), 'node')} ({listed(map(place_text, places))})"


def ops_text(places: list[inspect_needs.Place]) -> str:
    """`ReadFile (read), RestoreV2 (save/RestoreV2 and 1 more)`."""
    by_op: dict[str, list[str]] = {}
    for place in places:
        by_op.setdefault(place.op, []).append(place_text(place))
    texts = [f"{op} ({listed(names, 2)})" for op, names in by_op.items()]
    return listed(texts, 4)


class Inspected:
    """A graph and what is known about it.

    Attributes:
        path: what the user named, a file or the folder of a SavedModel.
        graph: the GraphDef.
        meta: the MetaGraphDef around it, or None.
        checkpoint: the checkpoint beside it, or None.
        checkpoint_error: why that one cannot be read; "" if it can, or if there is none.
    """

    def __init__(
        self,
        path: pathlib.Path,
        item: graph_file.GraphInFile,
        checkpoint: inspect_sizes.Checkpoint | None = None,
        checkpoint_error: str = "",
    ):
        self.path = path
        self.graph = item.graph
        self.meta = item.meta
        self.version = item.version
        self.checkpoint = checkpoint
        self.checkpoint_error = checkpoint_error
        # Tensors of the checkpoint that belong to no variable of the graph.
        self.not_in_graph: list[str] = []
        self.producer = item.graph.versions.producer
        self.bodies = graph_bodies.bodies(item.graph)
        self.calls = inspect_calls.Calls(item.graph, self.bodies)
        self.known = graph_bodies.registrations(item.graph)
        self.functions = self.calls.library.functions

    @property
    def body(self) -> graph_bodies.Body:
        """The graph's own nodes."""
        return self.bodies[0]

    @functools.cached_property
    def node_count(self) -> int:
        """The nodes of the graph and of its functions."""
        return sum(len(body.nodes) for body in self.bodies)

    @functools.cached_property
    def places(self) -> dict[str, list[inspect_needs.Place]]:
        """Capability -> the nodes that have it."""
        return inspect_needs.places(self.bodies, self.known, self.functions)

    @functools.cached_property
    def unknown_ops(self) -> list[dict[str, Any]]:
        """The ops that are not registered: {op, count, origin, similar, places}, those of most nodes first."""
        found: dict[str, list[inspect_needs.Place]] = {}
        for body in self.bodies:
            for node in body.nodes:
                if node.op not in self.known and node.op not in self.functions:
                    place = inspect_needs.Place(node.name, node.op, body.function)
                    found.setdefault(node.op, []).append(place)
        ops = sorted(found, key=lambda op: (-len(found[op]), op))
        similar = doctor_graph.similar_ops(ops)
        return [
            {
                "op": op,
                "count": len(found[op]),
                "origin": doctor_graph.origin(op),
                "similar": similar[op],
                "places": found[op],
            }
            for op in ops
        ]

    @functools.cached_property
    def constants(self) -> list[inspect_sizes.Constant]:
        """The tensors in attrs, the largest first."""
        found = inspect_sizes.constants(self.bodies)
        return sorted(found, key=lambda constant: -constant.size)

    @functools.cached_property
    def variables(self) -> list[inspect_sizes.Variable]:
        """The variables, the largest first, compared with the checkpoint if there is one."""
        found = inspect_sizes.variables(self.bodies, self.calls)
        if self.checkpoint is not None:
            self.not_in_graph = self.checkpoint.compare(found)
        return sorted(found, key=lambda variable: -(variable.size or 0))

    @functools.cached_property
    def purposes(self) -> list[inspect_needs.Purpose]:
        """Loading and the signatures, and what they need."""
        return inspect_needs.purposes(self.meta, self.body, self.calls)

    @functools.cached_property
    def uses(self) -> list[graph_bodies.FileUse]:
        """The files that nodes open; an asset by the place that the loader gives it."""
        assets = self.assets
        arguments = inspect_calls.Arguments(self.calls, self.bodies)
        found = []
        for body in self.bodies:
            for use in graph_bodies.file_uses(body, self.known, arguments.texts):
                if use.node.op in self.functions:
                    continue
                asset = assets.get(use.constant)
                if asset is not None:
                    use = dataclasses.replace(use, file=str(asset), has_parts=False)
                found.append(use)
        return found

    @functools.cached_property
    def assets(self) -> dict[str, pathlib.Path]:
        """Node of a constant -> the asset whose name a loader gives it."""
        if self.meta is None:
            return {}
        folder = self.path if self.path.is_dir() else self.path.parent
        return {
            graph_bodies.split_input(asset.tensor_info.name)[0]: folder
            / "assets"
            / asset.filename
            for asset in self.meta.asset_file_def
        }

    @functools.cached_property
    def quiet_ops(self) -> set[str]:
        """The ops that could open files, touch nothing else, and open none in this graph: PrintV2, which prints on stderr."""
        opening = {(use.function, use.node.name) for use in self.uses}
        found: set[str] = set()
        others: set[str] = set()
        for kind in graph_bodies.FILE_TOUCHES:
            for place in self.places.get(kind, []):
                is_quiet = (place.function, place.node) not in opening
                (found if is_quiet else others).add(place.op)
        touches = {op: set(self.known[op]["touches"]) for op in found - others}
        return {op for op, t in touches.items() if t <= set(graph_bodies.FILE_TOUCHES)}

    def purposes_of(self, place: inspect_needs.Place) -> list[str]:
        """The purposes that need a node: loading, signatures."""
        return [p.name for p in self.purposes if p.has(place)]
