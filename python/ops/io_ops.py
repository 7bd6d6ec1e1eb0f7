# SPDX-License-Identifier: Apache-2.0
"""Files and checkpoints as ops: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._io.io_ops_readers import (
    FixedLengthRecordReader as FixedLengthRecordReader,
    IdentityReader as IdentityReader,
    LMDBReader as LMDBReader,
    ReaderBase as ReaderBase,
    TextLineReader as TextLineReader,
    TFRecordReader as TFRecordReader,
    WholeFileReader as WholeFileReader,
)
from tensorwright.python.ops.gen_io_ops import (
    matching_files as matching_files,
    merge_v2_checkpoints as merge_v2_checkpoints,
    read_file as read_file,
    restore_v2 as restore_v2,
    save_v2 as save_v2,
    write_file as write_file,
)
