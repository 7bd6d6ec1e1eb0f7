# SPDX-License-Identifier: Apache-2.0
"""sort, argsort and the approximate top k, all by TopK."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, bitwise_ops, nn_ops

_DIRECTIONS = ("ASCENDING", "DESCENDING")
_APPROX_DTYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)


def sort(
    values: TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    name: str | None = None,
) -> ops.Tensor:
    """`values`, numbers of any shape but [], in order along `axis`."""
    with ops.name_scope(name, "sort", [values]):
        values, back = _axis_last(values, axis, direction)
        found = nn_ops.top_k(_key(values, direction), array_ops.shape(values)[-1])
        # The key of a key is the number itself.
        return back(_key(found[0], direction))


def argsort(
    values: TensorLike,
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


class ApproxTopK(NamedTuple):
    """The k greatest (or least) values along a dimension, in order, and where they are."""

    values: ops.Tensor
    indices: ops.Tensor


def approx_top_k(
    input: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """Finds the k greatest values along a dimension, or the least: exactly, as an approximation saves nothing on a CPU.

    Args:
        input: half, bfloat16 or float, of any shape but [].
        k: the number of values.
        reduction_dimension: the dimension, which becomes k.
        recall_target: the share that must be right, in (0, 1].
        is_max_k: whether to find the greatest; if not, the least.
        reduction_input_size_override: has no effect: the result is that of the whole input.
        aggregate_to_topk: has no effect: there are never more than k candidates.
        name: the name of the ops.

    Returns:
        values, like the input, and int32 indices; equal values keep their order.

    Raises:
        TypeError: another dtype.
        ValueError: a number out of range.
    """
    del reduction_input_size_override, aggregate_to_topk
    if not 0 < recall_target <= 1:
        raise ValueError(f"recall_target must be in (0, 1], got {recall_target}")
    with ops.name_scope(name, "ApproxTopK", [input]):
        input = ops.convert_to_tensor(input, name="input")
        if input.dtype.base_dtype not in _APPROX_DTYPES:
            names = ", ".join(dtype.name for dtype in _APPROX_DTYPES)
            raise TypeError(
                f"approx_top_k: input must be one of {names}, got {input.dtype.name}"
            )
        direction = "DESCENDING" if is_max_k else "ASCENDING"
        input, back = _axis_last(input, reduction_dimension, direction)
        found = nn_ops.top_k(_key(input, direction), k)
        return ApproxTopK(back(_key(found[0], direction)), back(found[1]))


def approx_max_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """`approx_top_k` of the greatest values."""
    del reduction_input_size_override, aggregate_to_topk
    dimension = reduction_dimension
    return approx_top_k(operand, k, dimension, recall_target, True, name=name)


def approx_min_k(
    operand: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """`approx_top_k` of the least values."""
    del reduction_input_size_override, aggregate_to_topk
    dimension = reduction_dimension
    return approx_top_k(operand, k, dimension, recall_target, False, name=name)


def _key(values: ops.Tensor, direction: str) -> ops.Tensor:
    """Numbers that descend where the values are in order."""
    if direction == "DESCENDING":
        return values
    # Integers are complemented: the least of them has no negative.
    return bitwise_ops.invert(values) if values.dtype.is_integer else -values


def _axis_last(values: Any, axis: int, direction: str) -> tuple[ops.Tensor, Any]:
    """Returns the values with `axis` moved to the end, and a function that moves it back."""
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
