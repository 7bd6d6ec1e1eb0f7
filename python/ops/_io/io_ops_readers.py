# SPDX-License-Identifier: Apache-2.0
"""Readers: they take names of work, such as files, from a queue, and return records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.lib.io import tf_record
from tensorwright.python.ops import gen_data_flow_ops, gen_io_ops

if TYPE_CHECKING:
    from tensorwright.python.lib.io.tf_record import TFRecordOptions
    from tensorwright.python.ops._data_flow.data_flow_ops_queue_base import QueueBase


class _Record(NamedTuple):
    key: ops.Tensor
    value: ops.Tensor


class _Records(NamedTuple):
    keys: ops.Tensor
    values: ops.Tensor


class ReaderBase:
    """The base of readers of all kinds.

    A reader has work in progress, such as a file; at the end of it, the reader takes the
    next one from a queue of strings.  All runs of a session share the reader.
    """

    def __init__(self, reader_ref: ops.Tensor, supports_serialize: bool = False):
        """A reader for the handle `reader_ref`, the output of the op that makes it."""
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> ops.Tensor:
        """The handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether its state can be saved and restored."""
        return self._supports_serialize

    @property
    def _is_resource(self) -> bool:
        return self._reader_ref.dtype == dtypes.resource

    def _queue_ref(self, queue: Any) -> ops.Tensor:
        ref = queue if isinstance(queue, ops.Tensor) else queue.queue_ref
        if not self._is_resource and ref.dtype == dtypes.resource:
            # The ops of the first generation know a queue by its names.
            return gen_data_flow_ops._fake_queue(ref)
        return ref

    def read(
        self, queue: QueueBase | ops.Tensor, name: str | None = None
    ) -> tuple[ops.Tensor, ops.Tensor]:
        """The next record: key and value, strings []. Waits for work.

        Args:
            queue: a queue with the names of the work, or its handle.
            name: the op's name.

        Raises:
            OutOfRangeError: in a run, when the queue is closed and all is read.
        """
        read = (
            gen_io_ops._reader_read_v2 if self._is_resource else gen_io_ops._reader_read
        )
        return _Record(*read(self._reader_ref, self._queue_ref(queue), name=name))

    def read_up_to(
        self,
        queue: QueueBase | ops.Tensor,
        num_records: TensorLike,
        name: str | None = None,
    ) -> tuple[ops.Tensor, ops.Tensor]:
        """Up to `num_records` records: keys and values, strings [n]; fewer where work ends.

        Args:
            queue: a queue with the names of the work, or its handle.
            num_records: int64 [].
            name: the op's name.
        """
        read = (
            gen_io_ops._reader_read_up_to_v2
            if self._is_resource
            else gen_io_ops._reader_read_up_to
        )
        ref = self._queue_ref(queue)
        return _Records(*read(self._reader_ref, ref, num_records, name=name))

    def num_records_produced(self, name: str | None = None) -> ops.Tensor:
        """The number of records it has returned: int64 []."""
        if self._is_resource:
            return gen_io_ops._reader_num_records_produced_v2(
                self._reader_ref, name=name
            )
        return gen_io_ops._reader_num_records_produced(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> ops.Tensor:
        """The number of work units it has read to the end: int64 []."""
        if self._is_resource:
            return gen_io_ops._reader_num_work_units_completed_v2(
                self._reader_ref, name=name
            )
        return gen_io_ops._reader_num_work_units_completed(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> ops.Tensor:
        """Returns the state from which the reader can go on, string []; not every kind supports this."""
        if self._is_resource:
            return gen_io_ops._reader_serialize_state_v2(self._reader_ref, name=name)
        return gen_io_ops._reader_serialize_state(self._reader_ref, name=name)

    def restore_state(
        self, state: TensorLike, name: str | None = None
    ) -> ops.Operation:
        """An op that has it go on from a `state` that was serialized."""
        if self._is_resource:
            return gen_io_ops._reader_restore_state_v2(
                self._reader_ref, state, name=name
            )
        return gen_io_ops._reader_restore_state(self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> ops.Operation:
        """An op that has it begin anew."""
        if self._is_resource:
            return gen_io_ops._reader_reset_v2(self._reader_ref, name=name)
        return gen_io_ops._reader_reset(self._reader_ref, name=name)


class WholeFileReader(ReaderBase):
    """Records are files: the key is the name, the value all bytes."""

    def __init__(self, name: str | None = None):
        super().__init__(gen_io_ops._whole_file_reader_v2(name=name), True)


class TextLineReader(ReaderBase):
    """Records are lines, without their ends: the key is file:line."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None):
        """A new reader, which leaves out the first lines of each file."""
        ref = gen_io_ops._text_line_reader_v2(
            skip_header_lines=skip_header_lines or 0, name=name
        )
        super().__init__(ref)


class FixedLengthRecordReader(ReaderBase):
    """Records are pieces of files, of one length: the key is file:number."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ):
        """A new reader.

        Args:
            record_bytes: the length.
            header_bytes: left out at the beginning of a file.
            footer_bytes: left out at the end.
            hop_bytes: from one record to the next; None or 0: `record_bytes`.
            name: the op's name.
            encoding: "ZLIB" or "GZIP", if the files are compressed.
        """
        ref = gen_io_ops._fixed_length_record_reader_v2(
            record_bytes=record_bytes,
            header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0,
            encoding=encoding or "",
            name=name,
        )
        super().__init__(ref)


class TFRecordReader(ReaderBase):
    """Records are those of files of records: the key is file:offset."""

    def __init__(self, name: str | None = None, options: TFRecordOptions | None = None):
        """A new reader; `options`: `tf.python_io.TFRecordOptions`, if files are compressed."""
        compression = tf_record.TFRecordOptions.get_compression_type_string(options)
        ref = gen_io_ops._tf_record_reader_v2(name=name, compression_type=compression)
        super().__init__(ref)


class LMDBReader(ReaderBase):
    """Records are keys and values of databases of LMDB."""

    def __init__(self, name: str | None = None, options: TFRecordOptions | None = None):
        """A new reader; `options` is there for TensorFlow's signature."""
        del options
        super().__init__(gen_io_ops._lmdb_reader(name=name))


class IdentityReader(ReaderBase):
    """Records are the names of work: key and value."""

    def __init__(self, name: str | None = None):
        super().__init__(gen_io_ops._identity_reader_v2(name=name), True)
