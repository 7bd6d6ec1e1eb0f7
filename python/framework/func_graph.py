# SPDX-License-Identifier: Apache-2.0
"""The graph of a function's body, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorwright.python.framework import function_graph, ops


class _OfAnyBody(type):
    """The class of FuncGraph: a body that the library made is an instance too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, function_graph.FuncGraph)


class FuncGraph(function_graph.FuncGraph, metaclass=_OfAnyBody):
    """A graph inside the default one.

    An operation here may use tensors of the graph around it, which are captured: `captures` has (tensor, placeholder).

    Args:
        name: the function's name.
        collections: key -> values of collections that the graph begins with; those of the graph around it if it is None.
        capture_by_value: copy the operation of a captured tensor, with all it needs, instead of a placeholder.

    Example:
        body = FuncGraph("twice")
        with body.as_default():
            body.outputs.append(2 * x)  # x is of the graph around.
    """

    def __init__(
        self,
        name: str,
        collections: Mapping[str, Sequence[object]] | None = None,
        capture_by_value: bool | None = None,
    ):
        super().__init__(ops.get_default_graph(), bool(capture_by_value))
        self.name = name
        if collections is not None:
            self._collections.clear()
            self._collections.update({k: list(v) for k, v in collections.items()})
