# SPDX-License-Identifier: Apache-2.0
"""Tensors into a queue that batches come out of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorwright.python.framework import (
    dtypes,
    ops,
    sparse_tensor,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike
from tensorwright.python.ops import control_flow_ops, data_flow_ops, math_ops
from tensorwright.python.training import queue_runner_impl

# A list of tensors, or a dictionary of them: batches come back as the same.
Tensors = Any


def as_list(tensors: Tensors, what: str) -> list[ops.Tensor]:
    """The tensors, a dictionary's in the order of their names."""
    if isinstance(tensors, Mapping):
        tensors = [tensors[key] for key in sorted(tensors)]
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{what}: tensors must be a list or a dictionary, got {tensors!r}"
        )
    if not tensors:
        raise ValueError(f"Expected at least one tensor in {what}.")
    for tensor in tensors:
        if isinstance(tensor, sparse_tensor.SparseTensor):
            raise TypeError(f"{what}: tensors must be dense, got {tensor!r}")
    return [ops.convert_to_tensor(t) for t in tensors]


def as_lists(tensors_list: Sequence[Tensors], what: str) -> list[list[ops.Tensor]]:
    if not tensors_list:
        raise ValueError(f"Expected at least one input in {what}.")
    first = tensors_list[0]
    for other in tensors_list:
        if isinstance(first, Mapping) != isinstance(other, Mapping):
            raise TypeError(f"{what}: inputs must be all lists or all dictionaries")
        if isinstance(first, Mapping) and sorted(first) != sorted(other):
            raise ValueError(f"{what}: all dictionaries must have the same keys")
    lists = [as_list(t, what) for t in tensors_list]
    if len({len(t) for t in lists}) != 1:
        raise ValueError(f"{what}: all inputs must have as many tensors")
    return lists


def _as_given(given: Tensors, batch: Any) -> Any:
    """What came out of the queue, as a dictionary if that went in."""
    if not isinstance(given, Mapping):
        return batch
    if isinstance(batch, ops.Tensor):
        batch = [batch]
    return dict(zip(sorted(given), batch, strict=True))


def _common_dtypes(lists: list[list[ops.Tensor]]) -> list[dtypes.DType]:
    types = [t.dtype.base_dtype for t in lists[0]]
    for other in lists[1:]:
        found = [t.dtype.base_dtype for t in other]
        if found != types:
            raise TypeError(f"Expected types to be consistent: {found} vs. {types}.")
    return types


def _common_shapes(
    lists: list[list[ops.Tensor]],
    shapes: Sequence[ShapeLike] | None,
    enqueue_many: bool,
) -> Sequence[ShapeLike]:
    """The shapes of the elements: what is known of all inputs."""
    if shapes is not None:
        return shapes
    common = []
    for same in zip(*lists, strict=True):
        merged = tensor_shape.unknown_shape()
        for tensor in same:
            shape = tensor.get_shape()
            if shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
            if enqueue_many:
                shape = shape.with_rank_at_least(1)[1:]
            merged = merged.merge_with(shape)
        common.append(merged)
    return common


def _checked_keep_input(keep_input: TensorLike, enqueue_many: bool) -> ops.Tensor:
    keep_input = ops.convert_to_tensor(keep_input, dtypes.bool, name="keep_input")
    rank = keep_input.get_shape().ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known.")
    if rank > 1:
        raise ValueError("`keep_input` must be a scalar or vector.")
    if rank == 1 and not enqueue_many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    return keep_input


def _enqueue_op(
    queue: data_flow_ops.QueueBase,
    tensors: list[ops.Tensor],
    enqueue_many: bool,
    keep_input: ops.Tensor,
) -> ops.Operation:
    """Puts in what is to be kept: all, nothing, or the rows that are marked."""
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.get_shape().ndims == 1:
        marks = math_ops.cast(keep_input, dtypes.int32)
        return enqueue(
            [data_flow_ops.dynamic_partition(t, marks, 2)[1] for t in tensors]
        )
    known = tensor_util.constant_value(keep_input)
    if known is None:
        return control_flow_ops.cond(
            keep_input, lambda: enqueue(tensors), control_flow_ops.no_op
        )
    return enqueue(tensors) if known else control_flow_ops.no_op()


def batches(
    queue_of: Callable[..., data_flow_ops.QueueBase],
    lists: list[list[ops.Tensor]],
    given: Tensors,
    batch_size: TensorLike,
    keep_input: TensorLike,
    num_threads: int,
    enqueue_many: bool,
    shapes: Sequence[ShapeLike] | None,
    allow_smaller_final_batch: bool,
    name: str | None,
) -> Any:
    """Batches of what each of `lists` gives; `queue_of(dtypes, shapes)` makes the queue."""
    keep_input = _checked_keep_input(keep_input, enqueue_many)
    queue = queue_of(
        dtypes=_common_dtypes(lists), shapes=_common_shapes(lists, shapes, enqueue_many)
    )
    enqueue_ops = [_enqueue_op(queue, t, enqueue_many, keep_input) for t in lists]
    queue_runner_impl.add_queue_runner(
        queue_runner_impl.QueueRunner(queue, enqueue_ops * num_threads)
    )
    dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
    return _as_given(given, dequeue(batch_size, name=name))


def fifo(
    dynamic_pad: bool, capacity: int, shared_name: str | None
) -> Callable[..., data_flow_ops.QueueBase]:
    kind = data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue
    return lambda dtypes, shapes: kind(
        capacity=capacity, dtypes=dtypes, shapes=shapes, shared_name=shared_name
    )


def shuffled(
    capacity: int, min_after_dequeue: int, seed: int | None, shared_name: str | None
) -> Callable[..., data_flow_ops.QueueBase]:
    return lambda dtypes, shapes: data_flow_ops.RandomShuffleQueue(
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        dtypes=dtypes,
        shapes=shapes,
        shared_name=shared_name,
    )
