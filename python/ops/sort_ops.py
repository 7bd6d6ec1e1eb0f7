# SPDX-License-Identifier: Apache-2.0
"""sort and argsort, by TopK."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, bitwise_ops, nn_ops

_DIRECTIONS = ("ASCENDING", "DESCENDING")


def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> ops.Tensor:
    """`values`, numbers of any shape but [], in order along `axis`."""
    with ops.name_scope(name, "sort", [values]):
        values, back = _axis_last(values, axis, direction)
        found = nn_ops.top_k(_key(values, direction), array_ops.shape(values)[-1])
        # The key of a key is the number itself.
        return back(_key(found[0], direction))


def argsort(
    values: Any,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The int32 indices along `axis` that put `values` in order.

    Equal values keep their order, whether `stable` asks for it or not.
    """
    del stable
    with ops.name_scope(name, "argsort", [values]):
        values, back = _axis_last(values, axis, direction)
        found = nn_ops.top_k(_key(values, direction), array_ops.shape(values)[-1])
        return back(found[1])


def _key(values: ops.Tensor, direction: str) -> ops.Tensor:
    """Numbers that descend where the values are in order."""
    if direction == "DESCENDING":
        return values
    # Of integers the complement: the least has no negative.
    return bitwise_ops.invert(values) if values.dtype.is_integer else -values


def _axis_last(values: Any, axis: int, direction: str) -> tuple[ops.Tensor, Any]:
    """The values with `axis` moved to the end, and what moves it back."""
    if direction not in _DIRECTIONS:
        raise ValueError(f"direction must be one of {_DIRECTIONS}, got {direction!r}")
    values = ops.convert_to_tensor(values, name="values")
    rank = values.get_shape().ndims
    if axis == -1 or (rank is not None and axis == rank - 1):
        return values, lambda t: t
    if rank is None:
        raise ValueError("axis must be -1 where the rank of values is not known")
    if not -rank <= axis < rank:
        raise ValueError(f"axis must be in [{-rank}, {rank}), got {axis}")
    perm = list(range(rank))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return (
        array_ops.transpose(values, perm),
        lambda t: array_ops.transpose(t, perm),
    )
