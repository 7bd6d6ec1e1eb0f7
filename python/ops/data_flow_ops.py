# SPDX-License-Identifier: Apache-2.0
"""Queues, accumulators, barriers, staging areas, partitioning and stitching: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._data_flow.data_flow_ops_accumulator import (
    Barrier as Barrier,
    ConditionalAccumulator as ConditionalAccumulator,
    ConditionalAccumulatorBase as ConditionalAccumulatorBase,
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from tensorwright.python.ops._data_flow.data_flow_ops_queue import (
    FIFOQueue as FIFOQueue,
    PaddingFIFOQueue as PaddingFIFOQueue,
    PriorityQueue as PriorityQueue,
    RandomShuffleQueue as RandomShuffleQueue,
)
from tensorwright.python.ops._data_flow.data_flow_ops_queue_base import (
    QueueBase as QueueBase,
)
from tensorwright.python.ops._data_flow.data_flow_ops_records import (
    RecordInput as RecordInput,
)
from tensorwright.python.ops._data_flow.data_flow_ops_staging import (
    BaseStagingArea as BaseStagingArea,
    MapStagingArea as MapStagingArea,
    StagingArea as StagingArea,
)
from tensorwright.python.ops.gen_data_flow_ops import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
