# SPDX-License-Identifier: Apache-2.0
"""Gradients of ragged tensors, by their values; splits have none."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_ragged_ops

ops.NotDifferentiable("RaggedRange")


@ops.RegisterGradient("RaggedTensorToSparse")
def _ragged_tensor_to_sparse_grad(
    op: ops.Operation, unused_indices: Any, grad: Any, unused_shape: Any
) -> Any:
    """g in the shape of the values."""
    values = op.inputs[-1]
    nothing = [None] * (len(op.inputs) - 1)
    return [*nothing, array_ops.reshape(grad, array_ops.shape(values))]


@ops.RegisterGradient("RaggedGather")
def _ragged_gather_grad(op: ops.Operation, *grads: Any) -> Any:
    """Each row of g to the value that it was taken from."""
    *splits, values, indices = op.inputs
    flat = array_ops.reshape(indices, [-1])
    # The values of each outer row: a row's first and last, looked up from one dimension to the next.
    first, last = splits[0][:-1], splits[0][1:]
    for more in splits[1:]:
        first, last = array_ops.gather(more, first), array_ops.gather(more, last)
    _, places = gen_ragged_ops.ragged_range(
        array_ops.gather(first, flat), array_ops.gather(last, flat), 1
    )
    slices = ops.IndexedSlices(grads[-1], places, array_ops.shape(values))
    return [*([None] * len(splits)), slices, None]
