# SPDX-License-Identifier: Apache-2.0
"""Functions that several runs, each in its thread, call together: their arguments are put into one batch."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, errors, ops, tensor_shape
from tensorwright.python.ops import script_ops

__all__ = ["batch_function"]


class _Batch:
    """Arguments of runs that are waiting, or have been put together."""

    def __init__(self) -> None:
        self.tasks: list[Sequence[np.ndarray]] = []
        self.size = 0
        self.number = 0
        self.closed = False
        # How many parts of outputs runs have taken.
        self.taken = 0
        # Output -> the part of each task; an exception in the place of all.
        self.results: dict[int, list[np.ndarray]] = {}


class _Batcher:
    """Puts the arguments of runs together, and takes their results apart.

    The first run of a batch computes it; the others compute an empty one, and wait for their part.
    """

    def __init__(
        self, most: int, wait: float, allowed: Sequence[int], unbatch_wait: float
    ):
        self._most, self._wait = most, wait
        self._allowed, self._unbatch_wait = list(allowed), unbatch_wait
        self._changed = threading.Condition()
        self._open = _Batch()
        self._batches: dict[int, _Batch] = {}
        self._last = 0

    def enter(self, *arrays: np.ndarray) -> list[Any]:
        """(number of the batch, place in it, arguments...), of a run's first arguments."""
        rows = _rows(arrays)
        if rows > self._most:
            raise ValueError(f"batch_function: a run has {rows} rows, more than max_batch_size {self._most}")  # fmt: skip # noqa: E501
        with self._changed:
            if self._open.size + rows > self._most:
                self._close(self._open)
            batch = self._open
            if not batch.tasks:
                self._last += 1
                batch.number = self._last
                self._batches[self._last] = batch
            number, place = batch.number, len(batch.tasks)
            batch.tasks.append(arrays)
            batch.size += rows
            if batch.size == self._most:
                self._close(batch)
            until = time.monotonic() + self._wait
            while not batch.closed:
                left = until - time.monotonic()
                # The first run ends the waiting of all.
                if left <= 0 and place == 0:
                    self._close(batch)
                else:
                    self._changed.wait(left if place == 0 else None)
        if place:
            return [number, place, *(a[:0] for a in arrays)]
        return [number, 0, *self._together(batch)]

    def _close(self, batch: _Batch) -> None:
        batch.closed = True
        if batch is self._open:
            self._open = _Batch()
        self._changed.notify_all()

    def _together(self, batch: _Batch) -> list[np.ndarray]:
        """The rows of all runs, and behind them so many of the first again as make an allowed size."""
        joined = [np.concatenate(parts) for parts in zip(*batch.tasks, strict=True)]
        size = next((s for s in self._allowed if s >= batch.size), batch.size)
        missing = size - batch.size
        return [np.concatenate([j, np.repeat(j[:1], missing, 0)]) for j in joined]

    def leave(self, output: int, count: int, number: int, place: int, value: Any) -> Any:  # fmt: skip # noqa: E501
        """A run's part of an output; the last part takes the batch away."""
        batch = self._batches[int(number)]
        with self._changed:
            if not place:
                sizes = [_rows(task) for task in batch.tasks]
                ends = np.cumsum(sizes)
                batch.results[output] = [value[e - s : e] for s, e in zip(sizes, ends, strict=True)]  # fmt: skip # noqa: E501
                self._changed.notify_all()
            ready = self._changed.wait_for(
                lambda: output in batch.results, self._unbatch_wait
            )
            if not ready:
                raise errors.DeadlineExceededError(None, None, "batch_function: the batch was not computed in time")  # fmt: skip # noqa: E501
            part = batch.results[output][place]
            batch.taken += 1
            if batch.taken == count * len(batch.tasks):
                del self._batches[int(number)]
            return part


def _rows(arrays: Sequence[np.ndarray]) -> int:
    counts = {len(a) if np.ndim(a) else -1 for a in arrays}
    if len(counts) != 1 or -1 in counts:
        raise ValueError(
            "batch_function: arguments must have one number of rows, got shapes "
            f"{[np.shape(a) for a in arrays]}"
        )
    return counts.pop()


def batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    grad_timeout_micros: int = 60 * 1000 * 1000,
    unbatch_timeout_micros: int = 60 * 1000 * 1000,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions of tensors [n, ...] that several runs of a session, each in its thread, call as one.

    A run waits for others until there are `max_batch_size` rows or the time is up; then the function computes all rows.
    Python puts the rows together, so the function has no gradient.

    Args:
        num_batch_threads: kept for TensorFlow's signature: batches are computed by the runs' own threads.
        max_batch_size: how many rows a batch has at most.
        batch_timeout_micros: how long the first run of a batch waits for others.
        allowed_batch_sizes: sizes, growing, of which the last is `max_batch_size`: batches are filled up with copies of
            their first row to the next of them.
        grad_timeout_micros: for gradients in TensorFlow; there are none here.
        unbatch_timeout_micros: how long a run waits for the batch that it is a part of.

    Raises:
        ValueError: sizes that do not grow to `max_batch_size`; when the function is called, an argument that is no Tensor.

    Example:
        @tf.contrib.batching.batch_function(1, 10, 5000)
        def layer(x):
            return tf.matmul(x, w)
    """
    del num_batch_threads, grad_timeout_micros
    allowed = list(allowed_batch_sizes or ())
    if allowed and (allowed != sorted(set(allowed)) or allowed[-1] != max_batch_size):
        raise ValueError(
            "allowed_batch_sizes must grow, and the last must be max_batch_size "
            f"{max_batch_size}, got {allowed}"
        )

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def batched(*args: Any) -> Any:
            for arg in args:
                if not isinstance(arg, ops.Tensor):
                    raise ValueError(
                        "All arguments to functions decorated with `batch_function` are "
                        f"supposed to be Tensors; found {arg!r}"
                    )
            batcher = _Batcher(
                max_batch_size,
                batch_timeout_micros / 1e6,
                allowed,
                unbatch_timeout_micros / 1e6,
            )
            with ops.name_scope("batch"):
                return _call(batcher, function, args)

        return batched

    return decorator


def _call(batcher: _Batcher, function: Callable[..., Any], args: tuple) -> Any:
    types = [dtypes.int64, dtypes.int64, *(a.dtype for a in args)]

    def enter(*arrays: np.ndarray) -> list[Any]:
        number, place, *rest = batcher.enter(*arrays)
        return [np.int64(number), np.int64(place), *rest]

    number, place, *inputs = script_ops.py_func(enter, args, types)
    for given, tensor in zip(args, inputs, strict=True):
        tensor.set_shape(tensor_shape.TensorShape([None]).concatenate(given.get_shape()[1:]))  # fmt: skip # noqa: E501
    outputs = function(*inputs)
    alone = isinstance(outputs, ops.Tensor)
    listed = [outputs] if alone else list(outputs)
    parts = []
    for i, output in enumerate(listed):
        leave = functools.partial(batcher.leave, i, len(listed))
        part = script_ops.py_func(leave, [number, place, output], output.dtype)
        part.set_shape(tensor_shape.TensorShape([None]).concatenate(output.get_shape()[1:]))  # fmt: skip # noqa: E501
        parts.append(part)
    return parts[0] if alone else parts
