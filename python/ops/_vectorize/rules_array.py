# SPDX-License-Identifier: Apache-2.0
"""Batching rules of ops that move elements, and of those that tell shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import constant_op
from tensorwright.python.framework.batching_registry import (
    Batched,
    CannotBatch,
    RegisterBatchingRule,
)
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops._vectorize import rule_parts as parts


def _put_before(first: Any, tensor: Any) -> Any:
    """[first, *tensor], in the tensor's dtype."""
    head = constant_op.constant([first], tensor.dtype)
    return array_ops.concat([head, tensor], 0)


@RegisterBatchingRule("Reshape")
def _reshape(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1)
    shape = inputs[1].tensor
    count = math_ops.cast(parts.count_of(inputs), shape.dtype)
    static = op.outputs[0].get_shape()
    if static.is_fully_defined():
        # Says what -1 stands for, which no element at all would leave open.
        shape = constant_op.constant(static.as_list(), shape.dtype, [static.ndims])
    return array_ops.reshape(inputs[0].tensor, array_ops.concat([[count], shape], 0))


@RegisterBatchingRule("Transpose")
@RegisterBatchingRule("ConjugateTranspose")
def _transpose(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1)
    return parts.again(op, [inputs[0].tensor, _put_before(0, inputs[1].tensor + 1)])


@RegisterBatchingRule("ExpandDims")
def _expand_dims(op: Any, inputs: list[Batched]) -> Any:
    axis = int(np.ravel(parts.constant_of(op, inputs, 1))[0])
    return array_ops.expand_dims(inputs[0].tensor, axis if axis < 0 else axis + 1)


@RegisterBatchingRule("Squeeze")
def _squeeze(op: Any, inputs: list[Batched]) -> Any:
    shape = op.inputs[0].get_shape()
    axes = [
        parts.behind_batch(a, parts.rank_of(op.inputs[0]))
        for a in op.get_attr("squeeze_dims")
    ]
    if not axes:
        if not shape.is_fully_defined():
            raise CannotBatch("which dimensions are 1 is not known")
        axes = [i + 1 for i, size in enumerate(shape.as_list()) if size == 1]
    if not axes:
        return inputs[0].tensor
    return array_ops.squeeze(inputs[0].tensor, axes)


@RegisterBatchingRule("Pack")
def _pack(op: Any, inputs: list[Batched]) -> Any:
    axis = op.get_attr("axis")
    moved = axis if axis < 0 else axis + 1
    return array_ops.stack(parts.stack_all(inputs), moved)


@RegisterBatchingRule("Unpack")
def _unpack(op: Any, inputs: list[Batched]) -> Any:
    axis = op.get_attr("axis")
    moved = axis if axis < 0 else axis + 1
    return array_ops.unstack(inputs[0].tensor, len(op.outputs), moved)


@RegisterBatchingRule("ConcatV2")
def _concat(op: Any, inputs: list[Batched]) -> Any:
    last = len(inputs) - 1
    axis = int(parts.constant_of(op, inputs, last))
    axis = parts.behind_batch(axis, parts.rank_of(op.inputs[0]))
    return array_ops.concat(parts.stack_all(inputs[:-1]), axis)


@RegisterBatchingRule("Split")
def _split(op: Any, inputs: list[Batched]) -> Any:
    axis = int(parts.constant_of(op, inputs, 0))
    axis = parts.behind_batch(axis, parts.rank_of(op.inputs[1]))
    return array_ops.split(inputs[1].tensor, len(op.outputs), axis)


@RegisterBatchingRule("SplitV")
def _split_v(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1)
    axis = int(parts.constant_of(op, inputs, 2))
    axis = parts.behind_batch(axis, parts.rank_of(op.inputs[0]))
    return array_ops.split(
        inputs[0].tensor, inputs[1].tensor, axis, num=len(op.outputs)
    )


@RegisterBatchingRule("Slice")
def _slice(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1, 2)
    begin, size = inputs[1].tensor, inputs[2].tensor
    return parts.again(
        op, [inputs[0].tensor, _put_before(0, begin), _put_before(-1, size)]
    )


@RegisterBatchingRule("StridedSlice")
def _strided_slice(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1, 2, 3)
    firsts = [
        _put_before(f, i.tensor) for f, i in zip((0, 0, 1), inputs[1:], strict=True)
    ]
    masks = {}
    for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis"):
        # Bit i stands for position i; the batch is a position more, taken whole.
        whole = 1 if name in ("begin", "end") else 0
        masks[f"{name}_mask"] = (op.get_attr(f"{name}_mask") << 1) | whole
    return parts.again(op, [inputs[0].tensor, *firsts], **masks)


def _gather(op: Any, inputs: list[Batched], axis: int) -> Any:
    params, indices = inputs[0], inputs[1]
    axis += parts.rank_of(op.inputs[0]) if axis < 0 else 0
    if not indices.stacked:
        return array_ops.gather(params.tensor, indices.tensor, axis=axis + 1)
    if params.stacked:
        return array_ops.gather(
            params.tensor, indices.tensor, axis=axis + 1, batch_dims=1
        )
    gathered = array_ops.gather(params.tensor, indices.tensor, axis=axis)
    rank = parts.rank_of(op.outputs[0]) + 1
    order = [axis, *(a for a in range(rank) if a != axis)]
    return array_ops.transpose(gathered, order) if axis else gathered


@RegisterBatchingRule("Gather")
def _gather_rows(op: Any, inputs: list[Batched]) -> Any:
    return _gather(op, inputs, 0)


@RegisterBatchingRule("GatherV2")
def _gather_axis(op: Any, inputs: list[Batched]) -> Any:
    if op.get_attr("batch_dims"):
        raise CannotBatch("batch_dims is not 0")
    return _gather(op, inputs, int(parts.constant_of(op, inputs, 2)))


@RegisterBatchingRule("GatherNd")
def _gather_nd(op: Any, inputs: list[Batched]) -> Any:
    """With indices alone stacked it is the same op; else the batch is an index more."""
    params, indices = inputs
    if not params.stacked:
        return parts.again(op, [params.tensor, indices.tensor])
    params, indices = parts.stack_all(inputs)
    return array_ops.gather_nd(params, indices, batch_dims=1)


@RegisterBatchingRule("OneHot")
def _one_hot(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1, 2, 3)
    axis = op.get_attr("axis")
    return array_ops.one_hot(
        *(i.tensor for i in inputs), axis=axis if axis < 0 else axis + 1
    )


@RegisterBatchingRule("Tile")
def _tile(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1)
    return parts.again(op, [inputs[0].tensor, _put_before(1, inputs[1].tensor)])


@RegisterBatchingRule("Pad")
@RegisterBatchingRule("PadV2")
@RegisterBatchingRule("MirrorPad")
def _pad(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, *range(1, len(inputs)))
    paddings = inputs[1].tensor
    none = constant_op.constant([[0, 0]], paddings.dtype)
    paddings = array_ops.concat([none, paddings], 0)
    rest = [i.tensor for i in inputs[2:]]
    return parts.again(op, [inputs[0].tensor, paddings, *rest])


@RegisterBatchingRule("ReverseV2")
def _reverse(op: Any, inputs: list[Batched]) -> Any:
    rank = parts.rank_of(op.inputs[0])
    axes = np.ravel(parts.constant_of(op, inputs, 1))
    moved = [parts.behind_batch(axis, rank) for axis in axes]
    return parts.again(op, [inputs[0].tensor, constant_op.constant(moved, axes.dtype)])


@RegisterBatchingRule("BroadcastTo")
def _broadcast_to(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1)
    rank = parts.rank_of(op.outputs[0])
    shape = inputs[1].tensor
    count = math_ops.cast(parts.count_of(inputs), shape.dtype)
    value = parts.with_rank(inputs[0], op.inputs[0], rank)
    return parts.again(op, [value, array_ops.concat([[count], shape], 0)])


@RegisterBatchingRule("MatrixBandPart")
def _matrix_band_part(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 1, 2)
    return parts.again(op, [i.tensor for i in inputs])


@RegisterBatchingRule("Fill")
def _fill(op: Any, inputs: list[Batched]) -> Any:
    parts.unstacked(inputs, 0)
    rank = parts.rank_of(op.outputs[0])
    dims = inputs[0].tensor
    value = parts.with_rank(inputs[1], op.inputs[1], rank)
    return array_ops.tile(value, _put_before(1, dims))


@RegisterBatchingRule("Shape")
def _shape(op: Any, inputs: list[Batched]) -> Batched:
    """All elements have one shape."""
    shape = array_ops.shape(inputs[0].tensor, out_type=op.outputs[0].dtype)
    return Batched(shape[1:], False)


@RegisterBatchingRule("Size")
def _size(op: Any, inputs: list[Batched]) -> Batched:
    shape = array_ops.shape(inputs[0].tensor, out_type=op.outputs[0].dtype)
    return Batched(math_ops.reduce_prod(shape[1:]), False)


@RegisterBatchingRule("Rank")
def _rank(op: Any, inputs: list[Batched]) -> Batched:
    return Batched(array_ops.rank(inputs[0].tensor) - 1, False)
