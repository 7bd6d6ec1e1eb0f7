# SPDX-License-Identifier: Apache-2.0
"""Helpers of layers that look at graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import variables
from tensorwright.python.util import nest

# Classes of programs whose values stand for tensors of a graph.
_symbolic_types: list[type] = []


def register_symbolic_tensor_type(cls: type) -> None:
    """From now on values of a class count as tensors of a graph."""
    if cls not in _symbolic_types:
        _symbolic_types.append(cls)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of a graph, a sparse one, a variable, or an instance of a registered class."""
    kinds = (ops.Tensor, sparse_tensor.SparseTensor, variables.Variable)
    return isinstance(tensor, (*kinds, *_symbolic_types))


def get_reachable_from_inputs(
    inputs: Iterable[TensorLike], targets: Iterable[Any] | None = None
) -> set[Any]:
    """Returns the operations and tensors that depend on `inputs`; the search ends when it has met all `targets`.

    An input that is no tensor or operation, such as a learning phase that is a number, reaches nothing.
    """
    elements = (ops.Tensor, ops.Operation)
    waiting = [x for x in nest.flatten(list(inputs)) if isinstance(x, elements)]
    reached: set[Any] = set(waiting)
    left = set(targets or ()) - reached
    while waiting and (left or targets is None):
        x = waiting.pop()
        found = x.outputs if isinstance(x, ops.Operation) else x.consumers()
        for other in found:
            if other not in reached:
                reached.add(other)
                left.discard(other)
                waiting.append(other)
    return reached
