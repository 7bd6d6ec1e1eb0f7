# SPDX-License-Identifier: Apache-2.0
"""Writing and reading of event files: re-exports, no code."""

from tensorwright.python.summary.summary_iterator import summary_iterator
from tensorwright.python.summary.writer.writer import FileWriter as SummaryWriter
from tensorwright.python.summary.writer.writer_cache import (
    FileWriterCache as SummaryWriterCache,
)

__all__ = ["SummaryWriter", "SummaryWriterCache", "summary_iterator"]
