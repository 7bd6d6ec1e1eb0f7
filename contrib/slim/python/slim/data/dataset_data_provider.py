# SPDX-License-Identifier: Apache-2.0
"""The items of one example of a data set after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.contrib.slim.python.slim.data import data_provider, parallel_reader

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["DatasetDataProvider"]


class DatasetDataProvider(data_provider.DataProvider):
    """Reads the files of a Dataset, and decodes their records.

    Args:
        dataset: a Dataset.
        num_readers: how many files are read at a time.
        reader_kwargs: further arguments of its reader.
        shuffle: whether examples come in a random order.
        num_epochs: how often; None: without end.
        common_queue_capacity, common_queue_min: for the queue between readers and decoder.
        record_key: the item that is the record's key.
        seed: the seed of the order.
        scope: the scope of the ops.

    Raises:
        ValueError: `record_key` is an item of the decoder.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Mapping[str, object] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ):
        key, data = parallel_reader.parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        if record_key in items:
            raise ValueError(f"The item name used for record_key cannot also be used for a dataset item: {record_key}")  # fmt: skip
        tensors = dict(zip(items, dataset.decoder.decode(data, items), strict=True))
        tensors[record_key] = key
        super().__init__(items_to_tensors=tensors, num_samples=dataset.num_samples)
