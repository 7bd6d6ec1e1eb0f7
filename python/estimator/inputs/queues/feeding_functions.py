# SPDX-License-Identifier: Apache-2.0
"""A queue of rows of arrays, which threads fill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tensorwright.python.estimator.inputs.queues.feeding_queue_runner import (
    _FeedingQueueRunner,
)
from tensorwright.python.framework import dtypes, errors, ops
from tensorwright.python.ops import array_ops, data_flow_ops, math_ops
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import queue_runner_impl

__all__ = ["_enqueue_data"]


def _enqueue_data(
    data: Mapping[str, np.ndarray],
    capacity: int,
    shuffle: bool = False,
    min_after_dequeue: int | None = None,
    num_threads: int = 1,
    seed: int | None = None,
    name: str = "enqueue_input",
    enqueue_size: int = 1,
    num_epochs: int | None = None,
) -> Any:
    """A queue whose elements are a row of each array, in the order of the dict; its runner is added to the graph.

    Args:
        data: arrays of one length, by name.
        capacity: the capacity of the queue.
        shuffle: whether rows come in random order.
        min_after_dequeue: how many rows a random one is taken from, at least; None: a quarter of the capacity.
        num_threads: how many fill it; each goes through all rows.
        seed: the seed of the random order.
        name: the name of the operations.
        enqueue_size: how many rows are put in at once.
        num_epochs: how often each thread goes through the rows; None: without end.
    """
    arrays = list(data.values())
    kinds = [_dtype(array) for array in arrays]
    shapes = [array.shape[1:] for array in arrays]
    if num_threads > 1 and num_epochs is not None:
        logging.warn(
            "enqueue_data was called with num_epochs and num_threads > 1. num_epochs is applied per thread, so this "
            "will produce more epochs than you probably intend. If you want to limit epochs, use one thread."
        )
    with ops.name_scope(name):
        if shuffle:
            if min_after_dequeue is None:
                min_after_dequeue = capacity // 4
            queue: Any = data_flow_ops.RandomShuffleQueue(
                capacity, min_after_dequeue, kinds, shapes, seed=seed
            )
        else:
            queue = data_flow_ops.FIFOQueue(capacity, kinds, shapes)
        enqueue_ops, feed_fns = [], []
        for thread in range(num_threads):
            holders = [
                array_ops.placeholder(kind, [None, *shape])
                for kind, shape in zip(kinds, shapes)
            ]
            enqueue_ops.append(queue.enqueue_many(holders))
            own = None if seed is None else seed + thread
            places = _places(len(arrays[0]), enqueue_size, num_epochs, shuffle, own)
            feed_fns.append(_feed_fn(holders, arrays, places))
        runner = _FeedingQueueRunner(queue, enqueue_ops, feed_fns=feed_fns)
        queue_runner_impl.add_queue_runner(runner)
        full = math_ops.cast(queue.size(), dtypes.float32) * (1.0 / capacity)
        summary.scalar(f"queue/{queue.name}_fraction_of_{capacity}_full", full)
        return queue


def _dtype(array: np.ndarray) -> Any:
    return dtypes.string if array.dtype.kind in "OSU" else dtypes.as_dtype(array.dtype)


def _places(
    count: int, size: int, epochs: int | None, random_start: bool, seed: int | None
) -> Iterator[np.ndarray]:
    """Which rows are put in next; those of several epochs may be put in together."""
    first = np.random.RandomState(seed).randint(count) if random_start else 0
    end = None if epochs is None else count * epochs
    done = 0
    while end is None or done < end:
        step = size if end is None else min(size, end - done)
        yield (first + done + np.arange(step)) % count
        done += step


def _feed_fn(
    holders: list[Any], arrays: list[np.ndarray], places: Iterator[np.ndarray]
) -> Callable[[], dict[Any, Any]]:
    def feed() -> dict[Any, Any]:
        rows = next(places, None)
        if rows is None:
            raise errors.OutOfRangeError(None, None, "Already emitted all epochs.")
        return {holder: array[rows] for holder, array in zip(holders, arrays)}

    return feed
