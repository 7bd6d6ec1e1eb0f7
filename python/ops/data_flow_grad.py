# SPDX-License-Identifier: Apache-2.0
"""Gradients of partitioning and stitching."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_data_flow_ops, math_ops


@ops.RegisterGradient("DynamicPartition")
def _dynamic_partition_grad(op: ops.Operation, *grads: Any) -> Any:
    """The g stitched together where their elements came from."""
    data, partitions = op.inputs
    shape = array_ops.shape(partitions)
    positions = array_ops.reshape(math_ops.range(math_ops.reduce_prod(shape)), shape)
    came_from = gen_data_flow_ops.dynamic_partition(
        positions, partitions, op.get_attr("num_partitions")
    )
    rows = gen_data_flow_ops.dynamic_stitch(came_from, list(grads))
    return [array_ops.reshape(rows, array_ops.shape(data)), None]


@ops.RegisterGradient("DynamicStitch")
def _dynamic_stitch_grad(op: ops.Operation, grad: Any) -> Any:
    """Each part's rows of g, at its indices."""
    count = len(op.inputs) // 2
    indices = [math_ops.cast(t, dtypes.int32) for t in op.inputs[:count]]
    return [None] * count + [array_ops.gather(grad, i) for i in indices]


for _name in (
    "Stack", "StackPush", "StackPop", "StackClose", "GetSessionHandle",
    "GetSessionHandleV2", "GetSessionTensor", "DeleteSessionTensor",
):  # fmt: skip
    ops.NotDifferentiable(_name)


for _op in (
    "QueueClose",
    "QueueDequeue",
    "QueueDequeueMany",
    "QueueDequeueUpTo",
    "QueueEnqueue",
    "QueueEnqueueMany",
    "QueueSize",
    "RecordInput",
):
    ops.NotDifferentiable(_op)
