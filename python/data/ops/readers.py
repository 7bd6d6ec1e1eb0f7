# SPDX-License-Identifier: Apache-2.0
"""Datasets of the contents of files."""

from __future__ import annotations

from typing import Any

from tensorwright.python.data.ops._dataset.core import as_int64
from tensorwright.python.data.ops.dataset_ops import Dataset
from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_dataset_ops

_STRING = TensorSpec([], dtypes.string)


def _text(value: Any, name: str) -> ops.Tensor:
    return ops.convert_to_tensor(
        "" if value is None else value, dtypes.string, name=name
    )


def _int(value: Any, name: str) -> ops.Tensor:
    if value is None:
        return constant_op.constant(0, dtypes.int64, name=name)
    return as_int64(value, name)


class _FilesDataset(Dataset):
    """A dataset of strings out of `filenames`: a tensor of names, or a dataset of them."""

    def _read(self, filenames: Any, parallel: Any, op: Any) -> None:
        if parallel is None and not isinstance(filenames, Dataset):
            names = ops.convert_to_tensor(filenames, dtypes.string, name="filenames")
            self._set(op(names), _STRING)
            return
        files = filenames
        if not isinstance(filenames, Dataset):
            files = Dataset.from_tensor_slices(
                ops.convert_to_tensor(filenames, dtypes.string)
            )

        def read(name: ops.Tensor) -> Dataset:
            return Dataset._from_variant(op(name), _STRING)

        if parallel is None:
            made = files.flat_map(read)
        else:
            made = files.interleave(
                read, cycle_length=parallel, num_parallel_calls=parallel
            )
        self._set(made._variant_tensor, _STRING, [files])


class TextLineDataset(_FilesDataset):
    """The lines of text files, without their ends.

    Args:
        filenames: a tensor of names, or a dataset of them.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: bytes that are read at once.
        num_parallel_reads: the number of files that are read at a time, in turn.
    """

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ):
        compression = _text(compression_type, "compression_type")
        size = _int(buffer_size, "buffer_size")
        self._read(
            filenames,
            num_parallel_reads,
            lambda f: gen_dataset_ops.text_line_dataset(
                f, compression, size, name=name
            ),
        )


class TFRecordDataset(_FilesDataset):
    """The records of TFRecord files, as strings; arguments as in `TextLineDataset`."""

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ):
        compression = _text(compression_type, "compression_type")
        size = _int(buffer_size, "buffer_size")
        self._read(
            filenames,
            num_parallel_reads,
            lambda f: gen_dataset_ops.tf_record_dataset(
                f, compression, size, name=name
            ),
        )


class FixedLengthRecordDataset(_FilesDataset):
    """The records of `record_bytes` each between header and footer of files, as strings.

    The other arguments are as those of `TextLineDataset`.
    """

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
        buffer_size: TensorLike | None = None,
        compression_type: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
    ):
        record = _int(record_bytes, "record_bytes")
        header = _int(header_bytes, "header_bytes")
        footer = _int(footer_bytes, "footer_bytes")
        size = _int(buffer_size, "buffer_size")
        compression = _text(compression_type, "compression_type")
        self._read(
            filenames,
            num_parallel_reads,
            lambda f: gen_dataset_ops.fixed_length_record_dataset_v2(
                f, header, record, footer, size, compression, name=name
            ),
        )


__all__ = ["FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"]
