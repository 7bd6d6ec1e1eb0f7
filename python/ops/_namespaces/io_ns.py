# SPDX-License-Identifier: Apache-2.0
"""tf.io: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.graph_io import write_graph as write_graph
from tensorwright.python.lib.io import gfile_ns as gfile
from tensorwright.python.ops.io_ops import (
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
