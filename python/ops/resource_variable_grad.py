# SPDX-License-Identifier: Apache-2.0
"""Variables behind handles: the gradient of a handle is that of its variable's value."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_array_ops, math_ops
from tensorwright.python.ops._resource_variable.resource_variable_ops_handle import (
    variable_shape,
)


@ops.RegisterGradient("ReadVariableOp")
def _read_variable_grad(op: ops.Operation, grad: Any) -> Any:
    """g."""
    del op
    return grad


@ops.RegisterGradient("ResourceGather")
def _resource_gather_grad(op: ops.Operation, grad: Any) -> Any:
    """The picked rows' g, as slices; within batches, g summed into place."""
    handle, indices = op.inputs
    shape = variable_shape(handle)
    batch_dims = op.get_attr("batch_dims")
    if batch_dims == 0:
        values_shape = array_ops.concat(
            [array_ops.reshape(array_ops.size(indices), [1]), shape[1:]], 0
        )
        values = array_ops.reshape(grad, values_shape)
        return ops.IndexedSlices(values, array_ops.reshape(indices, [-1]), shape), None
    # The variable is [batches, length, inner...], and indices [batches, count].
    length, inner = shape[batch_dims], shape[batch_dims + 1 :]
    batches = math_ops.reduce_prod(shape[:batch_dims])
    starts = array_ops.expand_dims(math_ops.range(batches) * length, 1)
    rows = array_ops.reshape(indices, array_ops.stack([batches, -1]))
    rows = array_ops.reshape(rows + math_ops.cast(starts, rows.dtype), [-1])
    values = array_ops.reshape(grad, array_ops.concat([[-1], inner], 0))
    summed = math_ops.unsorted_segment_sum(values, rows, batches * length)
    return array_ops.reshape(summed, shape), None


@ops.RegisterGradient("ResourceGatherNd")
def _resource_gather_nd_grad(op: ops.Operation, grad: Any) -> Any:
    """g summed into the places it was read from."""
    handle, indices = op.inputs
    shape = variable_shape(handle, indices.dtype.base_dtype)
    return gen_array_ops.scatter_nd(indices, grad, shape), None


for _name in (
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "AssignVariableOp",
    "DestroyResourceOp",
    "DisableCopyOnRead",
    "ResourceScatterAdd",
    "ResourceScatterDiv",
    "ResourceScatterMax",
    "ResourceScatterMin",
    "ResourceScatterMul",
    "ResourceScatterSub",
    "ResourceScatterUpdate",
    "VarHandleOp",
    "VarIsInitializedOp",
    "VariableShape",
):
    ops.NotDifferentiable(_name)
