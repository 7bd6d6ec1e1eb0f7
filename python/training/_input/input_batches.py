# SPDX-License-Identifier: Apache-2.0
"""Batches of single elements, through a queue that threads fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike
from tensorwright.python.training._input import input_queue
from tensorwright.python.training._input.input_queue import Tensors


def batch(
    tensors: Tensors,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of `batch_size` elements, in the order in which they were read.

    A runner's threads run `tensors` again and again and put the values into a queue.
    The end of the input (OutOfRangeError) closes the queue.

    Args:
        tensors: a list or dictionary of tensors, dense or sparse.
        batch_size: an int32 scalar.
        num_threads: how many fill the queue; with several the order is not certain.
        capacity: the capacity of the queue, in elements.
        enqueue_many: `tensors` are batches themselves, of any size: their rows are
            the elements.
        shapes: the shapes of an element's tensors; None: those of `tensors`.
        dynamic_pad: sizes that are not known differ: a batch is padded with zeros.
        allow_smaller_final_batch: what is left at the end comes as a smaller batch.
        shared_name: the name of the queue.
        name: the name of the op that takes a batch.

    Returns:
        As `tensors`, each with a further dimension in front; of a list of one tensor,
        the tensor.

    Raises:
        ValueError: if there are no tensors, or a shape is not known.
        TypeError: if `tensors` is neither list nor dictionary.
    """
    lists = [input_queue.as_list(tensors, "batch()")]
    with ops.name_scope(name, "batch", lists[0]):
        return input_queue.batches(
            input_queue.fifo(dynamic_pad, capacity, shared_name),
            lists,
            tensors,
            batch_size,
            True,
            num_threads,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
        )


def maybe_batch(
    tensors: Tensors,
    keep_input: TensorLike,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of the elements that are to be kept: `keep_input`, a bool scalar, or, with `enqueue_many`, a vector of them."""
    lists = [input_queue.as_list(tensors, "maybe_batch()")]
    with ops.name_scope(name, "batch", lists[0]):
        return input_queue.batches(
            input_queue.fifo(dynamic_pad, capacity, shared_name),
            lists,
            tensors,
            batch_size,
            keep_input,
            num_threads,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
        )


def batch_join(
    tensors_list: Sequence[Tensors],
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of several inputs: each entry of `tensors_list` has a thread of its own."""
    lists = input_queue.as_lists(tensors_list, "batch_join()")
    with ops.name_scope(name, "batch_join", [t for each in lists for t in each]):
        return input_queue.batches(
            input_queue.fifo(dynamic_pad, capacity, shared_name),
            lists,
            tensors_list[0],
            batch_size,
            True,
            1,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
        )


def maybe_batch_join(
    tensors_list: Sequence[Tensors],
    keep_input: TensorLike,
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch_join`, but only for the elements to keep; see `maybe_batch`."""
    lists = input_queue.as_lists(tensors_list, "maybe_batch_join()")
    with ops.name_scope(name, "batch_join", [t for each in lists for t in each]):
        return input_queue.batches(
            input_queue.fifo(dynamic_pad, capacity, shared_name),
            lists,
            tensors_list[0],
            batch_size,
            keep_input,
            1,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
        )


def shuffle_batch(
    tensors: Tensors,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, in random order.

    Args:
        tensors: as in `batch`, like what is not listed here.
        batch_size: ...
        capacity: the capacity of the queue: more than `min_after_dequeue`.
        min_after_dequeue: how many elements stay in the queue, to choose from, until
            the input ends.
        num_threads: ...
        seed: the seed of the order, with the graph's.
        enqueue_many: ...
        shapes: ...
        allow_smaller_final_batch: ...
        shared_name: ...
        name: ...

    Raises:
        ValueError: a capacity that is not above `min_after_dequeue`.
    """
    lists = [input_queue.as_list(tensors, "shuffle_batch()")]
    with ops.name_scope(name, "shuffle_batch", lists[0]):
        return input_queue.batches(
            input_queue.shuffled(capacity, min_after_dequeue, seed, shared_name),
            lists,
            tensors,
            batch_size,
            True,
            num_threads,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
            min_after_dequeue,
        )


def maybe_shuffle_batch(
    tensors: Tensors,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of the elements that are to be kept: `keep_input`, a bool scalar, or, with `enqueue_many`, a vector of them."""
    lists = [input_queue.as_list(tensors, "maybe_shuffle_batch()")]
    with ops.name_scope(name, "shuffle_batch", lists[0]):
        return input_queue.batches(
            input_queue.shuffled(capacity, min_after_dequeue, seed, shared_name),
            lists,
            tensors,
            batch_size,
            keep_input,
            num_threads,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
            min_after_dequeue,
        )


def shuffle_batch_join(
    tensors_list: Sequence[Tensors],
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of several inputs: each entry of `tensors_list` has a thread of its own."""
    lists = input_queue.as_lists(tensors_list, "shuffle_batch_join()")
    with ops.name_scope(
        name, "shuffle_batch_join", [t for each in lists for t in each]
    ):
        return input_queue.batches(
            input_queue.shuffled(capacity, min_after_dequeue, seed, shared_name),
            lists,
            tensors_list[0],
            batch_size,
            True,
            1,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
            min_after_dequeue,
        )


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Tensors],
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[ShapeLike] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch_join`, but only for the elements to keep; see `maybe_shuffle_batch`."""
    lists = input_queue.as_lists(tensors_list, "maybe_shuffle_batch_join()")
    with ops.name_scope(
        name, "shuffle_batch_join", [t for each in lists for t in each]
    ):
        return input_queue.batches(
            input_queue.shuffled(capacity, min_after_dequeue, seed, shared_name),
            lists,
            tensors_list[0],
            batch_size,
            keep_input,
            1,
            enqueue_many,
            shapes,
            allow_smaller_final_batch,
            name,
            capacity,
            min_after_dequeue,
        )
