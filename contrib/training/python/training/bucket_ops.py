# SPDX-License-Identifier: Apache-2.0
"""Batches of elements that belong together, of sequences of similar lengths for instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    errors,
    ops,
    tensor_shape,
)
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike, TensorTree
from tensorwright.python.ops import (
    control_flow_ops,
    data_flow_ops,
    math_ops,
)
from tensorwright.python.training import queue_runner_impl
from tensorwright.python.util import compat

__all__ = ["bucket", "bucket_by_sequence_length"]

_ENDS = (errors.OutOfRangeError, errors.CancelledError)


def _validated(tensors: Any) -> list[ops.Tensor]:
    listed = [tensors[k] for k in sorted(tensors)] if isinstance(tensors, dict) else list(tensors)  # fmt: skip
    if not listed:
        raise ValueError("Expected at least one tensor in bucket().")
    return [ops.convert_to_tensor(t) for t in listed]


def _for_each(value: Any, count: int, name: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"If {name} is a list it must have num_buckets elements, got {len(value)}, not {count}"
        )
    return list(value)


def bucket(
    tensors: TensorTree,
    which_bucket: TensorLike,
    batch_size: int | Sequence[int],
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[ops.Tensor, Any]:
    """Batches whose elements are all of one bucket, which comes with each.

    Queue runners fill the queues: see `tf.train.start_queue_runners`.

    Args:
        tensors: one element: a list or dict of tensors.
        which_bucket: an int scalar in [0, num_buckets).
        batch_size: elements of a batch, or a list of such, one for each bucket.
        num_buckets: how many buckets, 2 or more.
        num_threads: that enqueue elements.
        capacity: how many batches wait.
        bucket_capacities: how many elements wait in each bucket; None: capacity.
        shapes: the shapes of the tensors; None: as they are known.
        dynamic_pad: whether tensors of different shapes are padded in a batch.
        allow_smaller_final_batch: whether the last batch of a bucket may have fewer elements.
        keep_input: a bool scalar: whether the element counts.
        shared_name: queues of this name, of one session, are one.
        name: the name of the ops.

    Returns:
        The bucket, an int32 scalar, and the batch, a list or dict as `tensors`.

    Raises:
        ValueError: no tensors, fewer buckets, or lists of other lengths.
    """
    if num_buckets < 2:
        raise ValueError(f"num_buckets must be at least 2, got {num_buckets}")
    sizes = _for_each(batch_size, num_buckets, "batch_size")
    listed = _validated(tensors)
    room = _for_each(
        max(capacity, max(sizes)) if bucket_capacities is None else bucket_capacities,
        num_buckets,
        "bucket_capacities",
    )
    with ops.name_scope(name, "bucket", listed):
        which = ops.convert_to_tensor(which_bucket, dtype=dtypes.int32)
        kinds = [t.dtype.base_dtype for t in listed]
        if shapes is None:
            known = [t.get_shape() for t in listed]
        else:
            known = [tensor_shape.as_shape(s) for s in shapes]
        make = (
            data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue
        )
        if not dynamic_pad and not all(s.is_fully_defined() for s in known):
            raise ValueError(f"All shapes must be fully defined without dynamic_pad: {[str(s) for s in known]}")  # fmt: skip
        queues = [
            make(
                capacity=room[i],
                dtypes=kinds,
                shapes=known,
                shared_name=None if shared_name is None else f"{shared_name}_{i}",
                name=f"bucket_queue_{i}",
            )
            for i in range(num_buckets)
        ]
        one_size = len(set(sizes)) == 1 and not allow_smaller_final_batch
        rows = tensor_shape.TensorShape([sizes[0] if one_size else None])
        top = data_flow_ops.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[dtypes.int32, *kinds],
            shapes=[
                tensor_shape.TensorShape([]),
                *(rows.concatenate(s) for s in known),
            ],
            shared_name=shared_name,
            name="top_queue",
        )
        _run_queues(top, queues, sizes, listed, which, keep_input, num_threads, allow_smaller_final_batch)  # fmt: skip
        number, *batch = top.dequeue(name="dequeue_top")
        if isinstance(tensors, dict):
            return number, dict(zip(sorted(tensors), batch, strict=True))
        return number, batch


def _run_queues(
    top: Any,
    queues: list[Any],
    sizes: list[int],
    listed: list[ops.Tensor],
    which: ops.Tensor,
    keep_input: Any,
    num_threads: int,
    smaller: bool,
) -> None:
    def enqueue() -> ops.Operation:
        made = [
            control_flow_ops.cond(
                math_ops.equal(which, i),
                lambda q=q: control_flow_ops.group(q.enqueue(listed)),
                control_flow_ops.no_op,
            )
            for i, q in enumerate(queues)
        ]
        return control_flow_ops.group(*made, name="group_enqueues")

    if keep_input is True:
        enqueued = enqueue()
    else:
        enqueued = control_flow_ops.cond(
            ops.convert_to_tensor(keep_input, dtypes.bool),
            enqueue,
            control_flow_ops.no_op,
        )
    if isinstance(enqueued, ops.Tensor):
        enqueued = enqueued.op
    to_top = []
    for i, (queue, size) in enumerate(zip(queues, sizes, strict=True)):
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        batch = take(size, name=f"dequeue_bucket_{i}")
        batch = batch if isinstance(batch, (list, tuple)) else [batch]
        number = constant_op.constant(i)
        to_top.append(top.enqueue([number, *batch], name=f"enqueue_from_bucket_{i}"))
    # One runner closes all buckets; then each bucket's thread ends once it is empty.
    queue_runner_impl.add_queue_runner(
        queue_runner_impl.QueueRunner(
            queues[0],
            [enqueued] * num_threads,
            close_op=control_flow_ops.group(*(q.close() for q in queues)),
            cancel_op=control_flow_ops.group(
                *(q.close(cancel_pending_enqueues=True) for q in queues)
            ),
            queue_closed_exception_types=_ENDS,
        )
    )
    queue_runner_impl.add_queue_runner(
        queue_runner_impl.QueueRunner(top, to_top, queue_closed_exception_types=_ENDS)
    )


def bucket_by_sequence_length(
    input_length: TensorLike,
    tensors: TensorTree,
    batch_size: int | Sequence[int],
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[ops.Tensor, Any]:
    """Batches of elements of similar lengths: those in [boundaries[i - 1], boundaries[i]) are bucket i.

    Args:
        input_length: an int32 scalar, the length of the element.
        tensors: the element.
        batch_size: elements of a batch, or a list of such, one more than boundaries.
        bucket_boundaries: increasing positive ints.
        num_threads, capacity, bucket_capacities, shapes, dynamic_pad, allow_smaller_final_batch, keep_input,
            shared_name, name: as in `bucket`.

    Returns:
        The lengths, int32 [batch], and the batch.

    Raises:
        TypeError: boundaries that are no list or tuple of ints.
        ValueError: none, or not increasing, or lists of other lengths.
    """
    listed = _validated(tensors)
    bounds = bucket_boundaries
    if not isinstance(bounds, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bounds}")  # fmt: skip
    if not bounds:
        raise ValueError("bucket_boundaries must not be empty")
    for i, bound in enumerate(bounds):
        if not isinstance(bound, compat.integral_types):
            raise TypeError(f"bucket boundary must be integral, but received: {bound}")
        if bound <= (bounds[i - 1] if i else 0):
            raise ValueError(f"Buckets must contain sequential increasing lengths, but received: {bounds}")  # fmt: skip
    with ops.name_scope(name, "bucket_by_sequence_length", [input_length, *listed]):
        length = math_ops.cast(input_length, dtypes.int32)
        edges = np.array(bounds, np.int32)
        which = math_ops.reduce_sum(math_ops.cast(length >= edges, dtypes.int32))
        _, batch = bucket(
            tensors=[length, *listed],
            which_bucket=which,
            batch_size=batch_size,
            num_buckets=len(bounds) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [[], *shapes],
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        lengths, *rest = batch
        if isinstance(tensors, dict):
            return lengths, dict(zip(sorted(tensors), rest, strict=True))
        return lengths, rest
