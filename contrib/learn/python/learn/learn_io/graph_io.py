# SPDX-License-Identifier: Apache-2.0
"""Batches of Examples out of files, through queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.slim.python.slim.data import prefetch_queue
from tensorwright.python.framework import constant_op, ops
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import io_ops, parsing_ops
from tensorwright.python.training import input as input_ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.framework.type_aliases import ParseSpec, TensorTree
    from tensorwright.python.ops._io.io_ops_readers import ReaderBase


__all__ = ["read_batch_examples", "read_batch_features", "read_batch_record_features"]


def _files(file_pattern: Any) -> list[str]:
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    if not patterns:
        raise ValueError("No files given")
    found = [name for p in patterns for name in file_io.get_matching_files(p)]
    if not found:
        raise ValueError(f"No files match {file_pattern}.")
    return found


def _checked(batch_size: Any, capacity: Any, threads: int, read_size: int) -> None:
    if not batch_size or isinstance(batch_size, ops.Tensor):
        raise ValueError(f"Invalid batch_size {batch_size}.")
    if not capacity or capacity <= batch_size:
        raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {capacity}.")  # fmt: skip
    if not threads or threads <= 0:
        raise ValueError(f"Invalid num_threads {threads}.")
    if not read_size or read_size <= 0:
        raise ValueError(f"Invalid read_batch_size {read_size}.")


def read_batch_examples(
    file_pattern: str | Sequence[str],
    batch_size: int,
    reader: Callable[[], ReaderBase],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[ops.Tensor], TensorTree] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Returns batches of records of files: strings [batch_size], or the results of `parse_fn` for each.

    Args:
        file_pattern: a pattern, or a list of them.
        batch_size: records of a batch.
        reader: makes a reader.
        randomize_input: whether files and records come in a random order.
        num_epochs: how often each file is read; None: without end.
        queue_capacity: the capacity of the queue, more than a batch.
        num_threads: how many readers.
        read_batch_size: records that a reader takes at once.
        parse_fn: a function of a record.
        name: the name of the ops.
        seed: the seed of the order.

    Raises:
        ValueError: no file, or numbers that cannot be.
    """
    files = _files(file_pattern)
    _checked(batch_size, queue_capacity, num_threads, read_batch_size)
    with ops.name_scope(name, "read_batch_examples"):
        names = input_ops.string_input_producer(
            constant_op.constant(files, name="input"),
            shuffle=randomize_input,
            num_epochs=num_epochs,
            seed=seed,
            name="file_name_queue",
        )
        lists = []
        for _ in range(num_threads):
            if read_batch_size > 1:
                _, records = reader().read_up_to(names, read_batch_size)
                if parse_fn:
                    records = parse_fn(records)
            else:
                _, records = reader().read(names)
                if parse_fn:
                    records = parse_fn(records)
            lists.append(records if isinstance(records, dict) else [records])
        options = {
            "capacity": queue_capacity,
            "enqueue_many": read_batch_size > 1,
            "allow_smaller_final_batch": num_epochs is not None,
            "name": "batch",
        }
        if randomize_input:
            least = max(min(queue_capacity // 2, queue_capacity - batch_size), 1)
            return input_ops.shuffle_batch_join(
                lists, batch_size, min_after_dequeue=least, seed=seed, **options
            )
        return input_ops.batch_join(lists, batch_size, **options)


def read_batch_features(
    file_pattern: str | Sequence[str],
    batch_size: int,
    features: Mapping[str, ParseSpec],
    reader: Callable[[], ReaderBase],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[ops.Tensor], TensorTree] | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Batches of parsed Examples of files: tensors by key.

    Args:
        features: how they are parsed, by key.
        feature_queue_capacity: how many parsed batches wait.
        num_enqueue_threads: that parse.

    The others are as for `read_batch_examples`.
    """
    with ops.name_scope(name, "read_batch_features"):
        records = read_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            parse_fn=parse_fn,
        )
        if isinstance(records, (list, tuple)):
            records = records[0]
        parsed = parsing_ops.parse_example(records, features)
        dense = all(isinstance(t, ops.Tensor) for t in parsed.values())
        if not dense:
            # A queue holds no sparse tensors.
            return parsed
        queue = prefetch_queue.prefetch_queue(
            parsed, feature_queue_capacity, num_enqueue_threads, dynamic_pad=True
        )
        return queue.dequeue()


def read_batch_record_features(
    file_pattern: str | Sequence[str],
    batch_size: int,
    features: Mapping[str, ParseSpec],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:
    """`read_batch_features` of TFRecord files."""
    return read_batch_features(
        file_pattern=file_pattern,
        batch_size=batch_size,
        features=features,
        reader=io_ops.TFRecordReader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )
