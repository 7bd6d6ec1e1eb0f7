# SPDX-License-Identifier: Apache-2.0
"""Parts of graphs that executors of other libraries run.  Re-exports, no code."""

from tensorwright.python.ops.gen_remote_fused_graph_ops import (
    remote_fused_graph_execute,
)

__all__ = ["remote_fused_graph_execute"]
