# SPDX-License-Identifier: Apache-2.0
"""Queues of tensors, from which batches are taken."""

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
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    data_flow_ops,
    math_ops,
    sparse_ops,
)
from tensorwright.python.summary import summary
from tensorwright.python.training import queue_runner_impl

# A list of tensors, or a dictionary of them: batches come back as the same.
Tensors = Any


def _as_tensor_list(tensors: Tensors) -> Any:
    """A dictionary's tensors in the order of their names; anything else as it is."""
    if isinstance(tensors, Mapping):
        return [tensors[key] for key in sorted(tensors)]
    return tensors


def as_list(tensors: Tensors, what: str) -> list[Any]:
    """The tensors, dense and sparse, a dictionary's in the order of their names."""
    tensors = _as_tensor_list(tensors)
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{what}: tensors must be a list or a dictionary, got {tensors!r}"
        )
    if not tensors:
        raise ValueError(f"Expected at least one tensor in {what}.")
    return [sparse_tensor.convert_to_tensor_or_sparse_tensor(t) for t in tensors]


def _as_tensor_list_list(
    tensors_list: Sequence[Tensors], what: str = "tensors_list"
) -> list[Any]:
    """`_as_tensor_list` of each input, which are all lists, or dictionaries with the same keys.

    `what` names the argument in errors.

    Raises:
        ValueError: there is no input, or dictionaries have different keys.
        TypeError: some are dictionaries, and some are not.
    """
    if not tensors_list:
        raise ValueError(f"Expected at least one input in {what}.")
    first = tensors_list[0]
    for other in tensors_list:
        if isinstance(first, Mapping) != isinstance(other, Mapping):
            raise TypeError(f"{what}: inputs must be all lists or all dictionaries")
        if isinstance(first, Mapping) and sorted(first) != sorted(other):
            raise ValueError(f"{what}: all dictionaries must have the same keys")
    return [_as_tensor_list(tensors) for tensors in tensors_list]


def as_lists(tensors_list: Sequence[Tensors], what: str) -> list[list[ops.Tensor]]:
    lists = [as_list(t, what) for t in _as_tensor_list_list(tensors_list, what)]
    if len({len(t) for t in lists}) != 1:
        raise ValueError(f"{what}: all inputs must have as many tensors")
    return lists


def _as_original_type(original_tensors: Tensors, tensor_list: Any) -> Any:
    """Returns a dequeued batch in the form of the input: as a dictionary if `original_tensors` is one."""
    if not isinstance(original_tensors, Mapping):
        return tensor_list
    if not isinstance(tensor_list, (list, tuple)):
        tensor_list = [tensor_list]
    return dict(zip(sorted(original_tensors), tensor_list, strict=True))


def _is_sparse(tensor: Any) -> bool:
    return isinstance(tensor, sparse_tensor.SparseTensor)


def _common_dtypes(lists: list[list[Any]]) -> list[dtypes.DType]:
    """Returns the dtypes of the queue's components: a sparse tensor is stored as its number in a map."""
    types = [t.dtype.base_dtype for t in lists[0]]
    sparse = [_is_sparse(t) for t in lists[0]]
    for other in lists[1:]:
        found = [t.dtype.base_dtype for t in other]
        if found != types:
            raise TypeError(f"Expected types to be consistent: {found} vs. {types}.")
        if [_is_sparse(t) for t in other] != sparse:
            raise TypeError("Expected the same tensors of all inputs to be sparse.")
    return [dtypes.int64 if s else t for s, t in zip(sparse, types, strict=True)]


def _common_shapes(
    lists: list[list[ops.Tensor]],
    shapes: Sequence[ShapeLike] | None,
    enqueue_many: bool,
) -> Sequence[ShapeLike]:
    """Returns the shapes of the elements, as far as all inputs agree.  The number of a sparse tensor is a scalar."""
    if shapes is not None:
        return [
            [] if _is_sparse(t) else shape
            for t, shape in zip(lists[0], shapes, strict=True)
        ]
    common = []
    for same in zip(*lists, strict=True):
        if _is_sparse(same[0]):
            common.append(tensor_shape.TensorShape([]))
            continue
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
        raise ValueError(f"`keep_input` must be 0 or 1 dimensions, got {rank}.")
    if rank == 1 and not enqueue_many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    return keep_input


def _stored(tensors: list[Any], maps: list[str], enqueue_many: bool) -> list:
    """Dense tensors, and the numbers of sparse ones in their maps."""
    add = (
        sparse_ops._add_many_sparse_to_tensors_map
        if enqueue_many
        else sparse_ops._add_sparse_to_tensors_map
    )
    return [
        add(t, shared_name=name) if _is_sparse(t) else t
        for t, name in zip(tensors, maps, strict=True)
    ]


def _kept_rows(tensor: Any, keep_input: ops.Tensor) -> Any:
    """A sparse tensor without the values of the rows that are not kept, so that their entries of the map are empty."""
    if not _is_sparse(tensor):
        return tensor
    return sparse_ops.sparse_retain(
        tensor, array_ops.gather(keep_input, tensor.indices[:, 0])
    )


def _enqueue_op(
    queue: data_flow_ops.QueueBase,
    tensors: list[Any],
    maps: list[str],
    enqueue_many: bool,
    keep_input: ops.Tensor,
) -> ops.Operation:
    """Enqueues the elements to keep: all, none, or the rows that are marked."""

    def enqueue(kept: list[Any]) -> ops.Operation:
        put = queue.enqueue_many if enqueue_many else queue.enqueue
        return put(_stored(kept, maps, enqueue_many))

    if keep_input.get_shape().ndims == 1:
        marks = math_ops.cast(keep_input, dtypes.int32)
        stored = _stored([_kept_rows(t, keep_input) for t in tensors], maps, True)
        return queue.enqueue_many(
            [data_flow_ops.dynamic_partition(t, marks, 2)[1] for t in stored]
        )
    known = tensor_util.constant_value(keep_input)
    if known is None:
        return control_flow_ops.cond(
            keep_input, lambda: enqueue(tensors), control_flow_ops.no_op
        )
    return enqueue(tensors) if known else control_flow_ops.no_op()


def _taken(
    batch: Any, lists: list[list[Any]], maps: list[str], enqueue_many: bool
) -> Any:
    """Returns a dequeued batch, with the sparse tensors in the places of their numbers."""
    if not any(_is_sparse(t) for t in lists[0]):
        return batch
    batch = [batch] if isinstance(batch, ops.Tensor) else list(batch)
    for i, (given, name) in enumerate(zip(lists[0], maps, strict=True)):
        if _is_sparse(given):
            rank = given.dense_shape.get_shape()[0].value
            if rank is not None:
                rank -= int(enqueue_many)
            batch[i] = sparse_ops._take_many_sparse_from_map(
                batch[i], given.dtype.base_dtype, name, rank
            )
    return batch[0] if len(batch) == 1 else batch


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
    capacity: int,
    min_after_dequeue: int | None = None,
) -> Any:
    """Returns batches of the elements of each of `lists`; `queue_of(dtypes, shapes)` makes the queue."""
    keep_input = _checked_keep_input(keep_input, enqueue_many)
    queue = queue_of(
        dtypes=_common_dtypes(lists), shapes=_common_shapes(lists, shapes, enqueue_many)
    )
    # A map for each place of the lists, which all inputs share.
    maps = [ops.get_default_graph().unique_name("sparse_tensors_map") for _ in lists[0]]
    enqueue_ops = [_enqueue_op(queue, t, maps, enqueue_many, keep_input) for t in lists]
    queue_runner_impl.add_queue_runner(
        queue_runner_impl.QueueRunner(queue, enqueue_ops * num_threads)
    )
    summarize_fullness(queue, capacity, min_after_dequeue)
    dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
    batch = dequeue(batch_size, name=name)
    return _as_original_type(given, _taken(batch, lists, maps, enqueue_many))


def summarize_fullness(
    queue: data_flow_ops.QueueBase,
    capacity: int,
    min_after_dequeue: int | None = None,
    name: str | None = None,
) -> None:
    """Adds a summary of the share of its capacity that a queue uses, of that above `min_after_dequeue` if it keeps some.

    name: the tag, by default "fraction_of_32_full" or "fraction_over_10_of_22_full".
    """
    size, room = queue.size(), capacity
    tag = name or f"fraction_of_{capacity}_full"
    if min_after_dequeue is not None:
        size = math_ops.maximum(0, size - min_after_dequeue)
        room = capacity - min_after_dequeue
        tag = f"fraction_over_{min_after_dequeue}_of_{room}_full"
    summary.scalar(tag, math_ops.cast(size, dtypes.float32) * (1.0 / room))


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
    if capacity <= min_after_dequeue:
        raise ValueError(
            f"capacity {capacity} must be bigger than min_after_dequeue "
            f"{min_after_dequeue}: no batch would ever be full"
        )
    return lambda dtypes, shapes: data_flow_ops.RandomShuffleQueue(
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        dtypes=dtypes,
        shapes=shapes,
        shared_name=shared_name,
    )
