# SPDX-License-Identifier: Apache-2.0
"""Records of files in random order, without a queue."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.lib.io import tf_record
from tensorwright.python.ops import array_ops, gen_data_flow_ops


class RecordInput:
    """Gives batches of the records of files, an epoch after the other, in random order."""

    def __init__(
        self,
        file_pattern: str,
        batch_size: int = 1,
        buffer_size: int = 1,
        parallelism: int = 1,
        shift_ratio: float = 0,
        seed: int = 0,
        name: str | None = None,
        batches: int | None = None,
        compression_type: Any = None,
    ):
        """Takes the settings of the op.

        Args:
          file_pattern: a pattern of the paths of record files.
          batch_size: the number of records in a run.
          buffer_size: the number of records to choose from.
          parallelism: the number of files that are read at once.
          shift_ratio: the part of the files, 0 to 1, by which an epoch begins later.
          seed: the seed of the order.
          name: the op's name.
          batches: into how many batches a run's records are split, or None.
          compression_type: `tf.python_io.TFRecordCompressionType`, if the files are compressed.
        """
        self._batch_size = batch_size
        self._batches = batches
        self._file_pattern = file_pattern
        self._buffer_size = buffer_size
        self._parallelism = parallelism
        self._shift_ratio = shift_ratio
        self._seed = seed
        self._name = name
        options = tf_record.TFRecordOptions
        self._compression = options.get_compression_type_string(compression_type)

    def get_yield_op(self) -> ops.Tensor | list[ops.Tensor]:
        """string [batch_size]; or, with `batches`, a list of parts of it, each a batch."""
        records = gen_data_flow_ops.record_input(
            file_pattern=self._file_pattern,
            file_buffer_size=self._buffer_size,
            file_parallelism=self._parallelism,
            file_shuffle_shift_ratio=self._shift_ratio,
            batch_size=self._batch_size,
            file_random_seed=self._seed,
            compression_type=self._compression,
            name=self._name,
        )
        if self._batches is None:
            return records
        return array_ops.split(records, self._batches)
