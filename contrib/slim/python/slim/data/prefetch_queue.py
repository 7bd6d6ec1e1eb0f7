# SPDX-License-Identifier: Apache-2.0
"""Tensors that are made ahead."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import data_flow_ops, math_ops
from tensorwright.python.summary import summary
from tensorwright.python.training import queue_runner_impl

__all__ = ["prefetch_queue"]


class _Named:
    """A queue of dicts."""

    def __init__(self, queue: Any, names: list[str]):
        self._queue = queue
        self._names = names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def dequeue(self, name: str | None = None) -> dict[str, Any]:
        values = self._queue.dequeue(name=name)
        values = values if isinstance(values, (list, tuple)) else [values]
        return dict(zip(self._names, values, strict=True))


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue that a queue runner fills with `tensors`, a list or dict, whose `dequeue` gives them back so.

    Args:
        tensors: the tensors to compute ahead, batches for instance.
        capacity: how many of them.
        num_threads: that make them.
        dynamic_pad: whether shapes may be unknown.
        shared_name: queues of this name, of one session, are one.
        name: the name of the ops.
    """
    named = isinstance(tensors, dict)
    names = sorted(tensors) if named else []
    listed = [tensors[n] for n in names] if named else list(tensors)
    with ops.name_scope(name, "prefetch_queue", listed):
        listed = [ops.convert_to_tensor(t) for t in listed]
        make = (
            data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue
        )
        queue = make(
            capacity=capacity,
            dtypes=[t.dtype.base_dtype for t in listed],
            shapes=[t.get_shape() for t in listed],
            shared_name=shared_name,
        )
        enqueue = queue.enqueue(listed)
        queue_runner_impl.add_queue_runner(
            queue_runner_impl.QueueRunner(queue, [enqueue] * num_threads)
        )
        share = math_ops.cast(queue.size(), dtypes.float32) / capacity
        summary.scalar(f"fraction_of_{capacity}_full", share)
        return _Named(queue, names) if named else queue
