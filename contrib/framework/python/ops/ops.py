# SPDX-License-Identifier: Apache-2.0
"""The graph of some inputs, and the name scope in force."""

from __future__ import annotations

from collections.abc import Iterable

from tensorwright.python.framework import ops

__all__ = ["get_graph_from_inputs", "get_name_scope"]


def get_graph_from_inputs(
    op_input_list: Iterable[object], graph: ops.Graph | None = None
) -> ops.Graph:
    """The graph that all inputs are in; the default graph where none says.

    Args:
        op_input_list: tensors, sparse tensors, operations, variables or other values.
        graph: the graph that they must be in, if given.

    Raises:
        TypeError: `op_input_list` is no list, tuple or other iterable, or `graph` no graph.
        ValueError: two inputs, or an input and `graph`, are in different graphs.
    """
    return ops._get_graph_from_inputs(op_input_list, graph)


def get_name_scope() -> str:
    """The name scope in force: "a/b" inside `name_scope("a")` and `name_scope("b")`."""
    return ops.get_default_graph().get_name_scope()
