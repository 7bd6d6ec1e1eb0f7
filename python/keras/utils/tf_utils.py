# SPDX-License-Identifier: Apache-2.0
"""Helpers of layers that look at graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.util import nest


def get_reachable_from_inputs(
    inputs: Iterable[Any], targets: Iterable[Any] | None = None
) -> set[Any]:
    """The operations and tensors that depend on `inputs`; the search ends when it has met all `targets`.

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
