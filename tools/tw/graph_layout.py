# SPDX-License-Identifier: Apache-2.0
"""Lays out the nodes of a dataflow graph: in rows, inputs above, few crossings.

Rows come from the longest way to a node; a node without inputs stands right above its
first consumer.  Barycentres order the rows; then each row is moved to where its
neighbours are, without overlap, by isotonic regression.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

ROW_GAP = 40
COLUMN_GAP = 20
# Room for an edge that passes a row.
_EDGE_WIDTH = 10
_ORDER_SWEEPS = 12
_PLACE_SWEEPS = 16


@dataclasses.dataclass
class Layout:
    """`x`, `y`: centres of nodes.  `routes`: points of each edge, in the edges' order."""

    x: list[float]
    y: list[float]
    routes: list[list[tuple[float, float]]]
    width: float
    height: float


def layout(
    widths: Sequence[float], height: float, edges: Sequence[tuple[int, int]]
) -> Layout:
    """Places nodes of `widths`, all of one height."""
    n = len(widths)
    forward = _without_cycles(n, edges)
    row_of = _rows(n, forward)
    rows, chains = _with_edge_points(row_of, forward)
    size = [*widths, *[_EDGE_WIDTH] * (sum(len(c) for c in chains))]
    above: list[list[int]] = [[] for _ in size]
    below: list[list[int]] = [[] for _ in size]
    for chain, (u, v) in zip(chains, forward, strict=True):
        way = [u, *chain, v]
        for a, b in zip(way, way[1:]):
            below[a].append(b)
            above[b].append(a)
    _order(rows, above, below)
    x = _place(rows, size, above, below)
    left = min((x[i] - size[i] / 2 for i in range(len(size))), default=0)
    x = [v - left for v in x]
    step = height + ROW_GAP
    row_index = {i: r for r, row in enumerate(rows) for i in row}
    y = [row_index[i] * step + height / 2 for i in range(len(size))]
    routes = _routes(edges, forward, chains, x, y, height)
    total = max((x[i] + size[i] / 2 for i in range(len(size))), default=0)
    return Layout(x[:n], y[:n], routes, total, len(rows) * step - ROW_GAP)


def _without_cycles(n: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The edges with those turned round that lead back in a loop."""
    out: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        out[u].append(v)
    state = [0] * n  # 1: on the way from the root, 2: done.
    back = set()
    for root in range(n):
        if state[root]:
            continue
        stack = [(root, iter(out[root]))]
        state[root] = 1
        while stack:
            u, targets = stack[-1]
            for v in targets:
                if state[v] == 1:
                    back.add((u, v))
                elif state[v] == 0:
                    state[v] = 1
                    stack.append((v, iter(out[v])))
                    break
            else:
                state[u] = 2
                stack.pop()
    return [(v, u) if (u, v) in back else (u, v) for u, v in edges]


def _rows(n: int, edges: list[tuple[int, int]]) -> list[int]:
    """The row of each node: below all it depends on, sources just above their use."""
    out: list[list[int]] = [[] for _ in range(n)]
    waiting = [0] * n
    for u, v in edges:
        if u != v:
            out[u].append(v)
            waiting[v] += 1
    row = [0] * n
    sources = [i for i in range(n) if not waiting[i]]
    queue = list(sources)
    for u in queue:  # grows while it is walked
        for v in out[u]:
            row[v] = max(row[v], row[u] + 1)
            waiting[v] -= 1
            if not waiting[v]:
                queue.append(v)
    for u in sources:
        if out[u]:
            row[u] = min(row[v] for v in out[u]) - 1
    lowest = min(row, default=0)
    return [r - lowest for r in row]


def _with_edge_points(
    row_of: list[int], edges: list[tuple[int, int]]
) -> tuple[list[list[int]], list[list[int]]]:
    """Rows of nodes and of points, numbered after the nodes, where long edges pass."""
    rows: list[list[int]] = [[] for _ in range(max(row_of, default=-1) + 1)]
    for node, row in enumerate(row_of):
        rows[row].append(node)
    chains, following = [], len(row_of)
    for u, v in edges:
        between = range(row_of[u] + 1, row_of[v])
        chains.append(list(range(following, following + len(between))))
        for point, row in zip(chains[-1], between, strict=True):
            rows[row].append(point)
        following += len(between)
    return rows, chains


def _order(
    rows: list[list[int]], above: list[list[int]], below: list[list[int]]
) -> None:
    """Sorts each row by the mean position of its neighbours, down and up again."""
    position: dict[int, float] = {}

    def renumber(row: list[int]) -> None:
        middle = (len(row) - 1) / 2
        position.update((node, i - middle) for i, node in enumerate(row))

    for row in rows:
        renumber(row)
    for sweep in range(_ORDER_SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for row in rows if down else reversed(rows):

            def key(node: int) -> float:
                near = neighbours[node]
                if not near:
                    return position[node]
                return sum(position[m] for m in near) / len(near)

            row.sort(key=key)
            renumber(row)


def _place(
    rows: list[list[int]],
    size: Sequence[float],
    above: list[list[int]],
    below: list[list[int]],
) -> list[float]:
    x = [0.0] * len(size)
    for row in rows:
        at = 0.0
        for node in row:
            x[node] = at + size[node] / 2
            at += size[node] + COLUMN_GAP
        for node in row:
            x[node] -= at / 2
    for sweep in range(_PLACE_SWEEPS):
        neighbours = (above, below)[sweep % 2]
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = []
            for node in row:
                near = sorted(x[m] for m in neighbours[node]) or [x[node]]
                half = len(near) // 2
                wanted.append((near[half] + near[-half - 1]) / 2)
            for node, at in zip(row, _apart(row, wanted, size), strict=True):
                x[node] = at
    return x


def _apart(row: list[int], wanted: list[float], size: Sequence[float]) -> list[float]:
    """The places nearest to `wanted` at which neighbours do not overlap.

    With the room that they need taken off, places must only not decrease: blocks that
    would are pooled at their mean.
    """
    shift, shifts = 0.0, []
    for i, node in enumerate(row):
        if i:
            shift += (size[row[i - 1]] + size[node]) / 2 + COLUMN_GAP
        shifts.append(shift)
    blocks: list[list[float]] = []  # [sum, count]
    for place, moved in zip(wanted, shifts, strict=True):
        blocks.append([place - moved, 1])
        while len(blocks) > 1 and (
            blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]
        ):
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    means = [total / count for total, count in blocks for _ in range(int(count))]
    return [m + s for m, s in zip(means, shifts, strict=True)]


def _routes(
    edges: Sequence[tuple[int, int]],
    forward: list[tuple[int, int]],
    chains: list[list[int]],
    x: list[float],
    y: list[float],
    height: float,
) -> list[list[tuple[float, float]]]:
    routes = []
    for edge, (u, v), chain in zip(edges, forward, chains, strict=True):
        points = [(x[u], y[u] + height / 2)]
        points += [(x[p], y[p]) for p in chain]
        points.append((x[v], y[v] - height / 2))
        routes.append(points if edge == (u, v) else points[::-1])
    return routes
