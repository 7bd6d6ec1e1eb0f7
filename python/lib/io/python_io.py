# SPDX-License-Identifier: Apache-2.0
"""tf.python_io: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.lib.io.tf_record import (
    TFRecordCompressionType as TFRecordCompressionType,
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
    tf_record_iterator as tf_record_iterator,
)
