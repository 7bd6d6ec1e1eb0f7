# SPDX-License-Identifier: Apache-2.0
"""Statistics of ops (flops, parameters), and shape functions in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import registry
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.util import later

if TYPE_CHECKING:
    from tensorwright.core.framework.node_def_pb2 import NodeDef
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.type_aliases import T

_stats_registry = registry.Registry("statistical functions")


class OpStats:
    """One statistic of a node; addable where it is known."""

    def __init__(self, statistic_type: str, value: TensorLike | None = None):
        self.statistic_type = statistic_type
        self.value = value

    @property
    def statistic_type(self) -> str:
        return self._statistic_type

    @statistic_type.setter
    def statistic_type(self, statistic_type: str) -> None:
        self._statistic_type = statistic_type

    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, value: TensorLike | None) -> None:
        self._value = value

    def __iadd__(self, other: "OpStats") -> "OpStats":
        if other.statistic_type != self.statistic_type:
            raise ValueError(
                f"Can't add an OpStat of type {self.statistic_type} to one of "
                f"{other.statistic_type}."
            )
        values = [s.value for s in (self, other) if s.value is not None]
        if values:
            self.value = sum(values)
        return self


def _check_key(argument: str, value: Any) -> None:
    """TypeError for what cannot be a part of a key "op_type,statistic_type"."""
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a string, got {value!r}")
    if "," in value:
        raise TypeError(f"{argument} must not contain a comma, got {value!r}")


class RegisterStatistics:
    """Decorator: `f(graph, node)` returns the OpStats of an op type's nodes."""

    def __init__(self, op_type: str, statistic_type: str):
        _check_key("op_type", op_type)
        _check_key("statistic_type", statistic_type)
        self._key = f"{op_type},{statistic_type}"

    def __call__(self, f: Callable[..., OpStats]) -> Callable[..., OpStats]:
        _stats_registry.register(f, self._key, depth=2)
        return f


def get_stats_for_node_def(graph: Graph, node: NodeDef, statistic_type: str) -> OpStats:
    """The statistic of a NodeDef; without a value where none is registered."""
    if statistic_type == "flops":
        # The counts of the library's own ops are registered when first asked for.
        later.part("flops")
    try:
        function = _stats_registry.lookup(f"{node.op},{statistic_type}")
    except LookupError:
        return OpStats(statistic_type)
    return function(graph, node)


class RegisterShape:
    """Decorator kept for old programs: shape functions are C++ here.

    The decorated function is returned and never called.
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError(f"RegisterShape: op_type must be a string, got {op_type!r}")
        self._op_type = op_type

    def __call__(self, f: T) -> T:
        return f


def set_shapes_for_outputs(op: Operation) -> None:
    """Does nothing: shapes are inferred when an operation is added."""
    del op
