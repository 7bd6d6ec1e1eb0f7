# SPDX-License-Identifier: Apache-2.0
"""Records the inputs and the outputs of a layer's calls."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import tensor_shape
from tensorwright.python.util import nest


def _shapes(values: Any) -> Any:
    """The static shapes of a structure of tensors."""
    return nest.map_structure(
        lambda v: (
            v.get_shape() if hasattr(v, "get_shape") else tensor_shape.unknown_shape()
        ),
        values,
    )


class CallsMixin:
    """The calls of a `Layer`."""

    # Property of a `Layer`.
    name: str
    # (inputs, outputs) of each call.
    _nodes: list[tuple[Any, Any]]

    def _node(self, index: int, part: int, what: str) -> Any:
        if not self._nodes:
            raise RuntimeError(
                f"Layer {self.name} has never been called, and has no {what}"
            )
        if not 0 <= index < len(self._nodes):
            raise ValueError(
                f"Layer {self.name} has {len(self._nodes)} calls, asked for {what} of "
                f"call {index}"
            )
        return self._nodes[index][part]

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of call number `node_index`."""
        return self._node(node_index, 0, "input")

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of call number `node_index`."""
        return self._node(node_index, 1, "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The static shapes of the inputs of call number `node_index`."""
        return _shapes(self._node(node_index, 0, "input shape"))

    def get_output_shape_at(self, node_index: int) -> Any:
        """The static shapes of the outputs of call number `node_index`."""
        return _shapes(self._node(node_index, 1, "output shape"))

    def _only_node(self, part: int, what: str) -> Any:
        if len(self._nodes) != 1:
            raise AttributeError(
                f"Layer {self.name} was called {len(self._nodes)} times, so there is no "
                f"one {what}; see get_{what}_at()"
            )
        return self._nodes[0][part]

    @property
    def input(self) -> Any:
        """The inputs of its one call; AttributeError if there were none or several."""
        return self._only_node(0, "input")

    @property
    def output(self) -> Any:
        """The outputs of its one call; AttributeError if there were none or several."""
        return self._only_node(1, "output")

    @property
    def input_shape(self) -> Any:
        return _shapes(self._only_node(0, "input"))

    @property
    def output_shape(self) -> Any:
        return _shapes(self._only_node(1, "output"))
