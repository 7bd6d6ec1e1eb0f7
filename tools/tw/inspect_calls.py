# SPDX-License-Identifier: Apache-2.0
"""The calls of a graph's functions: which it reaches and how, which call themselves, how deep and how often they are called."""

from __future__ import annotations

import collections
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

from tensorwright.tools.tw import graph_bodies

_T = TypeVar("_T", bound=Hashable)
# Larger counts of calls are this one.
MOST_CALLS = 10**18
# They give their inputs to the function in their attr, in order.
_CALL_OPS = ("PartitionedCall", "StatefulPartitionedCall")
# Arguments are followed through so many calls, which is as deep as functions may call each other.
_MOST_CALLS_FOLLOWED = 100


def groups(edges: Mapping[_T, Iterable[_T]]) -> list[list[_T]]:
    """The strongly connected parts of a graph given as name -> names; a part comes after those that it leads to."""
    number: dict[_T, int] = {}
    low: dict[_T, int] = {}
    stack: list[_T] = []
    on_stack: set[_T] = set()
    work: list[tuple[_T, Any]] = []
    found = []

    def enter(name: _T) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        on_stack.add(name)
        work.append((name, iter(edges.get(name, ()))))

    for root in edges:
        if root not in number:
            enter(root)
        while work:
            name, rest = work[-1]
            for to in rest:
                if to not in number:
                    enter(to)
                    break
                if to in on_stack:
                    low[name] = min(low[name], number[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    group = [stack.pop()]
                    while group[-1] != name:
                        group.append(stack.pop())
                    on_stack.difference_update(group)
                    found.append(group[::-1])
    return found


class Calls:
    """The calls between a graph and its functions, none of which is followed by recursion.

    Attributes:
        library: the functions.
        callees: function -> how often its body names each function; "" is the graph.
        circles: functions that call themselves, directly or through each other.
        depth: how many functions call each other in a row at most; None where some call themselves.
        count: how often functions are called in a run that takes each call once, at most MOST_CALLS; None as above.
    """

    def __init__(self, graph: Any, bodies: list[graph_bodies.Body]):
        self.library = graph_bodies.Library(graph)
        self.callees: dict[str, collections.Counter[str]] = {}
        # Function -> (the caller, its node), the first on a shortest way from the graph.
        self._caller: dict[str, tuple[str, str]] = {}
        self._nodes: dict[str, dict[str, str]] = {}
        for body in bodies:
            self._add(body)
        self._find_callers()
        self.order = groups(self.callees)
        self.circles = [
            g for g in self.order if len(g) > 1 or g[0] in self.callees[g[0]]
        ]
        self.depth: int | None = None
        self.count: int | None = None
        if not self.circles:
            self._measure()

    def _add(self, body: graph_bodies.Body) -> None:
        # Two functions may have one name.
        counted = self.callees.setdefault(body.function, collections.Counter())
        first = self._nodes.setdefault(body.function, {})
        has_any = False
        for node in body.nodes:
            names, is_any = self.library.named_by(node)
            if is_any and not has_any:
                # Once for a body: their number does not matter.
                has_any = True
                names = [*names, *self.library.gradients.values()]
            for name in names:
                counted[name] += 1
                first.setdefault(name, node.name)
        if body.function:
            for name in self.library.named_by_defaults(body.function):
                counted[name] += 1
                first.setdefault(name, "a default of its attrs")

    def _find_callers(self) -> None:
        queue = collections.deque([""])
        while queue:
            caller = queue.popleft()
            for name, node in self._nodes.get(caller, {}).items():
                if name not in self._caller:
                    self._caller[name] = (caller, node)
                    queue.append(name)

    def _measure(self) -> None:
        depths: dict[str, int] = {}
        counts: dict[str, int] = {}
        for (name,) in self.order:
            called = self.callees[name]
            depths[name] = max((depths[c] + 1 for c in called), default=0)
            total = sum(n * (counts[c] + 1) for c, n in called.items())
            counts[name] = min(total, MOST_CALLS)
        self.depth, self.count = depths[""], counts[""]

    def is_reached(self, function: str) -> bool:
        """Does the graph call it, however indirectly?"""
        return not function or function in self._caller

    def caller(self, function: str) -> tuple[str, str] | None:
        """(the function, its node) that a shortest way from the graph to a function comes by; None if there is no way."""
        return self._caller.get(function)

    def way(self, function: str) -> list[str]:
        """The node of the graph that leads to a function, and the functions on the way: ["map", "f", "g"]."""
        steps: list[str] = []
        while function and function in self._caller:
            steps.append(function)
            function, node = self._caller[function]
            if not function:
                steps.append(node)
        return steps[::-1]

    def with_callees(self, own: Mapping[str, set[str]]) -> dict[str, set[str]]:
        """Adds to what is said of each function what is said of all that it calls, however indirectly."""
        found: dict[str, set[str]] = {}
        for group in self.order:
            said: set[str] = set()
            for name in group:
                said |= own.get(name, set())
                for callee in self.callees[name]:
                    said |= found.get(callee, set())
            found.update(dict.fromkeys(group, said))
        return found

    def below(self, nodes: Iterable[Any]) -> set[str]:
        """All functions that these nodes of the graph may call, however indirectly."""
        found: set[str] = set()
        left: list[str] = []
        for node in nodes:
            names, is_any = self.library.named_by(node)
            left.extend(names)
            if is_any:
                left.extend(self.library.gradients.values())
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left.extend(self.callees.get(name, ()))
        return found


class Arguments:
    """The constants behind the inputs of functions' nodes, through however many calls.

    A call is a node whose op is the function, or one of _CALL_OPS with it; what other nodes give a function, as the dataset
    of a map does, comes when the graph runs.
    """

    def __init__(self, calls: Calls, bodies: list[graph_bodies.Body]):
        self._bodies = {body.function: body for body in bodies}
        self._callers: dict[str, list[tuple[graph_bodies.Body, Any, bool]]] = {}
        for body in bodies:
            for node in body.nodes:
                for name in calls.library.named_by(node)[0]:
                    is_call = node.op == name or node.op in _CALL_OPS
                    self._callers.setdefault(name, []).append((body, node, is_call))
        self._known: dict[tuple[str, int], tuple[dict[str, str], bool]] = {}

    def texts(
        self, body: graph_bodies.Body, text: str, depth: int = 0
    ) -> tuple[dict[str, str], bool]:
        """The texts that an input may have, each with the node of its constant in the graph, or ""; and whether these are all."""
        found = graph_bodies.source(body, text)
        if found is not None:
            name = "" if body.function else found[0].name
            given = dict.fromkeys(graph_bodies.texts(body, text), name)
            return given, bool(given)
        argument = graph_bodies.argument(body, text)
        if argument is None or depth > _MOST_CALLS_FOLLOWED:
            return {}, False
        key = (body.function, argument)
        if key not in self._known:
            # For functions that call themselves.
            self._known[key] = {}, False
            self._known[key] = self._given(*key, depth)
        return self._known[key]

    def _given(
        self, function: str, place: int, depth: int
    ) -> tuple[dict[str, str], bool]:
        names: dict[str, str] = {}
        callers = self._callers.get(function, [])
        are_all = bool(callers)
        for body, node, is_call in callers:
            if not is_call or place >= len(node.input):
                are_all = False
                continue
            given, given_all = self.texts(body, node.input[place], depth + 1)
            names.update(given)
            are_all = are_all and given_all
        return names, are_all
