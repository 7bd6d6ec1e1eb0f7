# SPDX-License-Identifier: Apache-2.0
"""Parts that batching rules share: stacking inputs, ranks, axes, and an op again with other inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorwright.python.framework import ops, tensor_util
from tensorwright.python.framework.batching_registry import Batched, CannotBatch
from tensorwright.python.framework.ops import Operation, Tensor
from tensorwright.python.ops import array_ops


def count_of(inputs: Sequence[Batched]) -> Tensor:
    """The number of elements, an int32 scalar, from an input that is stacked."""
    first = next(i.tensor for i in inputs if i.stacked)
    return array_ops.shape(first)[0]


def stack(value: Batched, count: Tensor) -> Tensor:
    """The tensor with a row for each element: [n, ...]."""
    if value.stacked:
        return value.tensor
    row = array_ops.expand_dims(value.tensor, 0)
    ones = array_ops.ones_like(array_ops.shape(value.tensor))
    return array_ops.tile(row, array_ops.concat([[count], ones], 0))


def stack_all(inputs: Sequence[Batched]) -> list[Tensor]:
    """Every input with a row for each element."""
    count = count_of(inputs)
    return [stack(i, count) for i in inputs]


def again(op: Operation, inputs: Sequence[Tensor], **attrs: int) -> list[Tensor]:
    """The outputs of an op of that type with other inputs, and with some other attrs."""
    kept = {
        name: value
        for name, value in op.node_def.attr.items()
        if not name.startswith("_")
    }
    with ops.device(op.device or None):
        made = op.graph.create_op(op.type, list(inputs), attrs={**kept, **attrs})
    return list(made.outputs)


def rank_of(tensor: Tensor) -> int:
    """The rank of a tensor for one element; CannotBatch if it is not known."""
    rank = tensor.get_shape().ndims
    if rank is None:
        raise CannotBatch(f"the rank of {tensor.name} is not known")
    return rank


def constant_of(op: Operation, inputs: Sequence[Batched], index: int) -> np.ndarray:
    """The value of an input that the graph knows, as an array."""
    value = None
    if not inputs[index].stacked:
        value = tensor_util.constant_value(op.inputs[index])
    if value is None:
        raise CannotBatch(f"input {index} has to be a constant")
    return value


def unstacked(inputs: Sequence[Batched], *indices: int) -> None:
    """CannotBatch if one of those inputs differs from element to element."""
    for index in indices:
        if inputs[index].stacked:
            raise CannotBatch(f"input {index} differs from element to element")


def behind_batch(axis: int | np.integer | np.ndarray, rank: int) -> int:
    """The axis of a stacked tensor that axis `axis` of one element is."""
    return int(axis) + (rank if axis < 0 else 0) + 1


def with_rank(value: Batched, tensor: Tensor, rank: int) -> Tensor:
    """The tensor, with ones behind its batch so that it broadcasts to elements of that rank."""
    if not value.stacked:
        return value.tensor
    missing = rank - rank_of(tensor)
    if missing <= 0:
        return value.tensor
    shape = array_ops.shape(value.tensor)
    ones = [1] * missing
    return array_ops.reshape(
        value.tensor, array_ops.concat([shape[:1], ones, shape[1:]], 0)
    )


def broadcasting(op: Operation, inputs: Sequence[Batched]) -> list[Tensor]:
    """The inputs so that broadcasting pairs the rows of all elements."""
    if sum(i.stacked for i in inputs) == len(inputs) == 1:
        return [inputs[0].tensor]
    rank = max(rank_of(t) for t in op.inputs)
    return [with_rank(i, t, rank) for i, t in zip(inputs, op.inputs, strict=True)]
