# SPDX-License-Identifier: Apache-2.0
"""Queues, and partitioning and stitching of tensors: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._data_flow.data_flow_ops_queue import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    QueueBase as QueueBase,
    RandomShuffleQueue as RandomShuffleQueue,
)
from tensorwright.python.ops.gen_data_flow_ops import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
