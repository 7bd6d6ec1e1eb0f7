# SPDX-License-Identifier: Apache-2.0
"""The Python functions of graphs that this thread is inside of: a session must not be closed by its own run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorwright.python.framework.graph import Graph


_thread = threading.local()


@contextlib.contextmanager
def running(function: object) -> Iterator[None]:
    """A context in which a function of `py_func` runs in this thread."""
    stack = _thread.__dict__.setdefault("functions", [])
    stack.append(function)
    try:
        yield
    finally:
        stack.pop()


def is_inside(graph: Graph) -> bool:
    """Whether a function of a graph is running in this thread."""
    running_here = _thread.__dict__.get("functions")
    if not running_here:
        return False
    kept = getattr(graph, "_py_funcs_used_in_graph", ())
    return any(function is one for function in kept for one in running_here)
