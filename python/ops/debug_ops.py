# SPDX-License-Identifier: Apache-2.0
"""The ops that a debugger adds to a graph to see its tensors.  Re-exports, no code."""

from tensorwright.python.ops.gen_debug_ops import (
    copy,
    copy_host,
    debug_identity,
    debug_nan_count,
    debug_numeric_summary,
)

__all__ = [
    "copy",
    "copy_host",
    "debug_identity",
    "debug_nan_count",
    "debug_numeric_summary",
]
