# SPDX-License-Identifier: Apache-2.0
"""A hook, at most one, that takes part in adding every operation to every graph."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorwright.python.framework.graph import Graph


# Has `control_inputs(graph, op_type, inputs)`, which gives Operations that the new one waits for, and
# `added(graph, op)`, which may add to `graph._fetch_checks`.
active: Any = None

_graphs: weakref.WeakSet = weakref.WeakSet()


def add_graph(graph: Graph) -> None:
    """Makes a new Graph known: it hears of hooks."""
    _graphs.add(graph)
    if active is not None:
        graph._update_plain()


def set_active(hook: Any) -> None:
    """Sets the hook, or takes it away (None)."""
    global active
    active = hook
    for graph in list(_graphs):
        graph._update_plain()
