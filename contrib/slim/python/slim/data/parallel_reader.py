# SPDX-License-Identifier: Apache-2.0
"""Several readers that fill one queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import data_flow_ops, math_ops
from tensorwright.python.summary import summary
from tensorwright.python.training import input as tf_input, queue_runner_impl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._data_flow.data_flow_ops_queue_base import QueueBase
    from tensorwright.python.ops._io.io_ops_readers import ReaderBase

__all__ = ["ParallelReader", "get_data_files", "parallel_read", "single_pass_read"]


class ParallelReader:
    """Readers, each in a thread of its own, whose records come out of one queue.

    Args:
        reader_class: the class of the readers.
        common_queue: a queue of (key, value), two strings.
        num_readers: how many.
        reader_kwargs: their arguments.

    Raises:
        TypeError: a queue of other dtypes.
    """

    def __init__(
        self,
        reader_class: Callable[..., ReaderBase],
        common_queue: QueueBase,
        num_readers: int = 4,
        reader_kwargs: Mapping[str, object] | None = None,
    ):
        if len(common_queue.dtypes) != 2:
            raise TypeError("common_queue.dtypes must contain two dtypes")
        for dtype in common_queue.dtypes:
            if not dtype.is_compatible_with(dtypes.string):
                raise TypeError("common_queue.dtypes must be strings")
        kwargs = reader_kwargs or {}
        self._readers = [reader_class(**kwargs) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def common_queue(self) -> QueueBase:
        return self._common_queue

    def read(self, queue: QueueBase, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The next (key, value); `queue` gives the names of files."""
        self._configure(queue)
        key, value = self._common_queue.dequeue(name=name)
        return key, value

    def read_up_to(
        self, queue: QueueBase, num_records: int, name: str | None = None
    ) -> tuple[Tensor, Tensor]:
        """The next `num_records` keys and values, fewer at the end."""
        self._configure(queue)
        keys, values = self._common_queue.dequeue_up_to(num_records, name)
        return keys, values

    def _configure(self, queue: Any) -> None:
        enqueues = [self._common_queue.enqueue(r.read(queue)) for r in self._readers]
        queue_runner_impl.add_queue_runner(
            queue_runner_impl.QueueRunner(self._common_queue, enqueues)
        )

    def num_records_produced(self, name: str | None = None) -> ops.Tensor:
        """How many records all have read."""
        counts = [r.num_records_produced() for r in self._readers]
        return math_ops.add_n(counts, name=name)

    def num_work_units_completed(self, name: str | None = None) -> ops.Tensor:
        """How many files all have read."""
        counts = [r.num_work_units_completed() for r in self._readers]
        return math_ops.add_n(counts, name=name)


def get_data_files(data_sources: str | list[str] | tuple[str, ...]) -> list[str]:
    """The names of all files of patterns, a list or one.

    Raises:
        ValueError: no file.
    """
    if isinstance(data_sources, (list, tuple)):
        found = [name for source in data_sources for name in get_data_files(source)]
    elif any(c in data_sources for c in "*?["):
        found = file_io.get_matching_files(data_sources)
    else:
        found = [data_sources]
    if not found:
        raise ValueError(f"No data files found in {data_sources}")
    return found


def parallel_read(
    data_sources: str | list[str] | tuple[str, ...],
    reader_class: Callable[..., ReaderBase],
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Mapping[str, object] | None = None,
    shuffle: bool = True,
    dtypes: Sequence[DTypeLike] | None = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The next (key, value) of files that several readers read.

    Args:
        data_sources: patterns of files.
        reader_class: the class of the readers.
        num_epochs: how often each file is read; None: without end.
        num_readers: how many.
        reader_kwargs: their arguments.
        shuffle: whether files and records come in a random order.
        dtypes: the dtypes of key and value; None: strings.
        capacity, min_after_dequeue: for the queue.
        seed: the seed of the order of records.
        scope: the scope of the ops.
    """
    files = get_data_files(data_sources)
    with ops.name_scope(scope, "parallel_read"):
        names = tf_input.string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        kinds = list(dtypes or _STRINGS)
        if shuffle:
            queue = data_flow_ops.RandomShuffleQueue(
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                dtypes=kinds,
                seed=seed,
                name="common_queue",
            )
        else:
            queue = data_flow_ops.FIFOQueue(
                capacity=capacity, dtypes=kinds, name="common_queue"
            )
        share = math_ops.cast(queue.size(), "float32") / capacity
        summary.scalar(f"fraction_of_{capacity}_full", share)
        reader = ParallelReader(
            reader_class, queue, num_readers=num_readers, reader_kwargs=reader_kwargs
        )
        return reader.read(names)


_STRINGS = (dtypes.string, dtypes.string)


def single_pass_read(
    data_sources: str | list[str] | tuple[str, ...],
    reader_class: Callable[..., ReaderBase],
    reader_kwargs: Mapping[str, object] | None = None,
    scope: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The next (key, value) of files, each read once, in their order."""
    files = get_data_files(data_sources)
    with ops.name_scope(scope, "single_pass_read"):
        names = tf_input.string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        key, value = reader_class(**(reader_kwargs or {})).read(names)
        return key, value
